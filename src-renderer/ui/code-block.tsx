import { ActionIcon, CopyButton, Tooltip } from '@mantine/core'
import { Check, Copy } from 'lucide-react'
import { useMemo } from 'react'
import type { Token } from '../features/snippets/highlight.ts'
import classes from './code-block.module.css'
import { jsonLines } from './json-lines.ts'

/** A line of code in its pieces, as `highlight` of the snippets gives it. */
type CodeLine = readonly Token[]

type CodeBlockProps = {
  readonly lines: readonly CodeLine[]
  /** What the code is, for those who hear it. */
  readonly label: string
  /** Offers to copy this. */
  readonly copyText?: string
  /** Long lines go on below instead of out of sight. */
  readonly wrap?: boolean
  /** Lines that were put in or taken out, counted from 0. */
  readonly added?: ReadonlySet<number>
  readonly removed?: ReadonlySet<number>
}

/** Code to read, in colours. */
export function CodeBlock({ lines, label, copyText, wrap = false, added, removed }: CodeBlockProps) {
  const marks = added !== undefined || removed !== undefined
  return (
    <figure className={classes.block} aria-label={label}>
      <pre
        className={classes.code}
        data-wrap={wrap || undefined}
        data-marks={marks || undefined}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be within reach of the keyboard
        tabIndex={0}
      >
        {lines.map((line, index) => (
          <CodeLineRow
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its number
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
        <span key={index} data-kind={kind}>
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

/** Longer JSON is shown in one colour: a page of a million pieces helps nobody. */
const longestColoured = 200_000

/** A JSON text as it stands, in colours. */
export function JsonBlock({ text, ...props }: Omit<CodeBlockProps, 'lines'> & { readonly text: string }) {
  const lines = useMemo<readonly CodeLine[]>(
    () => (text.length > longestColoured ? [[{ text, kind: 'key' }]] : jsonLines(text)),
    [text],
  )
  return <CodeBlock lines={lines} {...props} />
}
