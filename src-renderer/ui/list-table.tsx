import { Skeleton } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import type { LucideIcon } from 'lucide-react'
import { type ComponentType, type Ref, useEffect, useImperativeHandle, useMemo, useRef } from 'react'
import classes from './list-table.module.css'
import { usePhone } from './use-narrow.ts'

const rowHeight = 54
const compactRowHeight = 42
/** About; a card is measured. */
const cardHeight = 124
const headerHeight = 32
/** The number of rows before the end at which more are requested. */
const endMargin = 20

type HeadColumn = {
  readonly head: string
  /** Stands before it. */
  readonly icon?: LucideIcon
  /** Whether only screen readers get the header. */
  readonly isHeadHidden?: boolean
  readonly title?: string
  readonly isNumber?: boolean
  /** In pixels. */
  readonly width?: number
  /** For hiding the column, or for another width, in narrow windows. */
  readonly className?: string | undefined
  /** Its place in the card that a phone shows instead of the row. Without it, a line of its own. */
  readonly card?: 'side' | 'half' | 'none'
}

export type ListColumn<Row> = HeadColumn & {
  /** One of them has the link that opens the row. */
  readonly cell: ComponentType<{ readonly row: Row }>
  /** The widths of the bars that stand for a cell. Null for the bar of the name, whose width varies. */
  readonly skeleton: readonly (number | null)[]
}

export type ListTableHandle = {
  /** Focuses the selected row, or the first one. */
  focus(): void
  /** Scrolls to a row and focuses it. */
  focusRow(index: number): void
  /** Returns whether a row has the focus, or will have it when it is rendered. */
  hasFocus(): boolean
}

/** A table of rows that each open something. */
export function ListTable<Row extends object>(props: {
  readonly label: string
  readonly columns: readonly ListColumn<Row>[]
  readonly rows: readonly Row[]
  readonly idOf: (row: Row) => string
  readonly selectedId: string | null
  /** Must be the same function each time. */
  readonly onSelect: (id: string) => void
  /** Whether its rows have one line. */
  readonly isCompact?: boolean
  /** Whether the table scrolls itself and renders only the visible rows. */
  readonly isWindowed: boolean
  /** How many rows there are, if not all of them are here. */
  readonly rowCount?: number | undefined
  /** Called when the last rows are near. */
  readonly onEndReached?: (() => void) | undefined
  readonly ref: Ref<ListTableHandle>
}) {
  const { label, columns, rows, idOf, selectedId, onSelect, isWindowed, isCompact = false, ref } = props
  const { rowCount = rows.length, onEndReached } = props
  const isPhone = usePhone()
  const aboveRows = isPhone ? 0 : headerHeight
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    enabled: isWindowed,
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isPhone ? cardHeight : isCompact ? compactRowHeight : rowHeight),
    overscan: 8,
    scrollPaddingStart: aboveRows,
    scrollMargin: aboveRows,
  })
  // Rows in a wider window have another height.
  // biome-ignore lint/correctness/useExhaustiveDependencies: when it changes
  useEffect(() => virtualizer.measure(), [isPhone])
  const items = virtualizer.getVirtualItems()
  const isNearEnd = (items.at(-1)?.index ?? -1) >= rows.length - endMargin
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each length
  useEffect(() => {
    if (isNearEnd && rows.length > 0) onEndReached?.()
  }, [isNearEnd, rows.length])
  const shown = isWindowed ? items.map(({ index }) => index) : [...rows.keys()]
  const before = (items[0]?.start ?? aboveRows) - aboveRows
  const after = virtualizer.getTotalSize() + aboveRows - (items.at(-1)?.end ?? aboveRows)

  /** The row that gets the focus when it is rendered. */
  const wanted = useRef<string | null>(null)
  function focusWanted() {
    if (wanted.current === null) return
    const link = scroller.current?.querySelector<HTMLElement>(`[data-row="${wanted.current}"] a`)
    if (link == null) return
    wanted.current = null
    link.focus({ preventScroll: isWindowed })
  }
  useEffect(focusWanted)
  function focusRow(index: number) {
    const row = rows[index]
    wanted.current = row === undefined ? null : idOf(row)
    if (isWindowed) virtualizer.scrollToIndex(index)
    focusWanted()
  }
  useImperativeHandle(ref, () => ({
    focus: () =>
      focusRow(
        Math.max(
          0,
          rows.findIndex(row => idOf(row) === selectedId),
        ),
      ),
    focusRow,
    hasFocus: () => wanted.current !== null || scroller.current?.contains(document.activeElement) === true,
  }))

  return (
    <div
      ref={scroller}
      className={isWindowed ? classes.scroller : undefined}
      data-scroll-room={isWindowed || undefined}
    >
      <table
        className={classes.table}
        data-compact={isCompact || undefined}
        aria-label={label}
        aria-rowcount={rowCount + 1}
      >
        <TableHead columns={columns} />
        <tbody>
          <Space height={before} columns={columns.length} />
          {shown.map(index => {
            const row = rows[index]
            if (row === undefined) return null
            const id = idOf(row)
            return (
              <ListRow
                key={id}
                id={id}
                row={row}
                columns={columns}
                position={index + 2}
                isSelected={id === selectedId}
                onSelect={onSelect}
                measure={isWindowed && isPhone ? virtualizer.measureElement : undefined}
              />
            )
          })}
          <Space height={after} columns={columns.length} />
        </tbody>
      </table>
    </div>
  )
}

