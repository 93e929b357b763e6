import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useCallback,
  useEffect,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
} from 'react'
import { pageOf, rowOfKey } from './keyboard-list.ts'
import { usePrepended } from './use-prepended.ts'
import classes from './virtual-list.module.css'

export type VirtualListHandle = {
  focus(): void
  scrollToTop(): void
}

export type ListSections<Item> = {
  /** Names the section of an item. */
  readonly of: (item: Item) => string
  /** In pixels. */
  readonly height: number
  readonly render: (item: Item) => ReactNode
}

type VirtualListProps<Item> = {
  readonly items: readonly Item[]
  /** In pixels. */
  readonly rowHeight: number
  /** Returns a unique, stable key. */
  readonly getKey: (item: Item) => string
  readonly renderRow: (item: Item, isSelected: boolean) => ReactNode
  /** Null for none. */
  readonly selectedKey: string | null
  /** Called on a click or an arrow key. */
  readonly onSelect: (item: Item) => void
  /** Called on Enter or a double click. */
  readonly onActivate?: (item: Item) => void
  /** Called on Space. */
  readonly onToggle?: (item: Item) => void
  /** Called on Shift with an arrow key, with the item that it leaves and the one that it reaches. */
  readonly onExtend?: (from: Item, to: Item) => void
  /** Whether an item is checked, which is not the same as selected; undefined for one that cannot be. */
  readonly isChecked?: (item: Item) => boolean | undefined
  /** Headings above the first item of each section. That of the first visible item stays in view. */
  readonly sections?: ListSections<Item> | undefined
  /** The number of items at the start that do not move when others are prepended after them. */
  readonly pinned?: number
  readonly label: string
  /** Called once for each length of the list when its end is near. */
  readonly onEndReached?: () => void
  /** Whether prepended items appear at once while the list is at the top. */
  readonly stickToTop?: boolean
  /** Called when the list leaves or reaches its top. */
  readonly onTopChange?: (isAtTop: boolean) => void
  /** Whether rows contain switches or buttons, which a listbox does not allow: it is a grid then. */
  readonly hasControls?: boolean
  readonly ref?: Ref<VirtualListHandle>
}

/** The number of rows before the end at which more are requested. */
const endMargin = 20

