import { useState } from 'react'

/**
 * Returns the order of rows on the screen. Known rows keep their places, so that arriving events move nothing. New rows
 * come first, or last if they are of a further page.
 *
 * @param before the ids on the screen. Null before the first sort, and after another order is chosen.
 * @param sorted the ids in the chosen order.
 */
export function stableOrder(
  before: readonly string[] | null,
  sorted: readonly string[],
  isFurther = false,
): readonly string[] {
  if (before === null) return sorted
  const known = new Set(before)
  const present = new Set(sorted)
  const added = sorted.filter(id => !known.has(id))
  const kept = before.filter(id => present.has(id))
  return isFurther ? [...kept, ...added] : [...added, ...kept]
}

/**
 * Returns ids in an order that events do not change, and a function that sorts them again.
 *
 * @param sorted the ids in the chosen order.
 * @param sort names the chosen order.
 * @param isPending whether what they are sorted by is still being read.
 * @param pages how many pages of them were read.
 */
export function useStableOrder(sorted: readonly string[], sort: string, isPending: boolean, pages = 1) {
  const [kept, setKept] = useState<{ sort: string; order: readonly string[]; pages: number } | null>(null)
  // Until what they are sorted by is read, the rows on the screen stay in place.
  const before = isPending || kept?.sort === sort ? kept : null
  const order = stableOrder(before?.order ?? null, sorted, before !== null && pages > before.pages)
  const isNew =
    before === null ||
    pages !== before.pages ||
    order.length !== before.order.length ||
    order.some((id, i) => id !== before.order[i])
  if (!isPending && isNew) setKept({ sort, order, pages })
  return { order, resetOrder: () => setKept(null) }
}
