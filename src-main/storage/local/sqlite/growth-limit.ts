import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { EventLogThreadOptions } from './protocol.ts'
import { integer } from './stored-text.ts'

/** SQLite's own limit. */
const mostPages = 0xfffffffe
/** Free pages in the database from which on it takes events again. */
const enoughPages = 16
/** Milliseconds between two looks at the disk. */
const lookEvery = 1000

/**
 * Keeps a log that has filled its disk from growing: new events then go into the pages that deleting has freed, and
 * what room there is on the disk is left for deleting. It may grow again once there is room.
 */
export type GrowthLimit = {
  /** The disk is full: the file keeps its size. */
  stop(): void
  /** Before events are written: lets the file grow again if there is room. */
  allow(): void
  /** @throws an error where the next event would find no room. */
  throwIfFull(): void
}

export function createGrowthLimit(
  database: DatabaseSync,
  { file, maxPages, roomToGrow }: Pick<EventLogThreadOptions, 'file' | 'maxPages' | 'roomToGrow'>,
): GrowthLimit {
  const pragma = (name: string) => {
    const row = database.prepare(`PRAGMA ${name}`).get()
    return integer(Object.values(row ?? {})[0])
  }
  let isStopped = false
  let lookedAt = Number.NEGATIVE_INFINITY

  function allow(): void {
    if (!isStopped || performance.now() - lookedAt < lookEvery) return
    lookedAt = performance.now()
    const { bavail, bsize } = statfsSync(dirname(file))
    if (bavail * bsize < roomToGrow) return
    isStopped = false
    database.exec(`PRAGMA max_page_count = ${maxPages ?? mostPages}`)
  }

  return {
    stop() {
      if (isStopped) return
      isStopped = true
      lookedAt = performance.now()
      database.exec(`PRAGMA max_page_count = ${pragma('page_count')}`)
    },
    allow,
    throwIfFull() {
      allow()
      if (isStopped && pragma('freelist_count') < enoughPages)
        throw new Error('The disk is full, and the event log has no free pages.')
    },
  }
}
