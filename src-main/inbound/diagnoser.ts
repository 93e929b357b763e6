import { createJobRunner } from '#main/lib/jobs/job-runner.ts'
import { workerUrl } from '#main/lib/jobs/worker-url.ts'
import type { DiagnosisRequest } from '#main/signing/diagnose-proof.ts'
import type { OtherConnection } from '#main/signing/suspects.ts'
import type { Diagnosis } from '#shared/model/diagnosis.ts'

/** A request for a diagnosis in a form that can cross threads. */
export type DiagnosisJob = Omit<DiagnosisRequest, 'rawBody' | 'otherConnections'> & {
  readonly rawBody: Uint8Array
  readonly otherConnections: readonly OtherConnection[]
}

export type Diagnoser = {
  /** Returns the diagnosis. Rejects if too many wait or it takes too long. */
  diagnose(job: DiagnosisJob): Promise<Diagnosis>
  stop(): Promise<void>
}

/**
 * Makes diagnoses in a worker thread, which the first one starts. Imports have another worker, so neither waits for the
 * other. Rejects diagnoses when too many wait. Those of small bodies can be made later.
 */
export function createDiagnoser(): Diagnoser {
  const runner = createJobRunner<DiagnosisJob, Diagnosis>({
    entry: workerUrl('diagnosis-worker', import.meta.url),
    name: 'diagnoses',
    cpuLimitMs: 5000,
    memoryLimitMb: 128,
    maxWaiting: 20,
    idleMs: 30_000,
  })
  return { diagnose: job => runner.run(job), stop: runner.stop }
}
