import type { JobFailureReason } from '#main/lib/jobs/job-runner.ts'
import type { ErrorCode } from '#shared/errors.ts'

/** The error of an import whose worker has no result. */
export const failureCodes: Readonly<Record<JobFailureReason, ErrorCode>> = {
  busy: 'imports_busy',
  timed_out: 'import_timed_out',
  out_of_memory: 'import_too_complex',
  // The caller has disconnected, so nobody reads this.
  aborted: 'imports_busy',
  stopped: 'storage_unavailable',
  died: 'internal_error',
}
