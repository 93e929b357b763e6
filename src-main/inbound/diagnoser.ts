import { createJobRunner } from '#main/lib/jobs/job-runner.ts'
import { workerUrl } from '#main/lib/jobs/worker-url.ts'
import type { DiagnosisRequest } from '#main/signing/diagnose.ts'
import type { OtherConnection } from '#main/signing/suspects.ts'
import type { Diagnosis } from '#shared/model/diagnosis.ts'

/** A diagnosis to be made, as it crosses threads. The secrets stay in memory. */
export type DiagnosisJob = Omit<DiagnosisRequest, 'rawBody' | 'otherConnections'> & {
  readonly rawBody: Uint8Array
  readonly otherConnections: readonly OtherConnection[]
}

export type Diagnoser = {
  /** Returns the diagnosis; rejects when too many wait or it takes too long. */
  diagnose(job: DiagnosisJob): Promise<Diagnosis>
  stop(): Promise<void>
}

/**
 * Starts a worker thread for diagnoses with the first of them. It is not the one of imports, so that neither
 * waits for the other. Of a flood the newest are dropped; those with a small body are made up for later.
 */
export function createDiagnoser(): Diagnoser {
  const runner = createJobRunner<DiagnosisJob, Diagnosis>({
    entry: workerUrl('diagnosis-worker', import.meta.url),
    name: 'diagnoses',
    timeLimitMs: 5000,
    memoryLimitMb: 128,
    maxWaiting: 20,
    idleMs: 30_000,
  })
  return { diagnose: job => runner.run(job), stop: runner.stop }
}
