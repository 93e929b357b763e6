import type { Checkpointer } from './checkpointer.ts'
import type { Indexer } from './indexer.ts'
import { shared } from './protocol.ts'

/** Milliseconds between two checks of the writer, while it is busy and while it is idle. */
const busyEvery = 20
const quietEvery = 250

/** Milliseconds until the next attempt after a failure. */
const retryAfter = 5000

/** Milliseconds between two steps of indexing while nothing is written. */
const breath = 1

/** At more rows per second, the index waits and leaves the processor to the writer. */
const tooBusy = 5000

/**
 * The background work of the reader thread: checkpoints and the index.
 *
 * The index waits while more than `tooBusy` rows a second are written, because indexing a row takes three times as long
 * as storing it. So under endless load, the part that searches check row by row grows up to the retention (10,000 events
 * of a connection by default, which take a few ms; a million takes about a second). It shrinks when the load does.
 */
export class Background {
  readonly #counters
  readonly #checkpointer
  readonly #indexer
  readonly #onFailure
  #timer: NodeJS.Timeout
  #rows: number
  #checkedAt = performance.now()

  constructor(
    counters: Int32Array,
    checkpointer: Checkpointer,
    indexer: Indexer,
    onFailure: (error: unknown) => void,
  ) {
    this.#counters = counters
    this.#checkpointer = checkpointer
    this.#indexer = indexer
    this.#onFailure = onFailure
    this.#rows = Atomics.load(counters, shared.rowsWritten)
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
    const rows = Atomics.load(this.#counters, shared.rowsWritten)
    const written = (rows - this.#rows) | 0
    const now = performance.now()
    const perSecond = (written / (now - this.#checkedAt)) * 1000
    this.#rows = rows
    this.#checkedAt = now
    try {
      this.#checkpointer.step()
      const deleted = Atomics.load(this.#counters, shared.rowsDeleted)
      const more = perSecond < tooBusy && this.#indexer.step(deleted)
      if (written > 0) return busyEvery
      return more ? breath : quietEvery
    } catch (error) {
      this.#onFailure(error)
      return retryAfter
    }
  }
}
