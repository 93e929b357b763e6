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
  const [old, newest] = [before[0], now[0]]
  if (before === now || old === undefined || newest === undefined) return 0
  const keys = { old: getKey(old), newest: getKey(newest) }
  const added = now.findIndex(item => getKey(item) === keys.old)
  if (added <= 0 || before.some(item => getKey(item) === keys.newest)) return 0
  // The end may have been cut off; what is left of the old list has to follow in its order.
  const left = now.slice(added)
  return before.slice(0, left.length).every((item, index) => isAt(left, index, getKey, item)) ? added : 0
}

function isAt<Item>(
  items: readonly Item[],
  index: number,
  getKey: (item: Item) => string,
  wanted: Item,
): boolean {
  const item = items[index]
  return item !== undefined && getKey(item) === getKey(wanted)
}
