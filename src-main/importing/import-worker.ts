/** The worker thread that reads and plans imports, so that a hostile document keeps only this thread busy. */
import { serveJobs } from '#main/lib/jobs/serve-jobs.ts'
import { runImportJob } from './import-job.ts'

serveJobs(runImportJob)
