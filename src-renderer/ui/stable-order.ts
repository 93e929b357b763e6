import { useState } from 'react'

/**
 * Returns the order of rows on the screen. Known rows keep their places, so that arriving events move nothing. New rows
 * come first.
 *
 * @param before the ids on the screen. Null before the first sort, and after another order is chosen.
 * @param sorted the ids in the chosen order.
 */
export function stableOrder(before: readonly string[] | null, sorted: readonly string[]): readonly string[] {
  if (before === null) return sorted
  const known = new Set(before)
  const present = new Set(sorted)
  return [...sorted.filter(id => !known.has(id)), ...before.filter(id => present.has(id))]
}

/**
 * Returns ids in an order that events do not change, and a function that sorts them again.
 *
 * @param sorted the ids in the chosen order.
 * @param sort names the chosen order.
 * @param isPending whether what they are sorted by is still being read.
 */
export function useStableOrder(sorted: readonly string[], sort: string, isPending: boolean) {
  const [kept, setKept] = useState<{ sort: string; order: readonly string[] } | null>(null)
  const order = stableOrder(kept?.sort === sort ? kept.order : null, sorted)
  const isNew =
    kept?.sort !== sort || order.length !== kept.order.length || order.some((id, i) => id !== kept.order[i])
  if (!isPending && isNew) setKept({ sort, order })
  return { order, resetOrder: () => setKept(null) }
}
