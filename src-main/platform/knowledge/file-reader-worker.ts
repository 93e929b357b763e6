/** The worker thread that reads files, so that a hostile one keeps only this thread busy. */
import { serveJobs } from '#main/lib/jobs/serve-jobs.ts'
import { readKnowledgeFile } from './read-file.ts'

serveJobs(readKnowledgeFile)
