import { DatabaseSync } from 'node:sqlite'
import { integer } from './stored-text.ts'

/** Pages of the write-ahead log that are worth a checkpoint. */
const worthwhile = 1000

/** Pages left over that the writer may copy itself, which takes it about a millisecond. */
const nearlyNothing = 400

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

  /** @param least pages waiting for which to do anything. */
  step(least = worthwhile): void {
    const before = this.#pages(this.#state)
    if (before.waiting < least) return
    const after = this.#pages(this.#passive)
    if (after.waiting > 0 && after.waiting < nearlyNothing) this.#askWriter()
  }

  close(): void {
    this.#database.close()
  }

  #pages(statement: { get(): Record<string, unknown> | undefined }): { waiting: number } {
    const row = statement.get()
    return { waiting: integer(row?.log) - integer(row?.checkpointed) }
  }
}
