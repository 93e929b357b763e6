/** The workflows that some events start, and the records of these events that have pending runs. */
export type List = {
  readonly id: number
  readonly members: readonly Member[]
  /** The ids of the records, growing. The first has the position `offset`; those before `first` are deleted already. */
  records: number[]
  offset: number
  first: number
}

/** A workflow of a list: how far the list's records have become its runs. Positions count all records of the list. */
export class Member {
  readonly list: List
  readonly index: number
  readonly lane: string
  /** The runs of all records before this position are stored. */
  passed = 0
  /** The first position that was not claimed; at least `passed`. */
  next = 0
  /** The records from `passed` on whose runs are stored, and how many of them are at `next` or later. */
  readonly early = new Set<number>()
  earlyPending = 0

  constructor(list: List, index: number, lane: string) {
    this.list = list
    this.index = index
    this.lane = lane
  }

  /** The number of pending runs: those that are neither stored nor claimed. */
  get pending(): number {
    return endOf(this.list) - this.next - this.earlyPending
  }
}

export const endOf = ({ offset, records }: List) => offset + records.length
export const recordAt = ({ offset, records }: List, position: number) =>
  records[position - offset] ?? Number.NaN

/** Returns the position after a record, or after the last one before it. */
export const positionAfter = ({ offset, records }: List, record: number) =>
  offset + countBelow(records, record + 1)

/** Returns how many of some growing numbers are below a limit. */
export function countBelow(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((numbers[middle] ?? limit) < limit) low = middle + 1
    else high = middle
  }
  return low
}

/** Releases the memory of deleted records, once there are as many as others: each time costs as much as all of them. */
export function trim(list: List): void {
  const deleted = list.first - list.offset
  if (deleted * 2 < list.records.length) return
  list.records = list.records.slice(deleted)
  list.offset = list.first
}

/** Returns the entries of a stored list; null for a text that is none. */
export function entriesOf(text: string): unknown[] | null {
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) ? list : null
  } catch {
    return null
  }
}
