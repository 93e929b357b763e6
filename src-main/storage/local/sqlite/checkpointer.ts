import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { integer } from './stored-text.ts'

/** A checkpoint starts at this many pages of the write-ahead log. */
const worthwhile = 1000

/**
 * At this many pages, the writer is asked to finish the checkpoint. That takes it about 2 ms, so it is rare enough not
 * to affect the 99th percentile of commits, and it keeps the log at about 64 MiB.
 */
const longEnough = 16_000

/**
 * Copies the write-ahead log into the database while the writer continues. The log restarts only if all of it has been
 * copied when a write begins. Under endless load that never happens, so the writer is asked to copy the last pages
 * between two batches.
 */
export class Checkpointer {
  readonly #database
  readonly #state
  readonly #passive
  readonly #askWriter

  constructor(file: string, askWriter: () => void) {
    this.#database = new DatabaseSync(file, { timeout: 0 })
    this.#database.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -1000')
    this.#state = this.#database.prepare('PRAGMA wal_checkpoint(NOOP)')
    this.#passive = this.#database.prepare('PRAGMA wal_checkpoint(PASSIVE)')
    this.#askWriter = askWriter
  }

  /** Copies the waiting pages if there are enough. */
  step(): void {
    if (pages(this.#state.get()).waiting < worthwhile) return
    // The result describes the beginning of the checkpoint; a busy writer has continued since.
    if (pages(this.#passive.get()).length >= longEnough) this.#askWriter()
  }

  close(): void {
    this.#database.close()
  }
}

/** Returns the pages in the log, and how many of them are not copied yet. */
function pages(row: Record<string, SQLOutputValue> | undefined): { waiting: number; length: number } {
  const length = integer(row?.log)
  return { waiting: length - integer(row?.checkpointed), length }
}
