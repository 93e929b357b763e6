import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { integer } from './stored-text.ts'

/** Pages of the write-ahead log that are worth a checkpoint. */
const worthwhile = 1000

/**
 * Pages in the log from which on the writer is asked to finish. Its part takes it about 2 ms, so this is far enough
 * apart to leave the 99th percentile of commits alone, and keeps the log at some 64 MiB.
 */
const longEnough = 16_000

/**
 * Copies the write-ahead log into the database beside the writer, which never waits for it. The log starts
 * anew only when all of it has been copied as a write begins; under endless load that moment never comes
 * by itself, so the writer is asked to copy the last pages between two batches.
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

  /** Copies what waits, when it is worth while. */
  step(): void {
    if (pages(this.#state.get()).waiting < worthwhile) return
    // What is reported is what there was at its beginning: a busy writer has gone on by now.
    if (pages(this.#passive.get()).length >= longEnough) this.#askWriter()
  }

  close(): void {
    this.#database.close()
  }
}

/** What SQLite answers to a checkpoint: pages in the log, and those of them not yet copied. */
function pages(row: Record<string, SQLOutputValue> | undefined): { waiting: number; length: number } {
  const length = integer(row?.log)
  return { waiting: length - integer(row?.checkpointed), length }
}
