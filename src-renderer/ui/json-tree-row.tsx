import { ChevronDown, ChevronRight } from 'lucide-react'
import type { CSSProperties, ReactNode } from 'react'
import { cssVariables } from './css-variables.ts'
import { formatCount } from './format.ts'
import { isBeyondDouble, type JsonNode } from './json-nodes.ts'
import classes from './json-tree.module.css'

/** Maximum number of characters shown of a long string. */
const maxCharacters = 1000
/** The levels with full indentation. Deeper ones are indented less, so that values stay in the pane. */
const fullIndents = 12
const mostIndents = 40

export function JsonTreeRow(props: {
  readonly node: JsonNode
  readonly id: string
  readonly top: number
  readonly isOpen: boolean
  readonly isSelected: boolean
  readonly isActive: boolean
  readonly mark: string | undefined
  readonly search: string
  readonly action: ReactNode
  readonly onClick: () => void
  readonly onToggle: () => void
}) {
  const { node, isOpen, isSelected, search } = props
  const isContainer = node.children > 0
  const Twisty = isOpen ? ChevronDown : ChevronRight
  return (
    // The tree handles the keyboard and refers to its rows by aria-activedescendant.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    // biome-ignore lint/a11y/useFocusableInteractive: see above
    <div
      className={classes.row}
      style={{ transform: `translateY(${props.top}px)`, ...indentOf(node.depth) }}
      role="treeitem"
      id={props.id}
      aria-level={node.depth + 1}
      aria-expanded={isContainer ? isOpen : undefined}
      aria-selected={isSelected}
      data-active={props.isActive || undefined}
      onClick={props.onClick}
      onDoubleClick={isContainer ? props.onToggle : undefined}
    >
      <span
        className={classes.twisty}
        onClick={isContainer ? props.onToggle : undefined}
        onDoubleClick={event => event.stopPropagation()}
        aria-hidden="true"
      >
        {isContainer && <Twisty size={12} />}
      </span>
      {node.name !== null && (
        <span className={classes.name}>
          {highlit(nameOf(node.name), search)}
          <span className={classes.punctuation}>: </span>
        </span>
      )}
      <Value node={node} search={search} />
      {props.mark !== undefined && (
        <span className={classes.mark}>
          <ChevronRight size={12} />
          {props.mark}
        </span>
      )}
      {isSelected && props.action !== undefined && <span className={classes.action}>{props.action}</span>}
    </div>
  )
}

function indentOf(depth: number): CSSProperties {
  const full = Math.min(depth, fullIndents) * 16
  const narrow = Math.max(0, Math.min(depth, mostIndents) - fullIndents) * 4
  return cssVariables({ '--indent': `${full + narrow}px`, '--guides': `${full}px` })
}

function Value({ node, search }: { readonly node: JsonNode; readonly search: string }) {
  if (node.kind === 'object' || node.kind === 'array') {
    const [opens, closes, one] = node.kind === 'object' ? ['{', '}', 'key'] : ['[', ']', 'item']
    if (node.children === 0) return <span className={classes.punctuation}>{`${opens}${closes}`}</span>
    return (
      <>
        <span className={classes.punctuation}>{opens}</span>
        <span className={classes.note}>{formatCount(node.children, one)}</span>
      </>
    )
  }
  const isLong = node.value.length > maxCharacters
  const shown = isLong ? node.value.slice(0, maxCharacters) : node.value
  const text = node.kind === 'string' ? JSON.stringify(shown) : shown
  return (
    <>
      <span className={classes.value} data-kind={node.kind} title={text.length > 40 ? text : undefined}>
        {highlit(text, search)}
      </span>
      {isLong && <span className={classes.note}>{formatCount(node.value.length, 'character')}</span>}
      {isBeyondDouble(node) && <span className={classes.note}>kept digit for digit</span>}
    </>
  )
}

/** Returns a key in quotes only if its ends would not be visible otherwise. */
function nameOf(name: string | number): string {
  return typeof name === 'number' || /^[^\s":,]+$/.test(name) ? String(name) : JSON.stringify(name)
}

function highlit(text: string, search: string): ReactNode {
  const at = search === '' ? -1 : text.toLowerCase().indexOf(search.toLowerCase())
  if (at === -1) return text
  return (
    <>
      {text.slice(0, at)}
      <mark className={classes.hit}>{text.slice(at, at + search.length)}</mark>
      {text.slice(at + search.length)}
    </>
  )
}
