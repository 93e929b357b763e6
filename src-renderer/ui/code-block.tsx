import { ActionIcon, CopyButton, Tooltip } from '@mantine/core'
import { Check, Copy } from 'lucide-react'
import { useMemo } from 'react'
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

/** Highlighted code, read-only. */
export function CodeBlock({ lines, label, copyText, wrap = false, added, removed }: CodeBlockProps) {
  const marks = added !== undefined || removed !== undefined
  return (
    <figure className={classes.block} aria-label={label}>
      <pre
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
      {copyText !== undefined && <CopyCode text={copyText} />}
    </figure>
  )
}

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
