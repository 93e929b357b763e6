/** The worker thread that copies a database into the files of a backup. */
import { serveJobs } from '#main/lib/jobs/serve-jobs.ts'
import { writeRows } from '../local/rows/write-rows.ts'
import { connectorTo } from './connect.ts'
import { exportRows } from './export-rows.ts'

export type CopyJob = {
  readonly url: string
  /** An empty folder. */
  readonly folder: string
}

/** Milliseconds without an answer: the server sorts whole tables first. */
const sortMs = 600_000

serveJobs(async ({ url, folder }: CopyJob) => {
  await writeRows(folder, exportRows(connectorTo(url, { silentMs: sortMs })))
  return null
})
