import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { integer } from '../../rows/stored-text.ts'
import type { Indexer } from './indexer.ts'
import { shared } from './protocol.ts'

/** Milliseconds between two checks of the writer, while it is busy and while it is idle. */
const busyEvery = 20
const quietEvery = 250

/** Milliseconds until the next attempt after a failure. */
const retryAfter = 5000

/** Milliseconds between two steps of indexing while nothing is written. */
const breath = 1

/**
 * At more rows per second, or more text in UTF-16 units, indexing slows down and leaves the processor to the listener and
 * the writer. Indexing a row takes 40 µs, and up to 90 µs for each thousand characters.
 */
const manyRows = 2000
const muchText = 2 * 1024 * 1024

/** Milliseconds over which these rates are measured. In a shorter time, a commit that waits for the disk looks like a pause. */
const rateOver = 500

/** Milliseconds between two steps of indexing under such load: so few cost the listener nothing that can be measured. */
const slowlyEvery = 5000

/**
 * The background work of the reader thread: checkpoints and the index.
 *
 * Indexing a row takes at least three times as long as storing it. So under endless load, the index falls behind, by up
 * to the retention (10,000 events of a connection by default). It catches up when the load ends.
 */
export class Background {
  readonly #counters
  readonly #checkpointer
  readonly #indexer
  readonly #onFailure
  #timer: NodeJS.Timeout
  #written: Written
  #isTooBusy = false
  #indexedAt = Number.NEGATIVE_INFINITY
  #measuredAt = performance.now()
  #measured: Written

  /** @param file of the log. @param counters shared with the writer. */
  constructor(
    file: string,
    counters: Int32Array,
    indexer: Pick<Indexer, 'step'>,
    onFailure: (error: unknown) => void,
  ) {
    this.#counters = counters
    const askWriter = () => Atomics.store(counters, shared.finishCheckpoint, 1)
    this.#checkpointer = new Checkpointer(file, askWriter)
    this.#indexer = indexer
    this.#onFailure = onFailure
    this.#written = writtenBy(counters)
    this.#measured = this.#written
    this.#timer = setTimeout(this.#check, breath)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#checkpointer.close()
  }

  readonly #check = () => {
    this.#timer = setTimeout(this.#check, this.#work())
  }

  /** Returns the milliseconds until the next check. */
  #work(): number {
    const written = writtenBy(this.#counters)
    const hasWritten = written.rows !== this.#written.rows
    this.#written = written
    this.#measure(written)
    try {
      this.#checkpointer.step()
      const more = this.#index()
      if (hasWritten) return busyEvery
      return more ? breath : quietEvery
    } catch (error) {
      this.#onFailure(error)
      return retryAfter
    }
  }

  /** Does a step of indexing, unless it is too early under load. Returns whether there is more to do. */
  #index(): boolean {
    const now = performance.now()
    if (this.#isTooBusy && now < this.#indexedAt + slowlyEvery) return false
    this.#indexedAt = now
    return this.#indexer.step(Atomics.load(this.#counters, shared.rowsDeleted))
  }

  #measure(written: Written): void {
    const elapsed = performance.now() - this.#measuredAt
    const seconds = Math.max(elapsed, rateOver) / 1000
    // The counters are Int32, which wrap.
    const rows = (written.rows - this.#measured.rows) | 0
    const text = (written.text - this.#measured.text) | 0
    const isTooBusy = rows >= manyRows * seconds || text >= muchText * seconds
    // The begin of a load is seen at once, its end only after a whole measurement.
    if (!isTooBusy && elapsed < rateOver) return
    this.#isTooBusy = isTooBusy
    this.#measuredAt += elapsed
    this.#measured = written
  }
}

/** The rows and text that the writer has ever committed, modulo 2^32. */
type Written = { readonly rows: number; readonly text: number }

function writtenBy(counters: Int32Array): Written {
  return {
    rows: Atomics.load(counters, shared.rowsWritten),
    text: Atomics.load(counters, shared.textWritten),
  }
}

/** A checkpoint starts at this many pages of the write-ahead log. */
const worthwhile = 1000

/**
 * At this many pages of the write-ahead log (16 MiB), the writer is asked to finish the checkpoint, which takes it about
 * 2 ms. This is rare enough not to affect the 99th percentile of commits. And it is early enough: a commit takes half as
 * long once the log has restarted, because it overwrites the file instead of extending it.
 */
const longEnough = 4000

/**
 * Copies the write-ahead log into the database while the writer continues. The log restarts only if all of it has been
 * copied when a write begins. Under endless load that never happens, so the writer is asked to copy the last pages
 * between two batches.
 */
class Checkpointer {
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
