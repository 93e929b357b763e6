import { ActionIcon, CopyButton, Tooltip } from '@mantine/core'
import { Check, ChevronDown, Copy } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import classes from './code-block.module.css'
import { cssVariables } from './css-variables.ts'
import type { Token } from './highlight.ts'
import { jsonLines } from './json-lines.ts'

type CodeLine = readonly Token[]

type CodeBlockProps = {
  readonly lines: readonly CodeLine[]
  /** The accessible name. */
  readonly label: string
  /** Shows a button that copies this text. */
  readonly copyText?: string
  readonly wrap?: boolean
  /** Indices of the lines that were added or removed. */
  readonly added?: ReadonlySet<number>
  readonly removed?: ReadonlySet<number>
}

/** Highlighted code, read-only. Says so if there is more of it below, as a browser may hide its scroll bars. */
export function CodeBlock({ lines, label, copyText, wrap = false, added, removed }: CodeBlockProps) {
  const marks = added !== undefined || removed !== undefined
  const code = useRef<HTMLPreElement>(null)
  const [hasMore, setHasMore] = useState(false)
  const look = () => setHasMore(code.current !== null && below(code.current) > mostBelow)
  useEffect(() => {
    const { current } = code
    if (current === null) return
    const observer = new ResizeObserver(() => setHasMore(below(current) > mostBelow))
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the box may be as high with other lines
  useEffect(look, [lines])
  function showMore(): void {
    // Before the button disappears.
    code.current?.focus()
    code.current?.scrollBy({ top: code.current.clientHeight - lineHeight })
  }
  return (
    <figure className={classes.block} aria-label={label}>
      <pre
        ref={code}
        onScroll={look}
        className={classes.code}
        data-wrap={wrap || undefined}
        data-marks={marks || undefined}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
        tabIndex={0}
      >
        {lines.map((line, index) => (
          <CodeLineRow
            // biome-ignore lint/suspicious/noArrayIndexKey: lines are never reordered
            key={index}
            line={line}
            change={added?.has(index) ? 'added' : removed?.has(index) ? 'removed' : undefined}
          />
        ))}
      </pre>
      {hasMore && (
        <button type="button" className={classes.more} aria-label={`More of ${label}`} onClick={showMore}>
          More
          <ChevronDown size={12} />
        </button>
      )}
      {copyText !== undefined && <CopyCode text={copyText} />}
    </figure>
  )
}

/** In pixels. */
const lineHeight = 19
/** Pixels below the visible part that are padding alone. */
const mostBelow = 10

const below = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement) =>
  scrollHeight - scrollTop - clientHeight

function CodeLineRow(props: { readonly line: CodeLine; readonly change: 'added' | 'removed' | undefined }) {
  return (
    <span className={classes.line} data-change={props.change}>
      {props.change !== undefined && <span className="sr">{props.change}: </span>}
      {props.line.map(({ text, kind }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line are never reordered
        <span key={index} data-kind={kind} style={cssVariables({ '--kind': `var(--cc-c-${kind})` })}>
          {text}
        </span>
      ))}
      {'\n'}
    </span>
  )
}

function CopyCode({ text }: { readonly text: string }) {
  return (
    <CopyButton value={text} timeout={2000}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : 'Copy'}>
          <ActionIcon className={classes.copy} size="xs" variant="default" onClick={copy} aria-label="Copy">
            {copied ? <Check /> : <Copy />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  )
}

/** Longer JSON is shown in one colour: a million elements would slow the page down. */
const longestColoured = 200_000

/** A JSON text, highlighted and otherwise unchanged. */
export function JsonBlock({ text, ...props }: Omit<CodeBlockProps, 'lines'> & { readonly text: string }) {
  const lines = useMemo<readonly CodeLine[]>(
    () => (text.length > longestColoured ? [[{ text, kind: 'key' }]] : jsonLines(text)),
    [text],
  )
  return <CodeBlock lines={lines} {...props} />
}
