import type { Checkpointer } from './checkpointer.ts'
import type { Indexer } from './indexer.ts'
import { shared } from './protocol.ts'

/** Milliseconds between two looks at what the writer has done: while it writes, and while it does not. */
const busyEvery = 20
const quietEvery = 250

/** Milliseconds until the next try after something failed. */
const retryAfter = 5000

/** Milliseconds to wait between two steps of indexing while nothing is written. */
const breath = 1

/** Rows per second from which on the processor is left to the writer, and the index waits. */
const tooBusy = 5000

/**
 * What the reader thread does unasked: checkpoints, and the index.
 *
 * The index waits while more than `tooBusy` rows a second are written: it takes three times as long to
 * index a row as to store it. So under endless load the part that searches look at row by row grows, at most to the
 * number of events that the retention allows (10,000 of a connection by default: a few ms; about one second
 * for each million), and shrinks as soon as the load does.
 */
export class Background {
  readonly #counters
  readonly #checkpointer
  readonly #indexer
  readonly #onFailure
  #timer: NodeJS.Timeout
  #rows: number
  #lookedAt = performance.now()

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
    this.#timer = setTimeout(this.#look, breath)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#checkpointer.close()
  }

  readonly #look = () => {
    this.#timer = setTimeout(this.#look, this.#work())
  }

  /** @returns milliseconds until the next look. */
  #work(): number {
    const rows = Atomics.load(this.#counters, shared.rowsWritten)
    const written = (rows - this.#rows) | 0
    const now = performance.now()
    const perSecond = (written / (now - this.#lookedAt)) * 1000
    this.#rows = rows
    this.#lookedAt = now
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
