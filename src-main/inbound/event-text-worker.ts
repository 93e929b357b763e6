/** The worker thread that reads large events: one of 1 MiB with 60,000 fields takes 200 ms. */
import { serveJobs } from '#main/lib/jobs/serve-jobs.ts'
import { readEvent } from './event-text.ts'

serveJobs(readEvent)
