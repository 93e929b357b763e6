import { type RefObject, useLayoutEffect, useRef } from 'react'

/**
 * Keeps the visible items in place when new ones are prepended, or when what is above the first has another height.
 *
 * @param topOf returns where an item begins, in pixels.
 * @param stickToTop at the top, scrolls to the new items instead.
 */
export function usePrepended<Item>(
  scroller: RefObject<HTMLElement | null>,
  items: readonly Item[],
  getKey: (item: Item) => string,
  rowHeight: number,
  topOf: (index: number) => number,
  stickToTop: boolean,
): void {
  const before = useRef({ items, top: topOf(0) })
  useLayoutEffect(() => {
    const element = scroller.current
    const added = prependedCount(before.current.items, items, getKey)
    const shift = topOf(added) - before.current.top
    before.current = { items, top: topOf(0) }
    if (element === null || shift === 0) return
    const isAtTop = element.scrollTop < rowHeight / 2
    if (!isAtTop || (added > 0 && !stickToTop)) element.scrollTop += shift
  }, [scroller, items, getKey, rowHeight, topOf, stickToTop])
}

/** Returns how many items were prepended; 0 if the list changed in any other way. */
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
  // The end may have been cut off, but the rest of the old list has to follow in its order.
  const left = now.slice(added)
  const isSame = left.every((item, index) => {
    const old = before[index]
    return old === undefined || getKey(item) === getKey(old)
  })
  return isSame ? added : 0
}
