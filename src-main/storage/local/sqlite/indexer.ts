import type { LogReader } from './log-reader.ts'
import type { IndexRow, TextIndex } from './text-index.ts'

/** What one step takes in at most: about 8 ms. Text in UTF-16 units. */
const stepRows = 256
const stepText = 128 * 1024

/** Rows of the index that one step of a sweep looks at. */
const sweepRows = 512

/** Deletions from the log that make a sweep worth while: this many, and this part of the index. */
const sweepAfter = 5_000
const sweepPart = 0.25

/**
 * Brings the index up to the log, step by step, and sweeps out what the log has deleted. A row that is
 * pruned before its turn is never indexed.
 */
export class Indexer {
  readonly #reader
  readonly #index
  /** Where the sweep under way has come to; null when there is none. */
  #sweptUpTo: number | null = -1
  #deletedBefore = 0
  /** The newest row when nothing more could be taken in, the log being damaged; -1 for no such time. */
  #stuckAt = -1

  constructor(reader: LogReader, index: TextIndex) {
    this.#reader = reader
    this.#index = index
  }

  /**
   * @param deleted rows deleted from the log since the start.
   * @returns whether there is more to do.
   */
  step(deleted: number): boolean {
    if (this.#addSome()) return true
    const since = deleted - this.#deletedBefore
    if (this.#sweptUpTo === null && since >= Math.max(sweepAfter, this.#index.rows * sweepPart)) {
      this.#sweptUpTo = -1
      this.#deletedBefore = deleted
    }
    return this.#sweepSome()
  }

  #addSome(): boolean {
    let last = this.#index.watermark
    let rows = 0
    let text = 0
    const source = this.#reader.rowsAbove(last, stepRows)
    function* taken(): Generator<IndexRow> {
      for (const row of source) {
        last = row.seq
        rows++
        text += row.body.length
        if (!row.hidden) yield row
        if (text >= stepText) return
      }
    }
    const newest = this.#reader.newestSeq()
    if (newest <= last || newest === this.#stuckAt) return false
    this.#index.add(taken(), () => last)
    // What cannot be taken in stays above the watermark, where searches look at each row.
    this.#stuckAt = rows === 0 ? newest : -1
    return rows === stepRows || text >= stepText
  }

  /** Walks over the index once, deleting what is no longer in the log. */
  #sweepSome(): boolean {
    if (this.#sweptUpTo === null) return false
    const entries = this.#index.entriesAbove(this.#sweptUpTo, sweepRows)
    this.#index.delete(entries.filter(({ seq }) => !this.#reader.has(seq)))
    this.#sweptUpTo = entries.length === sweepRows ? entries.at(-1)!.doc : null
    return this.#sweptUpTo !== null
  }
}
