/** The worker thread that diagnoses refused requests. A large body takes up to a second. */
import { serveJobs } from '#main/lib/jobs/serve-jobs.ts'
import { diagnose } from '#main/signing/diagnose.ts'
import type { DiagnosisJob } from './diagnoser.ts'

serveJobs(({ rawBody, ...clues }: DiagnosisJob) =>
  // A Buffer arrives in another thread as a plain Uint8Array.
  diagnose({ ...clues, rawBody: Buffer.from(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength) }),
)
