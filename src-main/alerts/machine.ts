import { X509Certificate } from 'node:crypto'
import { statfs } from 'node:fs/promises'
import type { TlsFiles } from '#main/lib/tls-files.ts'
import type { NodeReport } from '#main/storage/nodes.ts'

const everyMs = 15_000

/** Watches the disk of a folder and the certificate of the listener, for the report of this node. */
export function watchMachine(folder: string, tls: Pick<TlsFiles, 'current'> | null) {
  let disk: NodeReport['disk'] = null
  async function look(): Promise<void> {
    // On some file systems the numbers are not known.
    disk = await statfs(folder).then(
      ({ bavail, blocks, bsize }) => ({ free: bavail * bsize, size: blocks * bsize }),
      () => null,
    )
  }
  void look()
  const timer = setInterval(() => void look(), everyMs).unref()
  let known = { cert: '', endsAt: '' }
  function certificateEndsAt(): string | null {
    if (tls === null) return null
    const { cert } = tls.current()
    if (cert !== known.cert) known = { cert, endsAt: new X509Certificate(cert).validToDate.toISOString() }
    return known.endsAt
  }
  return {
    report: (): Pick<NodeReport, 'disk' | 'certificateEndsAt'> => ({
      disk,
      certificateEndsAt: certificateEndsAt(),
    }),
    stop: () => clearInterval(timer),
  }
}
