import type { LogReader } from './log-reader.ts'
import type { IndexRow, TextIndex } from './text-index.ts'

/** Limits of one step, about 8 ms; text in UTF-16 units. */
const stepRows = 256
const stepText = 128 * 1024

/** Rows of the index that one step of a sweep checks. */
const sweepRows = 512

/** A sweep starts after this many deletions from the log, and this part of the index. */
const sweepAfter = 5_000
const sweepPart = 0.25

/**
 * Updates the index from the log in steps, and sweeps out rows that the log has deleted. A row that is pruned first is
 * never indexed.
 */
export class Indexer {
  readonly #reader
  readonly #index
  /** The position of the running sweep; null for none. */
  #sweptUpTo: number | null = -1
  #deletedBefore = 0
  /** The newest row when damage of the log last stopped the indexing; -1 for never. */
  #stuckAt = -1

  constructor(reader: LogReader, index: TextIndex) {
    this.#reader = reader
    this.#index = index
  }

  /**
   * Does one step. Returns whether there is more to do.
   *
   * @param deleted rows that were deleted from the log since the start.
   */
  step(deleted: number): boolean {
    if (this.#index.problem !== null) return false
    if (this.#addSome()) return true
    // The counter is an Int32, which wraps.
    const since = (deleted - this.#deletedBefore) | 0
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
    function* indexed(): Generator<IndexRow> {
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
    this.#index.add(indexed(), () => last)
    // Rows that cannot be indexed stay above the watermark, where searches check each row.
    this.#stuckAt = rows === 0 ? newest : -1
    return rows === stepRows || text >= stepText
  }

  /** Checks the next rows of the index and deletes those that the log no longer has. */
  #sweepSome(): boolean {
    if (this.#sweptUpTo === null) return false
    const entries = this.#index.entriesAbove(this.#sweptUpTo, sweepRows)
    this.#index.delete(entries.filter(({ seq }) => !this.#reader.has(seq)))
    this.#sweptUpTo = entries.length === sweepRows ? entries.at(-1)!.doc : null
    return this.#sweptUpTo !== null
  }
}
