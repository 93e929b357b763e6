/** How far a page of a search has looked that ended before it was full, and before the end. */
export type Searched = {
  /** How many were looked at. */
  readonly count: number
  /** Whether the index of the log lacks some of them, so that they were read one by one. */
  readonly isIndexing: boolean
}
