import { createJobRunner, JobFailure } from '#main/lib/jobs/job-runner.ts'
import { workerUrl } from '#main/lib/jobs/worker-url.ts'
import { ServiceError } from '#shared/errors.ts'
import type { SenderTrial } from '#shared/model/sender/sender-trial.ts'
import type { TrialJob } from './try-sender.ts'

export type Trials = ReturnType<typeof createTrials>

/** Tries senders with captured requests, in a worker thread that the first one starts. */
export function createTrials() {
  const runner = createJobRunner<TrialJob, SenderTrial>({
    entry: workerUrl('trial-worker', import.meta.url),
    name: 'trials',
    cpuLimitMs: 5000,
    memoryLimitMb: 128,
    // Each holds its body of up to 1 MiB, and the requests that are kept.
    maxWaiting: 8,
    idleMs: 30_000,
  })
  return {
    /** @throws ServiceError `invalid_input` for a text that is not a request, and `verification_busy`. */
    async run(job: TrialJob, signal?: AbortSignal): Promise<SenderTrial> {
      try {
        return await runner.run(job, signal)
      } catch (cause) {
        if (cause instanceof JobFailure) throw new ServiceError('verification_busy', { cause })
        throw cause
      }
    },
    stop: () => runner.stop(),
  }
}
