import { sequenceText } from '#main/sequence.ts'

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
  /** Grows, and goes on growing after a restart, so that a reader can resume. */
  nextSequence(): number
  /** Milliseconds since 1970. */
  clock(): number
}

export type Feed<Entry, Item> = {
  add(entry: Entry): void
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

type Kept<Entry> = { readonly sequence: number; readonly at: number; readonly entry: Entry }

/**
 * The feed: a bounded ring in memory, gone on restart (decisions: activity). Readers hold a position in
 * the ring and no queue of their own, so a slow one costs nothing.
 */
export function createFeed<Entry, Item>(options: FeedOptions<Entry, Item>): Feed<Entry, Item> {
  const { maxEntries, maxBytes, weightOf, toItem, toGap, nextSequence, clock } = options
  const ring: (Kept<Entry> | undefined)[] = new Array(maxEntries).fill(undefined)
  /** How many were ever added, and dropped; those kept are [dropped, added). */
  let added = 0
  let dropped = 0
  let bytes = 0
  let waiting = new Set<() => void>()

  const at = (position: number) => ring[position % maxEntries]

  function dropOldest(): void {
    const oldest = at(dropped)
    if (oldest !== undefined) bytes -= weightOf(oldest.entry)
    ring[dropped % maxEntries] = undefined
    dropped++
  }

  /** The first position after the item of this id. */
  function positionAfter(lastId: string): number {
    let position = dropped
    while (position < added && sequenceText(at(position)?.sequence ?? 0) <= lastId) position++
    return position
  }

  return {
    add(entry) {
      const weight = weightOf(entry)
      while (added > dropped && (added - dropped >= maxEntries || bytes + weight > maxBytes)) dropOldest()
      ring[added % maxEntries] = { sequence: nextSequence(), at: clock(), entry }
      added++
      bytes += weight
      if (waiting.size === 0) return
      const woken = waiting
      waiting = new Set()
      for (const wake of woken) wake()
    },
    async *follow({ matches, lastId, signal }) {
      let wake = () => {}
      signal?.addEventListener('abort', () => wake(), { once: true })
      let position = lastId === null ? dropped : positionAfter(lastId)
      while (signal?.aborted !== true) {
        const first = at(dropped)
        if (position < dropped && first !== undefined) {
          yield toGap(dropped - position, sequenceText(first.sequence - 1), new Date(first.at).toISOString())
          position = Math.max(position, dropped)
        }
        const kept = position < added ? at(position) : undefined
        if (kept !== undefined) {
          position++
          if (matches(kept.entry))
            yield toItem(kept.entry, sequenceText(kept.sequence), new Date(kept.at).toISOString())
          continue
        }
        await new Promise<void>(resolve => {
          wake = resolve
          waiting.add(resolve)
        })
      }
    },
  }
}
