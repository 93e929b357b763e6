import { readFile } from 'node:fs/promises'
import { messageOf } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'

/**
 * Returns the URL of a database, without the spaces and line breaks around it.
 *
 * @param source the URL, or `@` and the path of a file that has it now.
 * @throws ServiceError `storage_unavailable` if the file cannot be read.
 */
export async function readUrl(source: string): Promise<string> {
  if (!source.startsWith('@')) return source
  try {
    return (await readFile(source.slice(1), 'utf8')).trim()
  } catch (cause) {
    const detail = `The file with the URL of the database cannot be read: ${messageOf(cause)}`
    throw new ServiceError('storage_unavailable', { detail, cause })
  }
}

/**
 * Returns one URL a host: the driver knows a single one. It checks the certificate in all of the first three modes of
 * TLS too, but warns of that in its own way.
 *
 * @throws ServiceError `invalid_database_url`.
 */
export function hostUrls(url: string): string[] {
  const [, scheme = '', hosts = '', rest = ''] =
    /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^/?#]+)(.*)$/.exec(url) ?? []
  const verified = /[?&]uselibpqcompat=true/.test(rest)
    ? rest
    : rest.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full')
  const urls = hosts.split(',').map(host => `${scheme}${host}${verified}`)
  if (hosts === '' || !urls.every(one => URL.canParse(one))) throw new ServiceError('invalid_database_url')
  const { searchParams } = new URL(urls[0] ?? '')
  for (const [name, values] of Object.entries(knownValues))
    for (const value of searchParams.getAll(name))
      if (!values.includes(value)) {
        const detail = `${name} in the URL of the database must be one of: ${values.join(', ')}.`
        throw new ServiceError('invalid_database_url', { detail })
      }
  return urls
}

/** Parameters of which a wrong value would be ignored. A node always needs the server that takes writes. */
const knownValues: Readonly<Record<string, readonly string[]>> = {
  sslmode: ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'],
  target_session_attrs: ['any', 'read-write', 'primary'],
}

/** Returns the hosts of a URL and the name of the database, without the user and the password. */
export function databaseName(url: string): string {
  const urls = hostUrls(url).map(one => new URL(one))
  return `${urls.map(({ host }) => host).join(',')}${urls[0]?.pathname}`
}
