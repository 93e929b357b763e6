import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { integer } from '../../rows/stored-text.ts'
import { sizeOf } from './files.ts'
import type { EventLogThreadOptions } from './protocol.ts'

/** SQLite's own limit. */
const mostPages = 0xfffffffe
/** With this many free pages, the database accepts events again. */
const enoughPages = 16
/** Bytes of a page that an event can use, and of a page in the write-ahead log. */
const usablePageBytes = 4092
const pageInLogBytes = 4096 + 24
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
  /** Returns the free bytes of the disk. */
  function freeBytes(): number {
    const { bavail, bsize } = statfsSync(dirname(file))
    return bavail * bsize
  }

  /** Returns the bytes of the write-ahead log that the next events overwrite. */
  function reusableBytes(): number {
    const size = sizeOf(`${file}-wal`) ?? 0
    const state = database.prepare('PRAGMA wal_checkpoint(NOOP)').get()
    const used = integer(state?.log)
    return used <= integer(state?.checkpointed) ? size : Math.max(0, size - used * pageInLogBytes)
  }

  let isStopped = false
  let checkedAt = Number.NEGATIVE_INFINITY

  /** Lets the file grow again if the disk has space; call it before writing events. */
  function allow(): void {
    if (!isStopped || performance.now() - checkedAt < checkEvery) return
    checkedAt = performance.now()
    if (freeBytes() < roomToGrow) return
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
    /** @throws Error if there is no space for the next event, or for one with a body of so many bytes. */
    throwIfFull(bytes: number) {
      allow()
      const pages = bytes === 0 ? 0 : Math.ceil(bytes / usablePageBytes)
      const unused = pragma('max_page_count') - pragma('page_count')
      if ((isStopped || maxPages !== null) && pragma('freelist_count') + unused < pages + enoughPages)
        throw new Error('The disk is full, and the event log has too few free pages.')
      if (bytes > 0 && freeBytes() + reusableBytes() < (pages + enoughPages) * pageInLogBytes)
        throw new Error('The disk has no room for an event of this size.')
    },
  }
}
