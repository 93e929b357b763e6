import { Menu } from '@mantine/core'
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { ChevronDown, Pencil, Plus, TriangleAlert } from 'lucide-react'
import { Fragment, type KeyboardEvent, type Ref, useEffect, useImperativeHandle, useRef } from 'react'
import { joinKey, lostVariables, type TranslatedText } from '#shared/platform/translations.ts'
import { deleteEntry, MenuEntries } from '../../../ui/more-menu.tsx'
import { TextWithVariables } from '../text-with-variables.tsx'
import { CellEditor } from './cell-editor.tsx'
import { TableHead, type TableHeadProps } from './table-head.tsx'
import classes from './translations-table.module.css'

const rowHeight = 38
/** Widths in pixels. */
const keyWidth = 168
const narrowKeyWidth = 120
const leastWidth = 180
const usualWidth = 220
const headHeight = 41

/** A cell of the table; without a language, the one with the key. */
export type Cell = { readonly name: string; readonly language: string | null }

type TranslationsTableProps = TableHeadProps & {
  readonly rows: readonly TranslatedText[]
  readonly primaryLanguage: string
  /** Problems by key. */
  readonly problems: ReadonlyMap<string, string>
  /** The cell that the keyboard acts on. Null for the first one. */
  readonly cell: Cell | null
  readonly isEditing: boolean
  readonly onCell: (cell: Cell, isEditing: boolean) => void
  /** Called on each change of a text. */
  readonly onText: (key: string, text: string) => void
  readonly onRename: (name: string) => void
  readonly onDelete: (name: string) => void
  /** Shown instead of rows. */
  readonly none: string
  readonly ref: Ref<TranslationsTableHandle>
}

export type TranslationsTableHandle = {
  /** Focuses the cell that the keyboard acts on, or another one once the keyboard acts on that. */
  focus(cell?: Cell): void
}

/** A table of texts by key and language, edited in place. Fills its container. */
export function TranslationsTable(props: TranslationsTableProps) {
  const { rows, languages, cell, isEditing, onCell } = props
  const scroller = useRef<HTMLDivElement>(null)
  const columns: readonly Cell['language'][] = [null, ...languages]
  const at = Math.max(
    0,
    rows.findIndex(({ name }) => name === cell?.name),
  )
  const column = Math.max(0, columns.indexOf(cell?.language ?? null))
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    scrollPaddingStart: headHeight,
    scrollMargin: headHeight,
    // The cell that the keyboard acts on stays rendered, since it has the focus.
    rangeExtractor: range => [...new Set([...defaultRangeExtractor(range), at])].sort((a, b) => a - b),
  })

  // The virtualizer renders again when the size of the table's container changes.
  const { key, table } = widthsOf(virtualizer.scrollElement?.clientWidth ?? 0, languages.length)

  /** The cell that gets the focus when the keyboard acts on it and it is rendered. */
  const wanted = useRef<Cell | null>(null)
  function focusWanted() {
    const isCell = wanted.current?.name === rows[at]?.name && wanted.current?.language === columns[column]
    const target = scroller.current?.querySelector<HTMLElement>('[data-cell][tabindex="0"]')
    if (!isCell || isEditing || target == null) return
    wanted.current = null
    target.focus({ preventScroll: true })
    target.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }
  useEffect(focusWanted)
  function focus(next: Cell = { name: rows[at]?.name ?? '', language: columns[column] ?? null }) {
    wanted.current = next
    const index = rows.findIndex(({ name }) => name === next.name)
    if (index !== -1) virtualizer.scrollToIndex(index)
    focusWanted()
  }
  useImperativeHandle(props.ref, () => ({ focus }))

  /** Goes to a cell by its place, as far as there is one. */
  function goTo(row: number, toColumn: number, edits = false): void {
    const name = rows[Math.max(0, Math.min(row, rows.length - 1))]?.name
    const language = columns[Math.max(0, Math.min(toColumn, columns.length - 1))]
    if (name === undefined || language === undefined) return
    onCell({ name, language }, edits)
    if (!edits) focus({ name, language })
  }
  function onKeyDown(event: KeyboardEvent<HTMLDivElement>): void {
    const { target } = event
    if (!(target instanceof HTMLElement) || target.dataset.cell === undefined) return
    if (event.altKey || event.shiftKey || event.ctrlKey || event.metaKey) return
    const page = Math.max(1, Math.floor(event.currentTarget.clientHeight / rowHeight) - 2)
    const places: Readonly<Record<string, readonly [number, number]>> = {
      ArrowDown: [at + 1, column],
      ArrowUp: [at - 1, column],
      ArrowLeft: [at, column - 1],
      ArrowRight: [at, column + 1],
      PageDown: [at + page, column],
      PageUp: [at - page, column],
      Home: [at, 0],
      End: [at, columns.length - 1],
    }
    const place = places[event.key]
    if (place === undefined || target.ariaExpanded === 'true') return
    event.preventDefault()
    goTo(...place)
  }
  /** Edits the next text after the last one of a row, that of the next row. */
  function editBeside(step: 1 | -1): void {
    const index = at * languages.length + (column - 1) + step
    const last = rows.length * languages.length - 1
    if (index < 0 || index > last) goTo(at, column)
    else goTo(Math.floor(index / languages.length), 1 + (index % languages.length), true)
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: when another cell is edited
  useEffect(() => {
    if (isEditing) virtualizer.scrollToIndex(at)
  }, [isEditing, cell])

  const items = virtualizer.getVirtualItems()
  const total = virtualizer.getTotalSize() + headHeight
  return (
    <div ref={scroller} className={classes.scroller} style={{ scrollPaddingLeft: key }} data-scroll-room>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: its cells are edited in place
        role="grid"
        aria-label="Texts by language"
        aria-rowcount={rows.length + 1}
        className={classes.grid}
        style={{ minWidth: table }}
        onKeyDown={onKeyDown}
      >
        <colgroup>
          <col style={{ width: key }} />
        </colgroup>
        <TableHead {...props} />
        <tbody>
          {items.map(({ index, start }, place) => {
            const row = rows[index]
            if (row === undefined) return null
            const gap = start - (items[place - 1]?.end ?? headHeight)
            return (
              <Fragment key={row.name}>
                <Space height={gap} columns={columns.length} />
                <tr aria-rowindex={index + 2} className={classes.row}>
                  <KeyCell {...props} row={row} isActive={index === at && column === 0} />
                  {languages.map((language, place) => (
                    <TextCell
                      {...props}
                      key={language}
                      row={row}
                      language={language}
                      isActive={index === at && column === place + 1}
                      onBeside={editBeside}
                      onDone={() => goTo(at, column)}
                    />
                  ))}
                </tr>
              </Fragment>
            )
          })}
          <Space height={total - (items.at(-1)?.end ?? headHeight)} columns={columns.length} />
        </tbody>
      </table>
      {rows.length === 0 && <p className={`t3 ${classes.none}`}>{props.none}</p>}
    </div>
  )
}

