import { X509Certificate } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { ServiceError } from '#shared/errors.ts'

const maxFileBytes = 1024 * 1024

/** Which certificate authorities outbound connections trust beside Node's own. */
export type Trust = {
  /** Returns what TLS connections verify against; undefined for Node's own authorities alone. */
  context(): SecureContext | undefined
  /** Uses another one from the next connection on. */
  use(context: SecureContext | undefined): void
}

export function createTrust(): Trust {
  let current: SecureContext | undefined
  return {
    context: () => current,
    use(context) {
      current = context
    },
  }
}

/**
 * Reads a file of certificate authorities, PEM, and adds Node's own (those of `NODE_EXTRA_CA_CERTS` included).
 *
 * @returns undefined without a file.
 * @throws ServiceError `invalid_input` at `caFile`.
 */
export async function readAuthorities(file: string | null): Promise<SecureContext | undefined> {
  if (file === null) return undefined
  const text = await readText(file)
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  if (certificates.length === 0)
    throw refusal(
      `The file ${file} holds no certificate in PEM form, which begins with -----BEGIN CERTIFICATE-----.`,
    )
  try {
    for (const certificate of certificates) new X509Certificate(certificate)
    return createSecureContext({ ca: [...getCACertificates('default'), ...certificates] })
  } catch (cause) {
    throw refusal(`The file ${file} holds a certificate that cannot be read.`, cause)
  }
}

async function readText(file: string): Promise<string> {
  try {
    const found = await stat(file)
    // Below /proc a file says that it is empty, and may be read without end.
    if (found.isFile() && found.size > 0 && found.size <= maxFileBytes) return await readFile(file, 'utf8')
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw refusal(`The file ${file} cannot be read: ${reason}`, cause)
  }
  throw refusal(`${file} must be a file of at most 1 MiB, and not empty.`)
}

function refusal(message: string, cause?: unknown): ServiceError {
  return new ServiceError('invalid_input', {
    detail: message,
    data: { issues: [{ path: 'caFile', message }] },
    cause,
  })
}
