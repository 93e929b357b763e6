import { Button, Skeleton } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { ChevronUp, Pause } from 'lucide-react'
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { SkeletonRows } from './delayed.tsx'
import classes from './followed-list.module.css'
import { formatCount, formatNumber } from './format.ts'
import { useRowKeys } from './keyboard-list.ts'
import { Keys } from './keys.tsx'
import { Dot } from './pill.tsx'
import { QueryState, type Reading } from './query-state.tsx'
import { useShortcut } from './shortcuts.tsx'
import type { useFollow } from './use-follow.ts'
import { useNarrow } from './use-narrow.ts'
import { type ListSections, VirtualList, type VirtualListHandle } from './virtual-list.tsx'

/** In pixels. */
const rowHeight = 48
/** Milliseconds without new rows until a screen reader announces the count. */
const announceAfterMs = 1000

type FollowedListState = ReturnType<typeof useFollowedList>

/**
 * Returns the state of a list that follows its newest rows, beside the details of the open row. Binds the keys that open
 * another row, close the details and pause.
 */
export function useFollowedList(props: {
  /** The heading of the shortcuts: “Runs”. */
  readonly group: string
  /** One of the rows: “run”. */
  readonly noun: string
  readonly follow: ReturnType<typeof useFollow>
  /** Whether new rows arrive by themselves now. */
  readonly isLive: boolean
  /** The shown rows, newest first. */
  readonly keys: readonly string[]
  /** Null for none. */
  readonly openKey: string | null
  readonly open: (key: string) => void
  readonly close: () => void
  /** Names `close` in the list of shortcuts. */
  readonly closeLabel?: string
}) {
  const { group, noun, follow, isLive, keys, openKey, close, closeLabel = 'Close the details' } = props
  const list = useRef<VirtualListHandle>(null)
  const isNarrow = useNarrow()
  // In a narrow window, the list still marks the row that was open.
  const [last, setLast] = useState(openKey)
  if (openKey !== null && openKey !== last) setLast(openKey)
  const selectedKey = openKey ?? (isNarrow ? last : null)
  /** Whether the user has opened the row. One that an address names does not hold back what is still loading. */
  const [isOpened, setOpened] = useState(false)
  function open(key: string) {
    setOpened(true)
    follow.hold(true)
    props.open(key)
  }
  const at = selectedKey === null ? -1 : keys.indexOf(selectedKey)
  useRowKeys({ group, noun, count: keys.length, at }, row => {
    open(keys[row] ?? '')
    list.current?.focus()
  })
  function showNewest() {
    follow.follow()
    list.current?.scrollToTop()
  }
  const toggle = () => (follow.isFollowing ? follow.toggle() : showNewest())
  useShortcut({ keys: 'escape', label: closeLabel, group }, close, openKey !== null && !isNarrow)
  useShortcut({ keys: 'f', label: 'Follow newest or pause', group }, toggle)
  const isOpenedHere = isOpened && openKey !== null
  /** For the `MasterDetail` around the list. */
  const back = { label: 'Back to the list', group, go: close }
  return {
    group,
    noun,
    follow,
    isLive,
    list,
    selectedKey,
    isOpenedHere,
    open,
    back,
    showNewest,
    toggle,
    isNarrow,
  }
}

export type ListChecks<Item> = {
  readonly isChecked: (item: Item) => boolean | undefined
  readonly toggle: (item: Item) => void
  readonly extend: (from: Item, to: Item) => void
}

