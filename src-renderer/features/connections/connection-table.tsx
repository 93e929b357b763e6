import { Skeleton } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react'
import table from '../../ui/list-table.module.css'
import classes from './connection-table.module.css'
import { ConnectionTableRow } from './connection-table-row.tsx'
import type { ConnectionRow } from './use-connections.ts'

const rowHeight = 54
const headerHeight = 32
const columns = 7

export type ConnectionTableHandle = {
  /** Focuses the selected row, or the first one. */
  focus(): void
  /** Scrolls to a row and focuses it. */
  focusRow(index: number): void
  /** Returns whether a row has the focus, or will have it when it is rendered. */
  hasFocus(): boolean
}

/** A table of connections that renders only the visible rows. */
export function ConnectionTable(props: {
  readonly rows: readonly ConnectionRow[]
  readonly selectedId: string | null
  readonly onSelect: (connectionId: string) => void
  readonly ref: Ref<ConnectionTableHandle>
}) {
  const { rows, selectedId, onSelect, ref } = props
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: index => rows[index]?.connectionId ?? index,
    overscan: 8,
    scrollPaddingStart: headerHeight,
    scrollMargin: headerHeight,
  })
  const items = virtualizer.getVirtualItems()
  const before = (items[0]?.start ?? headerHeight) - headerHeight
  const after = virtualizer.getTotalSize() + headerHeight - (items.at(-1)?.end ?? headerHeight)

  /** The row that gets the focus when it is rendered. */
  const wanted = useRef<string | null>(null)
  function focusWanted() {
    if (wanted.current === null) return
    const link = scroller.current?.querySelector<HTMLElement>(`[data-connection="${wanted.current}"] a`)
    if (link == null) return
    wanted.current = null
    link.focus({ preventScroll: true })
  }
  useEffect(focusWanted)
  function focusRow(index: number) {
    wanted.current = rows[index]?.connectionId ?? null
    virtualizer.scrollToIndex(index)
    focusWanted()
  }
  useImperativeHandle(ref, () => ({
    focus() {
      const selected = rows.findIndex(({ connectionId }) => connectionId === selectedId)
      focusRow(Math.max(0, selected))
    },
    focusRow,
    hasFocus: () => wanted.current !== null || scroller.current?.contains(document.activeElement) === true,
  }))

  return (
    <div ref={scroller} className={table.scroller} data-scroll-room>
      <table className={table.table} aria-label="Connections" aria-rowcount={rows.length + 1}>
        <ConnectionTableHead />
        <tbody>
          <Space height={before} />
          {items.map(({ index, key }) => {
            const row = rows[index]
            return (
              row && (
                <ConnectionTableRow
                  key={key}
                  row={row}
                  position={index + 2}
                  isSelected={row.connectionId === selectedId}
                  onSelect={onSelect}
                />
              )
            )
          })}
          <Space height={after} />
        </tbody>
      </table>
    </div>
  )
}

/** The header of the table and of its skeleton. */
function ConnectionTableHead() {
  return (
    <>
      <colgroup>
        <col />
        <col className={classes.status} />
        <col className={classes.last} />
        <col className={classes.day} />
        <col className={classes.actions} />
        <col className={classes.events} />
        <col className={classes.controls} />
      </colgroup>
      <thead>
        <tr aria-rowindex={1}>
          <th scope="col">Name</th>
          <th scope="col">Status</th>
          <th scope="col">Last event</th>
          <th scope="col" className={classes.day}>
            Last 24 hours
          </th>
          <th scope="col" className={`${classes.actions} ${table.number}`}>
            Actions
          </th>
          <th scope="col" className={`${classes.events} ${table.number}`}>
            Events
          </th>
          <th scope="col">
            <span className="sr">Enabled</span>
          </th>
        </tr>
      </thead>
    </>
  )
}

/** Takes the place of the rows that are not rendered. */
function Space({ height }: { readonly height: number }) {
  if (height <= 0) return null
  return (
    <tr>
      <td className={table.space} colSpan={columns} style={{ height }} />
    </tr>
  )
}

const skeletonWidths = [168, 132, 150, 118, 142, 126]

/** Stands for the table until the connections are known. */
export function ConnectionTableSkeleton() {
  return (
    <div className={table.scroller} role="status" aria-label="Loading connections">
      <table className={table.table} aria-hidden="true">
        <ConnectionTableHead />
        <tbody>
          {skeletonWidths.map(width => (
            <tr key={width}>
              <SkeletonCell width={width} second={width + 24} />
              <SkeletonCell width={84} />
              <SkeletonCell width={96} second={56} />
              <SkeletonCell width={158} className={classes.day} />
              <SkeletonCell width={14} className={`${classes.actions} ${table.number}`} />
              <SkeletonCell width={14} className={`${classes.events} ${table.number}`} />
              <SkeletonCell width={28} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** A cell with a bar, and a second bar below it where `second` is its width. */
function SkeletonCell(props: {
  readonly width: number
  readonly second?: number
  readonly className?: string | undefined
}) {
  return (
    <td className={props.className}>
      <Skeleton height={10} width={props.width} />
      {props.second !== undefined && <Skeleton height={8} width={props.second} mt={8} />}
    </td>
  )
}
