/** The maximum that one page of a search may check. */
export type SearchBounds = {
  readonly rows: number
  /** UTF-16 units of their texts. */
  readonly text: number
  /** Milliseconds, other work of the thread included. */
  readonly ms: number
}

/** So that a page is answered within 300 ms at the 99th percentile, also while others are read. */
export const searchBounds: SearchBounds = { rows: 200_000, text: 64 * 1024 * 1024, ms: 80 }

/** Milliseconds after which other requests get their turn. */
const sliceMs = 4
/** Rows between two looks at the clock. */
const rowsPerLook = 16

/** Counts what a page has checked. */
export class SearchBudget {
  readonly #bounds
  readonly #until
  #sliceEndsAt
  #visited = 0
  #text = 0
  /** Rows that were checked. */
  count = 0
  isOver = false
  /** Whether other requests should get their turn. */
  isSliceOver = false

  constructor(bounds: SearchBounds) {
    this.#bounds = bounds
    const now = performance.now()
    this.#until = now + bounds.ms
    this.#sliceEndsAt = now + sliceMs
  }

  /** Counts a row, and the length of its text. @param isOther for a row that is not among those that are searched. */
  add(text: number, isOther = false): void {
    this.#visited++
    this.#text += text
    if (!isOther) this.count++
    const { rows, text: mostText } = this.#bounds
    if (this.#visited >= rows || this.#text >= mostText) this.isOver = true
    // A long text takes as long as many rows.
    if (this.#visited % rowsPerLook !== 0 && text < 4096) return
    const now = performance.now()
    if (now >= this.#until) this.isOver = true
    if (now >= this.#sliceEndsAt) this.isSliceOver = true
  }

  /** Begins a new slice. */
  resume(): void {
    this.isSliceOver = false
    this.#sliceEndsAt = performance.now() + sliceMs
  }
}