/** A list that follows its newest rows: its filters, the rows, and a button for those that wait. */
export function FollowedList<Item>(props: {
  readonly state: FollowedListState
  readonly filters: ReactNode
  /** The rows that are not held back. */
  readonly items: readonly Item[]
  readonly getKey: (item: Item) => string
  /** The number of rows that are held back. */
  readonly newer: number
  /** Whether the rows are known, so that they can be counted. */
  readonly isKnown: boolean
  readonly label: string
  readonly onEndReached: () => void
  readonly renderRow: (item: Item) => ReactNode
  readonly query: Reading
  /** The title of an error: “The runs could not be read”. */
  readonly failed: string
  /** Takes the place of the rows if there are none. */
  readonly none: ReactNode
  readonly onActivate?: (item: Item) => void
  /** Checks rows with Space and Shift with an arrow key, if given. */
  readonly checks?: ListChecks<Item> | undefined
  readonly sections?: ListSections<Item> | undefined
  /** The number of rows at the start that are not items of the list. */
  readonly pinned?: number
  /** A line below the rows, such as `ListLine`. */
  readonly end: ReactNode
}) {
  const { state, filters, items, getKey, newer, query, failed, none, end, checks, pinned = 0 } = props
  const isKnown = props.isKnown && (query.error === null || items.length > 0)
  const { group, noun, follow, list, selectedKey, isOpenedHere, open, showNewest } = state
  const rows = useRef<HTMLDivElement>(null)
  const [isPointed, setPointed] = useState(false)
  // When what is under the pointer disappears, a browser does not tell that the pointer leaves.
  useEffect(() => {
    if (!isPointed) return
    function onOver({ target }: PointerEvent) {
      if (target instanceof Node && rows.current?.contains(target) === false) setPointed(false)
    }
    document.addEventListener('pointerover', onOver)
    return () => document.removeEventListener('pointerover', onOver)
  }, [isPointed])
  const holds = isKnown && (isPointed || isOpenedHere)
  const hold = useEffectEvent(follow.hold)
  useEffect(() => hold(holds), [holds])
  const status = !isKnown
    ? ''
    : newer > 0
      ? `${formatCount(newer, `newer ${noun}`)} waiting`
      : `${formatCount(items.length - pinned, noun)} shown`
  const [announced] = useDebouncedValue(status, announceAfterMs)
  return (
    <section className={classes.pane} aria-label={group} aria-busy={!isKnown || undefined}>
      {filters}
      <div className="sr" role="status">
        {announced}
      </div>
      <div
        ref={rows}
        className={classes.rows}
        onPointerMove={() => setPointed(items.length > 0)}
        onPointerLeave={() => setPointed(false)}
      >
        {newer > 0 && (
          <button
            type="button"
            className={`num ${classes.newer}`}
            onClick={() => {
              showNewest()
              // This button disappears.
              list.current?.focus()
            }}
          >
            <ChevronUp size={12} />
            {formatNumber(newer)} newer
          </button>
        )}
        {!isKnown && items.length === 0 ? (
          <QueryState query={query} failed={failed} waiting={<RowsSkeleton />} />
        ) : items.length === 0 ? (
          none
        ) : (
          <VirtualList
            ref={list}
            label={props.label}
            items={items}
            rowHeight={rowHeight}
            getKey={getKey}
            selectedKey={selectedKey}
            onSelect={item => open(getKey(item))}
            onEndReached={props.onEndReached}
            stickToTop={follow.isFollowing}
            onTopChange={follow.onTopChange}
            renderRow={props.renderRow}
            {...(props.onActivate && { onActivate: props.onActivate })}
            {...(checks && {
              isChecked: checks.isChecked,
              onToggle: checks.toggle,
              onExtend: checks.extend,
            })}
            sections={props.sections}
            pinned={pinned}
          />
        )}
      </div>
      {end}
    </section>
  )
}

/** A line below the rows: what they lack, and what to do about it. */
export function ListLine(props: {
  readonly isAlert?: boolean
  readonly action?: string
  readonly isBusy?: boolean
  readonly onAction?: () => void
  readonly children: ReactNode
}) {
  return (
    <div className={classes.line} role={props.isAlert === true ? 'alert' : undefined}>
      <span className="grow">{props.children}</span>
      {props.action !== undefined && (
        <Button size="xs" loading={props.isBusy ?? false} onClick={props.onAction}>
          {props.action}
        </Button>
      )}
    </div>
  )
}

/** The button that pauses the list, or shows the rows that wait. */
export function FollowButton(props: {
  readonly state: FollowedListState
  /** Whether it is small and does not show its key. */
  readonly isSmall?: boolean
}) {
  const { noun, follow, isLive, toggle } = props.state
  const { isSmall = false } = props
  return (
    <Button
      {...(isSmall ? { size: 'xs', className: 'push' } : { rightSection: <Keys keys="f" /> })}
      aria-pressed={follow.isFollowing}
      onClick={toggle}
      title={
        follow.isFollowing ? `New ${noun}s appear at once. F pauses.` : `New ${noun}s wait. F shows them.`
      }
      leftSection={
        follow.isFollowing ? <Dot tone={isLive ? 'ok' : 'mute'} live={isLive} /> : <Pause size={12} />
      }
    >
      {!follow.isFollowing ? 'Paused' : isLive ? 'Following' : 'Waiting'}
    </Button>
  )
}

function RowsSkeleton() {
  return (
    <SkeletonRows count={6} className={classes.item}>
      <Skeleton width={14} height={14} />
      <Skeleton width="45%" height={10} />
      <Skeleton width={54} height={10} />
      <span />
      <Skeleton width="60%" height={8} />
    </SkeletonRows>
  )
}
