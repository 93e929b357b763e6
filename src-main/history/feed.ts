import { sequenceText } from '#main/lib/sequence.ts'

export type FeedOptions<Entry, Item> = {
  /** At most this many entries are kept. */
  readonly maxEntries: number
  /** And at most this weight in all. */
  readonly maxBytes: number
  /** About how much memory an entry keeps alive, in bytes. */
  weightOf(entry: Entry): number
  /** Makes what readers see; called when one reads. `id` and `at` (ISO 8601) are the item's own. */
  toItem(entry: Entry, id: string, at: string): Item
  /** What a reader is told that was slower than the ring and missed `count` entries. */
  toGap(count: number, id: string, at: string): Item
  readonly storage: EntryStorage<Entry>
  /** Grows, and goes on growing after a restart, so that a reader can resume. */
  nextSequence(): number
  /** Milliseconds since 1970. */
  clock(): number
}

export type Feed<Entry, Item> = {
  /**
   * Adds an entry; returns the number of its item, whose text is the item's id.
   *
   * @param at when it happened, in milliseconds since 1970. @param number must grow.
   */
  add(entry: Entry, at?: number, number?: number): number
  /**
   * What is kept (only what came after `lastId`, unless that is null), then what happens from now on,
   * until the signal aborts.
   *
   * @param matches chooses entries.
   */
  follow(options: {
    matches(entry: Entry): boolean
    lastId: string | null
    signal?: AbortSignal | undefined
  }): AsyncGenerator<Item>
}

/** Where the ring keeps its entries, by slot. A slot is put, got any number of times, dropped, and put again. */
export type EntryStorage<Entry> = {
  put(slot: number, entry: Entry): void
  get(slot: number): Entry
  drop(slot: number): void
}

/**
 * The feed: a bounded ring in memory (decisions: activity). Readers hold a position in
 * the ring and no queue of their own, so a slow one costs nothing.
 */
export function createFeed<Entry, Item>(options: FeedOptions<Entry, Item>): Feed<Entry, Item> {
  const { maxEntries, maxBytes, weightOf, toItem, toGap, storage, nextSequence, clock } = options
  // Typed, so that adding leaves no object behind that lives long enough to burden the collector.
  const sequences = new Float64Array(maxEntries)
  const times = new Float64Array(maxEntries)
  const weights = new Float64Array(maxEntries)
  /** How many were ever added, and dropped; those kept are [dropped, added). */
  let added = 0
  let dropped = 0
  let bytes = 0
  let waiting = new Set<() => void>()

  const slotOf = (position: number) => position % maxEntries
  const idAt = (position: number) => sequenceText(sequences[slotOf(position)] ?? 0)
  const timeAt = (position: number) => new Date(times[slotOf(position)] ?? 0).toISOString()

  function dropOldest(): void {
    const slot = slotOf(dropped)
    bytes -= weights[slot] ?? 0
    storage.drop(slot)
    dropped++
  }

  /** The first position after the item of this id. */
  function positionAfter(lastId: string): number {
    let position = dropped
    while (position < added && idAt(position) <= lastId) position++
    return position
  }

  return {
    add(entry, at = clock(), number = nextSequence()) {
      const weight = weightOf(entry)
      while (added > dropped && (added - dropped >= maxEntries || bytes + weight > maxBytes)) dropOldest()
      const slot = slotOf(added)
      sequences[slot] = number
      times[slot] = at
      weights[slot] = weight
      storage.put(slot, entry)
      added++
      bytes += weight
      if (waiting.size === 0) return number
      const woken = waiting
      waiting = new Set()
      for (const wake of woken) wake()
      return number
    },
    async *follow({ matches, lastId, signal }) {
      let wake = () => {}
      signal?.addEventListener('abort', () => wake(), { once: true })
      let position = lastId === null ? dropped : positionAfter(lastId)
      while (signal?.aborted !== true) {
        if (position < dropped && dropped < added) {
          const before = sequenceText((sequences[slotOf(dropped)] ?? 0) - 1)
          yield toGap(dropped - position, before, timeAt(dropped))
          position = Math.max(position, dropped)
        }
        if (position >= dropped && position < added) {
          const entry = storage.get(slotOf(position))
          const [id, at] = [idAt(position), timeAt(position)]
          position++
          if (matches(entry)) yield toItem(entry, id, at)
          continue
        }
        await new Promise<void>(resolve => {
          wake = () => {
            waiting.delete(resolve)
            resolve()
          }
          waiting.add(resolve)
        })
      }
    },
  }
}
