/** The worker thread that tries senders: a diagnosis takes up to a second, and a pasted text may be hostile. */
import { serveJobs } from '#main/lib/jobs/serve-jobs.ts'
import { trySender } from './try-sender.ts'

serveJobs(trySender)
