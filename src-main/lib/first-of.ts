/** Returns the first items, at most `count`. It asks for no more. */
export function firstOf<Item>(items: Iterable<Item>, count: number): Item[] {
  const first: Item[] = []
  if (count <= 0) return first
  for (const item of items) if (first.push(item) >= count) break
  return first
}
