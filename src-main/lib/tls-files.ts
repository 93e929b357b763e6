import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { ServiceError } from '#shared/errors.ts'
import { createBus } from './bus.ts'

type CertificateAndKey = { readonly cert: string; readonly key: string }

/** A certificate and its key, reloaded when their files change. */
export type TlsFiles = ReturnType<typeof openTlsFiles>

/**
 * Loads a certificate and its key, and watches both files. It polls, because a renewal can replace a file, a link
 * to it, or its folder. While the two files do not match (a renewal writes one first), the old pair stays in use.
 *
 * @param onProblem receives the reason why a changed pair is not used.
 * @param pollMs milliseconds between two looks at the files.
 * @throws ServiceError `invalid_certificate` if the pair is unusable at the start.
 */
export function openTlsFiles(
  certFile: string,
  keyFile: string,
  onProblem: (error: ServiceError) => void,
  pollMs = 1000,
) {
  let current = read(certFile, keyFile)
  const report = (error: unknown) =>
    onProblem(
      error instanceof ServiceError ? error : new ServiceError('invalid_certificate', { cause: error }),
    )
  const changes = createBus<CertificateAndKey>(report)

  function reread(): void {
    try {
      const next = read(certFile, keyFile)
      if (next.cert === current.cert && next.key === current.key) return
      current = next
      changes.publish(next)
    } catch (error) {
      report(error)
    }
  }
  const files = [certFile, keyFile]
  for (const file of files) watchFile(file, { interval: pollMs, persistent: false }, reread)

  return {
    current: () => current,
    /** @returns the function that ends the subscription. */
    onChange: changes.subscribe,
    close() {
      for (const file of files) unwatchFile(file, reread)
    },
  }
}

function read(certFile: string, keyFile: string): CertificateAndKey {
  try {
    const files = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') }
    // Without a certificate or a key, it makes a context that refuses every handshake.
    if (files.cert === '') throw new Error(`${certFile} is empty`)
    if (files.key === '') throw new Error(`${keyFile} is empty`)
    createSecureContext(files)
    return files
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ServiceError('invalid_certificate', {
      detail: `The TLS certificate or key cannot be used: ${reason}`,
      cause: error,
    })
  }
}
