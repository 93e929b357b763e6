import { Skeleton } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react'
import classes from './connection-table.module.css'
import { ConnectionTableRow } from './connection-table-row.tsx'
import type { ConnectionRow } from './use-connections.ts'

const rowHeight = 54
const headerHeight = 32
const columns = 7

export type ConnectionTableHandle = {
  /** Puts the focus on the selected row, or the first one. */
  focus(): void
  /** Scrolls to a row and puts the focus on it. */
  focusRow(index: number): void
  /** Whether the focus is in a row, or on its way to one. */
  hasFocus(): boolean
}

/** The connections as a table that draws only the rows in sight. */
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

  /** The row that gets the focus as soon as it is drawn. */
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
    focus: () =>
      focusRow(
        Math.max(
          0,
          rows.findIndex(({ connectionId }) => connectionId === selectedId),
        ),
      ),
    focusRow,
    hasFocus: () => wanted.current !== null || scroller.current?.contains(document.activeElement) === true,
  }))

  return (
    <div ref={scroller} className={classes.scroller} data-scroll-room>
      <table className={classes.table} aria-label="Connections" aria-rowcount={rows.length + 1}>
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

/** The header; also of the skeleton, which has the true shape. */
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
          <th scope="col" className={`${classes.actions} ${classes.number}`}>
            Actions
          </th>
          <th scope="col" className={`${classes.events} ${classes.number}`}>
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

/** In place of the rows that are out of sight. */
function Space({ height }: { readonly height: number }) {
  if (height <= 0) return null
  return (
    <tr>
      <td className={classes.space} colSpan={columns} style={{ height }} />
    </tr>
  )
}

const skeletonWidths = [168, 132, 150, 118, 142, 126]

/** The table before the connections are known. */
export function ConnectionTableSkeleton() {
  return (
    <div className={classes.scroller} role="status" aria-label="Loading connections">
      <table className={classes.table} aria-hidden="true">
        <ConnectionTableHead />
        <tbody>
          {skeletonWidths.map(width => (
            <tr key={width}>
              <td>
                <Skeleton height={10} width={width} mb={8} />
                <Skeleton height={8} width={width + 24} />
              </td>
              <td>
                <Skeleton height={20} width={84} radius={10} />
              </td>
              <td>
                <Skeleton height={10} width={96} mb={8} />
                <Skeleton height={8} width={56} />
              </td>
              <td className={classes.day}>
                <Skeleton height={20} width={158} />
              </td>
              <td className={`${classes.actions} ${classes.number}`}>
                <Skeleton height={10} width={14} ml="auto" />
              </td>
              <td className={`${classes.events} ${classes.number}`}>
                <Skeleton height={10} width={14} ml="auto" />
              </td>
              <td>
                <div className={classes.switches}>
                  <Skeleton height={16} width={28} radius={8} mr={32} />
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