/** A list of any length with mouse and keyboard selection. Fills its container. */
export function VirtualList<Item>(props: VirtualListProps<Item>) {
  const { items, rowHeight, getKey, selectedKey, onSelect, onActivate, onToggle, stickToTop = false } = props
  const { sections, pinned = 0 } = props
  const scroller = useRef<HTMLDivElement>(null)
  const id = useId()
  const selected = useMemo(
    () => (selectedKey === null ? -1 : items.findIndex(item => getKey(item) === selectedKey)),
    [items, getKey, selectedKey],
  )
  const heads = useMemo(() => headsOf(items, sections), [items, sections])
  const headHeight = sections?.height ?? 0
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: index => rowHeight + (heads.has(index) ? headHeight : 0),
    scrollPaddingStart: headHeight,
    overscan: 8,
    // The selected row stays rendered, since aria-activedescendant refers to it.
    rangeExtractor: range => {
      const shown = defaultRangeExtractor(range)
      return selected === -1 || shown.includes(selected) ? shown : [...shown, selected].sort((a, b) => a - b)
    },
  })
  const headPlaces = [...heads].join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the heights depend on the places of the headings
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, headPlaces, headHeight])
  const moving = useMemo(() => (pinned === 0 ? items : items.slice(pinned)), [items, pinned])
  const topOf = useCallback(
    (index: number) => {
      const row = index + pinned
      const above = [...heads].filter(head => head <= row).length
      return row * rowHeight + above * headHeight
    },
    [heads, headHeight, pinned, rowHeight],
  )
  usePrepended(scroller, moving, getKey, rowHeight, topOf, stickToTop)

  // biome-ignore lint/correctness/useExhaustiveDependencies: only when another item is selected, not when it moves
  useEffect(() => {
    if (selected !== -1) virtualizer.scrollToIndex(selected)
  }, [virtualizer, selectedKey, selected === -1])

  const rows = virtualizer.getVirtualItems()
  const last = rows.at(-1)?.index ?? -1
  const isNearEnd = last >= items.length - endMargin
  const { onEndReached } = props
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each length
  useEffect(() => {
    if (isNearEnd && items.length > 0) onEndReached?.()
  }, [isNearEnd, items.length])

  const isAtTop = useRef(true)
  function onScroll(): void {
    const now = (scroller.current?.scrollTop ?? 0) < rowHeight / 2
    if (now !== isAtTop.current) props.onTopChange?.(now)
    isAtTop.current = now
  }
  useImperativeHandle(props.ref, () => ({
    focus: () => scroller.current?.focus(),
    scrollToTop: () => virtualizer.scrollToOffset(0),
  }))

  function headOf(index: number): ReactNode {
    const item = items[index]
    return item !== undefined && sections?.render(item)
  }
  function select(index: number): void {
    const item = items[index]
    if (item !== undefined) onSelect(item)
  }
  function onKeyDown(event: KeyboardEvent<HTMLDivElement>): void {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
    const to = rowOfKey(event, selected, items.length, pageOf(event.currentTarget, rowHeight))
    const item = items[selected]
    const target = items[to ?? -1]
    if (event.shiftKey && item !== undefined && target !== undefined) props.onExtend?.(item, target)
    if (to !== null) select(to)
    else if (event.key === 'Enter' && item !== undefined && onActivate !== undefined) onActivate(item)
    else if (event.key === ' ' && item !== undefined && onToggle !== undefined) onToggle(item)
    else return
    event.preventDefault()
  }

  const isGrid = props.hasControls === true
  /** The list handles the keyboard and refers to its rows by aria-activedescendant. */
  const listProps = {
    role: isGrid ? 'grid' : 'listbox',
    'aria-label': props.label,
    'aria-rowcount': isGrid ? items.length : undefined,
    'aria-activedescendant': selected === -1 ? undefined : `${id}-${selected}`,
    tabIndex: 0,
    onKeyDown,
    onScroll,
  }
  const rowProps = (item: Item, index: number) => ({
    id: `${id}-${index}`,
    role: isGrid ? 'row' : 'option',
    'aria-selected': index === selected,
    'aria-checked': props.isChecked?.(item),
    ...(isGrid
      ? { 'aria-rowindex': index + 1 }
      : { 'aria-posinset': index + 1, 'aria-setsize': items.length }),
    onClick: () => select(index),
    onDoubleClick: () => onActivate?.(item),
  })
  return (
    <div ref={scroller} className={classes.list} {...listProps}>
      {sections !== undefined && items.length > 0 && (
        <div
          className={classes.stuck}
          style={{ height: headHeight, marginBottom: -headHeight }}
          aria-hidden="true"
        >
          {headOf(virtualizer.range?.startIndex ?? 0)}
        </div>
      )}
      <div className={classes.rows} style={{ height: virtualizer.getTotalSize() }} role="presentation">
        {rows.map(
          ({ index, start }) =>
            heads.has(index) && (
              <div
                key={`head-${index}`}
                className={classes.head}
                style={{ height: headHeight, transform: `translateY(${start}px)` }}
                role="presentation"
              >
                {headOf(index)}
              </div>
            ),
        )}
        {rows.map(({ index, start }) => {
          const item = items[index]
          if (item === undefined) return null
          const content = props.renderRow(item, index === selected)
          return (
            <div
              key={getKey(item)}
              className={classes.row}
              style={{
                height: rowHeight,
                transform: `translateY(${start + (heads.has(index) ? headHeight : 0)}px)`,
              }}
              {...rowProps(item, index)}
            >
              {isGrid ? <div {...cellProps}>{content}</div> : content}
            </div>
          )
        })}
      </div>
    </div>
  )
}

/** Returns the indexes of the first items of the sections. */
function headsOf<Item>(
  items: readonly Item[],
  sections: ListSections<Item> | undefined,
): ReadonlySet<number> {
  const heads = new Set<number>()
  let last: string | null = null
  for (const [index, item] of sections === undefined ? [] : items.entries()) {
    const name = sections?.of(item) ?? null
    if (name !== last) heads.add(index)
    last = name
  }
  return heads
}

const cellProps = { role: 'gridcell', className: classes.cell }
