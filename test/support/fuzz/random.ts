/** A seeded source of choices, so that a failing case can be made again. */
export type Random = {
  /** Between 0 (included) and 1. */
  next(): number
  /** A whole number from 0 to `below` - 1. */
  int(below: number): number
  chance(share: number): boolean
  pick<Item>(items: readonly [Item, ...Item[]]): Item
}

/** Creates one from a 32-bit seed (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (below: number) => Math.floor(next() * below)
  return {
    next,
    int,
    chance: share => next() < share,
    pick: items => items[int(items.length)] ?? items[0],
  }
}
