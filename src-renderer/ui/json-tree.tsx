import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  useDeferredValue,
  useEffect,
  useId,
  useMemo,
  useRef,
} from 'react'
import { parseDotPath } from '#shared/model/response-mapping.ts'
import { formatJson } from './format-json.ts'
import { type JsonNode, type JsonNodes, nodeAt, readJsonNodes } from './json-nodes.ts'
import classes from './json-tree.module.css'
import { JsonTreeRow } from './json-tree-row.tsx'
import { pageOf, rowOfKey } from './keyboard-list.ts'
import { useJsonRows } from './use-json-rows.ts'
import { usePrinting } from './use-printing.ts'

const rowHeight = 20
/** Browsers limit the height of an element to about 33 million pixels. */
const mostRows = 1_600_000

type JsonTreeProps = {
  /** Any text that is not JSON is shown unchanged. Numbers keep their digits. */
  readonly text: string
  /** The result of `readJsonNodes`, if it is known: parsing a long text takes time. */
  readonly nodes?: JsonNodes | null
  /** The accessible name: “Response”. */
  readonly label?: string
  /** Dot-path of the selected value, `items.0.sku`; null for none. If undefined, the tree keeps the selection. */
  readonly selectedPath?: string | null
  readonly onSelect?: (node: JsonNode) => void
  /** Renders the end of the selected row. Enter presses its first button. */
  readonly renderAction?: (node: JsonNode) => ReactNode
  /** Labels to show after values, by dot-path, such as a mapped alias. */
  readonly marks?: ReadonlyMap<string, string>
  /** Shows only values whose key or text contains these words, and the containers around them. */
  readonly search?: string
  /** In pixels; without it the tree fills its container. */
  readonly maxHeight?: number
}

/** A JSON text as a tree of its values. */
export function JsonTree(props: JsonTreeProps) {
  const { text, nodes: known } = props
  const nodes = useMemo(() => (known === undefined ? readJsonNodes(text) : known), [text, known])
  if (nodes === null)
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
      <pre className={classes.text} tabIndex={0}>
        {text}
      </pre>
    )
  return (
    <>
      <Tree {...props} nodes={nodes} />
      <Printed text={text} />
    </>
  )
}

/** Shows all of the text on paper, where a tree has only the rows that were in view, and closed ones. */
function Printed({ text }: { readonly text: string }) {
  return usePrinting() && <pre className={classes.text}>{formatJson(text)}</pre>
}

function Tree(props: JsonTreeProps & { readonly nodes: JsonNodes }) {
  const { nodes, renderAction } = props
  const search = useDeferredValue(props.search ?? '')
  const { rows, selected, matches, isOpen, choose, toggle } = useJsonRows(nodes, props.selectedPath, search)
  const marks = useMemo(() => normalMarks(props.marks), [props.marks])
  const scroller = useRef<HTMLDivElement>(null)
  const id = useId()

  const count = Math.min(rows.length, mostRows)
  const active = selected === null ? 0 : Math.max(0, rowOf(rows, selected))
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    // The active row stays rendered, since aria-activedescendant refers to it.
    rangeExtractor: range => {
      const shown = defaultRangeExtractor(range)
      return active < count && !shown.includes(active) ? [...shown, active].sort((a, b) => a - b) : shown
    },
  })
  useEffect(() => {
    if (selected !== null) virtualizer.scrollToIndex(active)
  }, [virtualizer, selected, active])

  function select(row: number): void {
    const index = rows[Math.max(0, Math.min(row, count - 1))]
    if (index === undefined) return
    const node = nodeAt(nodes, index)
    choose(node)
    props.onSelect?.(node)
  }
  function setOpen(row: number, open: boolean): void {
    const index = rows[row]
    if (index === undefined || nodes.children[index] === 0 || matches !== null) return
    // Closing a container selects it if the selected value is inside.
    if (!open && selected !== null && index < selected && selected < (nodes.ends[index] ?? 0)) select(row)
    toggle(index, !open)
  }
  function onKeyDown(event: KeyboardEvent<HTMLDivElement>): void {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
    const to = rowOfKey(event, selected === null ? -1 : active, count, pageOf(event.currentTarget, rowHeight))
    const parent = () => rowOf(rows, nodes.parents[rows[active] ?? 0] ?? 0)
    const keys: Readonly<Record<string, () => void>> = {
      ArrowRight: () => (isOpen(active) ? select(active + 1) : setOpen(active, true)),
      ArrowLeft: () => (isOpen(active) && matches === null ? setOpen(active, false) : select(parent())),
      ' ': () => setOpen(active, !isOpen(active)),
      Enter: () => document.getElementById(`${id}-${active}`)?.querySelector('button')?.click(),
    }
    const act = to === null ? keys[event.key] : () => select(to)
    if (act === undefined) return
    event.preventDefault()
    act()
  }
  function onCopy(event: ClipboardEvent<HTMLDivElement>): void {
    if (selected === null || document.getSelection()?.isCollapsed === false) return
    const { kind, value } = nodeAt(nodes, selected)
    if (kind === 'object' || kind === 'array') return
    event.preventDefault()
    event.clipboardData.setData('text/plain', value)
  }

  if (matches === 0) return <p className={classes.empty}>Nothing contains “{search}”.</p>
  return (
    <div
      ref={scroller}
      className={classes.tree}
      style={props.maxHeight === undefined ? undefined : { height: 'auto', maxHeight: props.maxHeight }}
      role="tree"
      aria-label={props.label ?? 'JSON'}
      aria-activedescendant={`${id}-${active}`}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onCopy={onCopy}
    >
      <div className={classes.rows} style={{ height: virtualizer.getTotalSize() }} role="presentation">
        {virtualizer.getVirtualItems().map(({ index: row, start }) => {
          const node = nodeAt(nodes, rows[row] ?? 0)
          const isSelected = node.index === selected
          return (
            <JsonTreeRow
              key={node.index}
              node={node}
              id={`${id}-${row}`}
              top={start}
              isOpen={isOpen(row)}
              isSelected={isSelected}
              isActive={row === active}
              mark={node.path === null ? undefined : marks.get(node.path)}
              search={search}
              action={isSelected ? renderAction?.(node) : undefined}
              onClick={() => select(row)}
              onToggle={() => setOpen(row, !isOpen(row))}
            />
          )
        })}
      </div>
      {rows.length > count && <p className={classes.empty}>The rest is only shown in the raw view.</p>}
    </div>
  )
}

/** Finds a value's row by binary search. */
function rowOf(rows: readonly number[], index: number): number {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rows[middle] ?? 0) < index) low = middle + 1
    else high = middle
  }
  return low
}

/** Normalizes paths such as `items[0].sku` to `items.0.sku`. */
function normalMarks(marks: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, string> {
  return new Map([...marks].map(([path, mark]) => [parseDotPath(path)?.join('.') ?? path, mark]))
}
