/** The worker thread that reads the large bodies of imports: parsing one keeps a thread busy for up to a second. */
import { serveJobs } from '#main/lib/jobs/serve-jobs.ts'
import { readImportBody } from './import-body.ts'

serveJobs(readImportBody)
