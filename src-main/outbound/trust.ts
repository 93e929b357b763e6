import { X509Certificate } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { ServiceError } from '#shared/errors.ts'

const maxFileBytes = 1024 * 1024

/** The certificate authorities that outbound connections trust in addition to Node's own. */
export type Trust = ReturnType<typeof createTrust>

export function createTrust() {
  let current: SecureContext | undefined
  return {
    /** Returns the trusted authorities; undefined for Node's own alone. */
    context: () => current,
    /** Replaces them for new connections. */
    use(context: SecureContext | undefined) {
      current = context
    },
  }
}

/**
 * Reads a PEM file of certificate authorities and adds Node's own, including those of `NODE_EXTRA_CA_CERTS`. Returns
 * undefined without a file.
 *
 * @throws ServiceError `invalid_input` at `caFile`.
 */
export async function readAuthorities(file: string | null): Promise<SecureContext | undefined> {
  if (file === null) return undefined
  const text = await readText(file)
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  if (certificates.length === 0)
    throw refusal(`The file ${file} has no PEM certificate, which starts with -----BEGIN CERTIFICATE-----.`)
  try {
    for (const certificate of certificates) new X509Certificate(certificate)
    return createSecureContext({ ca: [...getCACertificates('default'), ...certificates] })
  } catch (cause) {
    throw refusal(`The file ${file} has a certificate that cannot be read.`, cause)
  }
}

async function readText(file: string): Promise<string> {
  try {
    const found = await stat(file)
    // Files below /proc report size 0 and can be endless.
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
