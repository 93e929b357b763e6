import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useId,
  useImperativeHandle,
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
  const scroller = useRef<HTMLDivElement>(null)
  const id = useId()
  const selected = useMemo(
    () => (selectedKey === null ? -1 : items.findIndex(item => getKey(item) === selectedKey)),
    [items, getKey, selectedKey],
  )
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    // The selected row stays rendered, since aria-activedescendant refers to it.
    rangeExtractor: range => {
      const shown = defaultRangeExtractor(range)
      return selected === -1 || shown.includes(selected) ? shown : [...shown, selected].sort((a, b) => a - b)
    },
  })
  usePrepended(scroller, items, getKey, rowHeight, stickToTop)

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

  function select(index: number): void {
    const item = items[index]
    if (item !== undefined) onSelect(item)
  }
  function onKeyDown(event: KeyboardEvent<HTMLDivElement>): void {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
    const to = rowOfKey(event, selected, items.length, pageOf(event.currentTarget, rowHeight))
    const item = items[selected]
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
    ...(isGrid
      ? { 'aria-rowindex': index + 1 }
      : { 'aria-posinset': index + 1, 'aria-setsize': items.length }),
    onClick: () => select(index),
    onDoubleClick: () => onActivate?.(item),
  })
  return (
    <div ref={scroller} className={classes.list} {...listProps}>
      <div className={classes.rows} style={{ height: virtualizer.getTotalSize() }} role="presentation">
        {rows.map(({ index, start }) => {
          const item = items[index]
          if (item === undefined) return null
          const content = props.renderRow(item, index === selected)
          return (
            <div
              key={getKey(item)}
              className={classes.row}
              style={{ height: rowHeight, transform: `translateY(${start}px)` }}
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

const cellProps = { role: 'gridcell', className: classes.cell }
