import { Button, TextInput } from '@mantine/core'
import { Plus, X } from 'lucide-react'
import { type ReactNode, useId, useRef } from 'react'
import { formatNumber } from '../../../ui/format.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import classes from './crawler.module.css'

/** An editable list of patterns, each with the number of tried URLs that it decided. */
export function PatternFields(props: {
  readonly label: string
  readonly help: ReactNode
  readonly beside?: ReactNode
  /** Shown while there is no pattern. */
  readonly empty?: string
  /** Names a field for screen readers: “Take pattern”. */
  readonly noun: string
  /** Shown for a pattern that decided none: “takes none”. */
  readonly none: string
  readonly tone: 'ok' | 'bad'
  readonly patterns: readonly string[]
  /** By pattern; null while nothing is tried. */
  readonly counts: readonly number[] | null
  /** The index of the pattern that decided about the chosen URL; -1 for none. */
  readonly marked: number
  /** Returns the problem of a pattern. */
  readonly problemOf: (index: number) => string | undefined
  /** The problem of the whole list. */
  readonly problem: string | undefined
  readonly onChange: (patterns: string[]) => void
  readonly onChoose: (index: number) => void
}) {
  const { noun, none, tone, patterns, counts, marked, problemOf, onChange, onChoose } = props
  const id = useId()
  const list = useRef<HTMLUListElement>(null)
  const addButton = useRef<HTMLButtonElement>(null)
  function focus(index: number): void {
    // After the fields were rendered.
    requestAnimationFrame(() =>
      (list.current?.querySelectorAll('input')[index] ?? addButton.current)?.focus(),
    )
  }
  function add(): void {
    onChange([...patterns, ''])
    focus(patterns.length)
  }
  function remove(index: number): void {
    onChange(patterns.toSpliced(index, 1))
    focus(Math.min(index, patterns.length - 2))
  }
  return (
    <fieldset className={classes.group} aria-labelledby={id}>
      <div className={classes.label}>
        <span id={id} className="w5 t2">
          {props.label}
        </span>
        <span className="t3">{props.help}</span>
        <span className={classes.beside}>{props.beside}</span>
      </div>
      {patterns.length === 0 && props.empty !== undefined && <p className="sm t3">{props.empty}</p>}
      <ul ref={list} className={classes.patterns}>
        {patterns.map((pattern, index) => {
          const count = counts?.[index]
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a pattern has no identity but its place
            <li key={index} data-marked={marked === index || undefined} data-tone={tone}>
              <TextInput
                size="sm"
                aria-label={`${noun} ${index + 1}`}
                placeholder="/help/*"
                spellCheck={false}
                classNames={{ input: classes.pattern ?? '' }}
                value={pattern}
                error={problemOf(index)}
                rightSectionWidth="auto"
                rightSection={
                  count !== undefined &&
                  pattern !== '' && (
                    <span className={`sm num ${classes.count} ${count === 0 ? 'warn' : 't3'}`}>
                      {count === 0 ? none : formatNumber(count)}
                    </span>
                  )
                }
                onFocus={() => onChoose(index)}
                onChange={event => onChange(patterns.with(index, event.currentTarget.value))}
                onKeyDown={event => {
                  if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
                  event.preventDefault()
                  if (pattern !== '') add()
                }}
              />
              <IconButton
                icon={X}
                size="xs"
                label={pattern === '' ? `Remove ${noun.toLowerCase()} ${index + 1}` : `Remove ${pattern}`}
                onClick={() => remove(index)}
              />
            </li>
          )
        })}
      </ul>
      {props.problem !== undefined && (
        <p role="alert" className="sm bad">
          {props.problem}
        </p>
      )}
      <Button
        ref={addButton}
        variant="subtle"
        size="xs"
        ml={-4}
        mt={4}
        leftSection={<Plus size={14} />}
        onClick={add}
      >
        Add pattern
      </Button>
    </fieldset>
  )
}
