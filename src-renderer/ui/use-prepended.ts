import { type RefObject, useLayoutEffect, useRef } from 'react'

/**
 * Keeps what is in view in its place when items arrive in front of it.
 *
 * @param stickToTop at the top, what arrives is to be seen instead.
 */
export function usePrepended<Item>(
  scroller: RefObject<HTMLElement | null>,
  items: readonly Item[],
  getKey: (item: Item) => string,
  rowHeight: number,
  stickToTop: boolean,
): void {
  const before = useRef(items)
  useLayoutEffect(() => {
    const element = scroller.current
    const added = prependedCount(before.current, items, getKey)
    before.current = items
    if (element === null || added === 0) return
    if (!stickToTop || element.scrollTop >= rowHeight / 2) element.scrollTop += added * rowHeight
  }, [scroller, items, getKey, rowHeight, stickToTop])
}

/** How many items are in front of those that were there; 0 where the list is another one or otherwise ordered. */
export function prependedCount<Item>(
  before: readonly Item[],
  now: readonly Item[],
  getKey: (item: Item) => string,
): number {
  const first = before[0]
  if (before === now || first === undefined) return 0
  const key = getKey(first)
  const added = now.findIndex(item => getKey(item) === key)
  if (added <= 0) return 0
  // The end may have been cut off; what is left of the old list has to follow in its order.
  const middle = Math.min(before.length, now.length - added) - 1
  const [old, moved] = [before[middle], now[added + middle]]
  return old !== undefined && moved !== undefined && getKey(old) === getKey(moved) ? added : 0
}
