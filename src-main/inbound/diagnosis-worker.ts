/** The thread that looks for the mistake behind a refused request: a large body takes it up to a second. */
import { serveJobs } from '#main/lib/jobs/serve-jobs.ts'
import { diagnose } from '#main/signing/diagnose.ts'
import type { DiagnosisJob } from './diagnoser.ts'

serveJobs(({ rawBody, ...clues }: DiagnosisJob) =>
  // A Buffer crosses threads as the bytes that it is made of.
  diagnose({ ...clues, rawBody: Buffer.from(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength) }),
)
