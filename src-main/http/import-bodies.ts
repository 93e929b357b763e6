import type { Socket } from 'node:net'
import { failureCodes } from '#main/importing/failure-codes.ts'
import { createJobRunner, JobFailure } from '#main/lib/jobs/job-runner.ts'
import { workerUrl } from '#main/lib/jobs/worker-url.ts'
import { ServiceError } from '#shared/errors.ts'
import type { ImportBody, ImportBodyJob } from './import-body.ts'

export type ImportBodies = ReturnType<typeof createImportBodies>

/** Reads the bodies of imports in a worker thread, which the first one starts. */
export function createImportBodies() {
  const runner = createJobRunner<ImportBodyJob, ImportBody>({
    entry: workerUrl('import-body-worker', import.meta.url),
    name: 'bodies',
    cpuLimitMs: 10_000,
    // A body of 40 MiB becomes a string of up to 80 MiB, and its document another one. With few values beside it, nothing
    // else grows.
    memoryLimitMb: 512,
    // Each is a body of up to 40 MiB.
    maxWaiting: 8,
    idleMs: 30_000,
  })
  return {
    /**
     * Reads a body.
     *
     * @param pieces are moved to the thread.
     * @param socket of the request; when it closes, the body is not needed.
     * @throws ServiceError those of `readImportBody`, `imports_busy`, `import_timed_out`, `import_too_complex`.
     */
    async read(
      pieces: readonly Buffer[],
      contentType: string | undefined,
      socket: Socket,
    ): Promise<ImportBody> {
      const caller = new AbortController()
      const leave = () => caller.abort()
      socket.once('close', leave)
      try {
        const buffers = pieces.flatMap(({ buffer }) => (buffer instanceof ArrayBuffer ? [buffer] : []))
        return await runner.run({ pieces, contentType }, caller.signal, buffers)
      } catch (cause) {
        if (cause instanceof JobFailure) throw new ServiceError(failureCodes[cause.reason], { cause })
        throw cause
      } finally {
        socket.off('close', leave)
      }
    },
    stop: () => runner.stop(),
  }
}
