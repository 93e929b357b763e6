/** Random choices that are the same for the same seed. */
export type Random = {
  /** Returns a number from `least` to `most`, without the latter. */
  between(least: number, most: number): number
  /** Returns one of the items. */
  pick<Item>(items: readonly Item[]): Item
  /** Returns the items in a random order. */
  shuffle<Item>(items: readonly Item[]): Item[]
}

/** Creates random choices by the generator Mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    between: (least, most) => least + next() * (most - least),
    pick(items) {
      const item = items[Math.floor(next() * items.length)]
      if (item === undefined) throw new Error('There is nothing to choose from.')
      return item
    },
    shuffle: items =>
      items
        .map(item => ({ item, place: next() }))
        .sort((a, b) => a.place - b.place)
        .map(({ item }) => item),
  }
}
