import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Creates a folder of mode 0700 in the system's folder for temporary files. A signal that ends the process also removes
 * it, because it contains data and may be large.
 */
export async function temporaryFolder(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'custom-connection-'))
  const onSignal = (signal: NodeJS.Signals) => {
    rmSync(path, { recursive: true, force: true })
    // The listeners that are left decide how the process ends. Without any, it ends as if there had been none.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal)
  }
  for (const signal of signals) process.once(signal, onSignal)
  return {
    path,
    async remove() {
      for (const signal of signals) process.off(signal, onSignal)
      await rm(path, { recursive: true, force: true })
    },
  }
}

const signals = ['SIGINT', 'SIGTERM'] as const
