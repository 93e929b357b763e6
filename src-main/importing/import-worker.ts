/** The thread that reads and plans imports: a hostile document keeps it busy, and nothing else. */
import { serveJobs } from '#main/lib/jobs/serve-jobs.ts'
import { runImportJob } from './import-job.ts'

serveJobs(runImportJob)
