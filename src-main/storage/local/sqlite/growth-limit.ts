import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { EventLogThreadOptions } from './protocol.ts'
import { integer } from './stored-text.ts'

/** SQLite's own limit. */
const mostPages = 0xfffffffe
/** With this many free pages, the database accepts events again. */
const enoughPages = 16
/** Milliseconds between two checks of the disk. */
const checkEvery = 1000

/**
 * Prevents the event log from growing on a full disk. New events use the pages that deletions freed, and the free space
 * of the disk is left for deletions. The event log can grow again when there is enough space.
 */
export function createGrowthLimit(
  database: DatabaseSync,
  { file, maxPages, roomToGrow }: Pick<EventLogThreadOptions, 'file' | 'maxPages' | 'roomToGrow'>,
) {
  const pragma = (name: string) => {
    const row = database.prepare(`PRAGMA ${name}`).get()
    return integer(Object.values(row ?? {})[0])
  }
  let isStopped = false
  let checkedAt = Number.NEGATIVE_INFINITY

  /** Lets the file grow again if the disk has space; call it before writing events. */
  function allow(): void {
    if (!isStopped || performance.now() - checkedAt < checkEvery) return
    checkedAt = performance.now()
    const { bavail, bsize } = statfsSync(dirname(file))
    if (bavail * bsize < roomToGrow) return
    isStopped = false
    database.exec(`PRAGMA max_page_count = ${maxPages ?? mostPages}`)
  }

  return {
    /** Fixes the size of the file, because the disk is full. */
    stop() {
      if (isStopped) return
      isStopped = true
      checkedAt = performance.now()
      database.exec(`PRAGMA max_page_count = ${pragma('page_count')}`)
    },
    allow,
    /** @throws Error if there is no space for the next event. */
    throwIfFull() {
      allow()
      if (isStopped && pragma('freelist_count') < enoughPages)
        throw new Error('The disk is full, and the event log has no free pages.')
    },
  }
}
