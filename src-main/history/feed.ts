import { createBus } from '#main/lib/bus.ts'
import { followSources, type Source } from '#main/lib/follow-sources.ts'
import { sequenceText } from '#main/lib/sequence.ts'

export type FeedOptions<Entry, Item> = {
  /** Maximum number of entries that are kept. */
  readonly maxEntries: number
  /** Maximum weight of all entries. */
  readonly maxBytes: number
  /** Returns about how many bytes of memory an entry keeps alive. */
  weightOf(entry: Entry): number
  /** Converts an entry to an item when a reader reads it. `id` and `at` (ISO 8601) become fields of the item. */
  toItem(entry: Entry, id: string, at: string): Item
  /** Returns the item that tells a slow reader that it missed `count` entries. */
  toGap(count: number, id: string, at: string): Item
  readonly storage: EntryStorage<Entry>
  /** Returns growing numbers, also across restarts, so that a reader can resume. */
  nextSequence(): number
  /** Milliseconds since 1970. */
  clock(): number
}

type ReadOptions<Entry> = {
  /** Chooses entries. */
  matches(entry: Entry): boolean
  /** Skips the items up to this id; null reads all that are kept. */
  readonly lastId: string | null
}

export type Feed<Entry, Item> = {
  /**
   * Adds an entry.
   *
   * @param at when it happened, in milliseconds since 1970. @param number of its item; it grows with each entry, save for
   *   those of other nodes.
   */
  add(entry: Entry, at?: number, number?: number): void
  /** Returns a source of the kept and of all later items. @param wake is called after each new entry. */
  read(options: ReadOptions<Entry>, wake: () => void): Source<Item>
  /**
   * Yields the kept entries, newest first, without those that are added or dropped meanwhile.
   *
   * @param skips returns whether the entry of a slot is left out, without being read.
   */
  newestFirst(skips: (slot: number) => boolean): Generator<Entry>
  /** Yields the same items until the signal aborts. */
  follow(options: ReadOptions<Entry> & { readonly signal?: AbortSignal | undefined }): AsyncGenerator<Item>
}

/** Stores the entries of the ring by slot. A slot is put, read any number of times, dropped, and put again. */
export type EntryStorage<Entry> = {
  put(slot: number, entry: Entry): void
  get(slot: number): Entry
  drop(slot: number): void
}

/**
 * Creates a feed: a bounded ring buffer in memory. Readers have a position in the ring instead of a queue, so a slow
 * reader costs nothing.
 */
export function createFeed<Entry, Item>(options: FeedOptions<Entry, Item>): Feed<Entry, Item> {
  const { maxEntries, maxBytes, weightOf, toItem, toGap, storage, nextSequence, clock } = options
  // Typed arrays, because long-lived objects would burden the garbage collector.
  const sequences = new Float64Array(maxEntries)
  const times = new Float64Array(maxEntries)
  const weights = new Float64Array(maxEntries)
  /** How many were ever added and dropped; positions [dropped, added) are kept. */
  let added = 0
  let dropped = 0
  let bytes = 0
  // Listeners only wake readers and do not throw.
  const additions = createBus<void>(() => {})

  const slotOf = (position: number) => position % maxEntries
  const idAt = (position: number) => sequenceText(sequences[slotOf(position)] ?? 0)
  const timeAt = (position: number) => new Date(times[slotOf(position)] ?? 0).toISOString()

  function dropOldest(): void {
    const slot = slotOf(dropped)
    bytes -= weights[slot] ?? 0
    storage.drop(slot)
    dropped++
  }

  /** Returns the position after an item, or after those that are older if it is not kept. */
  function after(lastId: string): number {
    // The items of other nodes come late, so that an item may have a larger id than one that was read after it.
    for (let position = added - 1; position >= dropped; position--)
      if (idAt(position) === lastId) return position + 1
    let position = dropped
    while (position < added && idAt(position) <= lastId) position++
    return position
  }

  function read({ matches, lastId }: ReadOptions<Entry>, wake: () => void): Source<Item> {
    let position = lastId === null ? dropped : after(lastId)
    return {
      take() {
        if (position < dropped) {
          const missed = dropped - position
          position = dropped
          return toGap(missed, sequenceText((sequences[slotOf(dropped)] ?? 0) - 1), timeAt(dropped))
        }
        while (position < added) {
          const at = position++
          const entry = storage.get(slotOf(at))
          if (matches(entry)) return toItem(entry, idAt(at), timeAt(at))
        }
        return null
      },
      stop: additions.subscribe(wake),
    }
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
      additions.publish()
    },
    read,
    *newestFirst(skips) {
      for (let position = added - 1; position >= dropped; position--)
        if (!skips(slotOf(position))) yield storage.get(slotOf(position))
    },
    follow: ({ signal, ...reading }) => followSources(wake => [read(reading, wake)], signal),
  }
}