function ListRow<Row extends object>(props: {
  readonly id: string
  readonly row: Row
  readonly columns: readonly ListColumn<Row>[]
  /** The number of the row in the table. The header is row 1. */
  readonly position: number
  readonly isSelected: boolean
  readonly onSelect: (id: string) => void
  /** Measures its height. */
  readonly measure: ((element: HTMLTableRowElement | null) => void) | undefined
}) {
  const { id, row, columns, position, isSelected, onSelect, measure } = props
  // The cells stay the same when the table scrolls or another row is selected.
  const cells = useMemo(
    () =>
      columns.map(({ cell: Cell, ...column }) => (
        <td key={column.head} className={classOf(column)} data-head={column.head} data-card={column.card}>
          <Cell row={row} />
        </td>
      )),
    [columns, row],
  )
  return (
    <tr
      ref={measure}
      data-index={position - 2}
      className={classes.row}
      aria-rowindex={position}
      data-row={id}
      data-selected={isSelected || undefined}
      data-off={('enabled' in row && row.enabled === false) || undefined}
      onFocus={() => onSelect(id)}
    >
      {cells}
    </tr>
  )
}

const classOf = ({ className, isNumber }: Pick<HeadColumn, 'className' | 'isNumber'>) =>
  [className, isNumber === true ? classes.number : undefined].filter(Boolean).join(' ') || undefined

/** The header of a table, with the widths of its columns. */
export function TableHead({ columns }: { readonly columns: readonly HeadColumn[] }) {
  return (
    <>
      <colgroup>
        {columns.map(({ head, className, width }) => (
          <col key={head} className={className} style={{ width }} />
        ))}
      </colgroup>
      <thead>
        <tr aria-rowindex={1}>
          {columns.map(({ icon: Icon, isHeadHidden = false, ...column }) => (
            <th key={column.head} scope="col" className={classOf(column)} title={column.title}>
              {Icon && <Icon size={12} />}
              {isHeadHidden ? <span className="sr">{column.head}</span> : column.head}
            </th>
          ))}
        </tr>
      </thead>
    </>
  )
}

/** Takes the place of the rows that are not rendered. */
function Space({ height, columns }: { readonly height: number; readonly columns: number }) {
  if (height <= 0) return null
  return (
    <tr>
      <td className={classes.space} colSpan={columns} style={{ height }} />
    </tr>
  )
}

const nameWidths = [168, 132, 150, 118, 142, 126]

/** Stands for a table until its rows are known. */
export function ListTableSkeleton<Row>(props: {
  readonly label: string
  readonly columns: readonly ListColumn<Row>[]
}) {
  const { label, columns } = props
  return (
    <div className={classes.scroller} role="status" aria-label={label}>
      <table className={classes.table} aria-hidden="true">
        <TableHead columns={columns} />
        <tbody>
          {nameWidths.map(nameWidth => (
            <tr key={nameWidth}>
              {columns.map(({ skeleton: [width, second], isHeadHidden, ...column }) => (
                <td key={column.head} className={classOf(column)} data-card={column.card}>
                  {width !== undefined && (
                    <Skeleton height={10} width={width ?? nameWidth} ml={isHeadHidden ? 'auto' : undefined} />
                  )}
                  {second !== undefined && <Skeleton height={8} width={second ?? nameWidth} mt={8} />}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