/** Returns the widths of the column of the keys and of the table: so many languages are in sight that none is cut. */
function widthsOf(width: number, languages: number): { key: number; table: number } {
  const key = width > 0 && width < 700 ? narrowKeyWidth : keyWidth
  const room = width - key
  const least = room < 2 * usualWidth ? leastWidth : usualWidth
  const inSight = Math.max(1, Math.floor(room / least))
  const column = languages > inSight ? Math.max(100, room / inSight) : leastWidth
  return { key, table: key + Math.floor(languages * column) }
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

type OneCell = TranslationsTableProps & { readonly row: TranslatedText; readonly isActive: boolean }

function KeyCell({ row: { name }, isActive, onCell, onRename, onDelete }: OneCell) {
  return (
    <th scope="row" className={classes.key}>
      <Menu position="bottom-start" width={200}>
        <Menu.Target>
          <button
            type="button"
            className={`bare ${classes.name}`}
            data-cell
            tabIndex={isActive ? 0 : -1}
            onFocus={() => !isActive && onCell({ name, language: null }, false)}
          >
            <code className="cut w5" title={name}>
              {name}
            </code>
            <ChevronDown size={12} />
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <MenuEntries
            entries={[
              { icon: Pencil, label: 'Rename', run: () => onRename(name) },
              deleteEntry(() => onDelete(name)),
            ]}
          />
        </Menu.Dropdown>
      </Menu>
    </th>
  )
}

function TextCell(
  props: OneCell & {
    readonly language: string
    readonly onBeside: (step: 1 | -1) => void
    readonly onDone: () => void
  },
) {
  const { row, language, isActive, isEditing, primaryLanguage, onCell, onText } = props
  const cell = { name: row.name, language }
  const key = joinKey(row.name, language)
  const text = row.texts.get(language)
  const problem = props.problems.get(key)
  if (isActive && isEditing)
    return (
      <td className={classes.cell}>
        <CellEditor
          label={key}
          text={text ?? ''}
          isInvalid={problem !== undefined}
          onText={typed => onText(key, typed)}
          onBeside={props.onBeside}
          onDone={props.onDone}
          onBlur={() => onCell(cell, false)}
        />
      </td>
    )
  const lost = lostVariables(row, primaryLanguage, language)
  const lacks = lost.map(variable => `{${variable}}`).join(', ')
  return (
    <td className={classes.cell} data-invalid={problem !== undefined || undefined}>
      <button
        type="button"
        className={`bare ${classes.text}`}
        data-cell
        tabIndex={isActive ? 0 : -1}
        title={problem ?? (lost.length > 0 ? `Lacks ${lacks}` : undefined)}
        onFocus={() => !isActive && onCell(cell, false)}
        onClick={() => onCell(cell, true)}
      >
        {text === undefined ? (
          <span className={classes.missing}>
            <Plus size={12} />
            Missing
          </span>
        ) : (
          <span className="cut">
            <TextWithVariables text={text} />
          </span>
        )}
        {lost.length > 0 && (
          <>
            <TriangleAlert size={14} className="warn" />
            <span className="sr">Lacks {lacks}</span>
          </>
        )}
      </button>
    </td>
  )
}
