/** The worker thread that reads and plans imports, so that a hostile document keeps only this thread busy. */
import { serveJobs } from '#main/lib/jobs/serve-jobs.ts'
import { type ImportJob, runImportJob } from './import-job.ts'

const encoder = new TextEncoder()

serveJobs(async (job: ImportJob) => encoder.encode(runImportJob(job)))
