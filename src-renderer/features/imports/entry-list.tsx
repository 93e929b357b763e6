import { Checkbox } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { CircleMinus } from 'lucide-react'
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import classes from './preview-step.module.css'

/** The check boxes of the entries. */
export type Choice = {
  readonly unchecked: ReadonlySet<string>
  readonly onCheck: (names: readonly string[], isChecked: boolean) => void
}

export type Entry = {
  readonly key: string
  readonly name: string
  /** “Skipped” or “Not imported”, or null for an entry to create. */
  readonly skipped: string | null
  readonly icon?: ReactNode
  /** Stands after the name. */
  readonly detail?: string
  /** Stands at the end of the line. */
  readonly aside: ReactNode
  /** A second line. */
  readonly note?: string
}

const rowHeight = 26
const noteHeight = 18
/** The height of the rule above the first skipped entry. */
const ruleHeight = 12

/** A list of any length within an element that scrolls: the entries to create, then the skipped ones. */
export function EntryList(props: {
  readonly entries: readonly Entry[]
  readonly label: string
  /** Left out where nothing can be chosen. */
  readonly choice: Choice | undefined
}) {
  const { entries, label, choice } = props
  const list = useRef<HTMLUListElement>(null)
  const [scrollMargin, setScrollMargin] = useState(0)
  // After each render, because what is above the list grows and shrinks.
  useLayoutEffect(() => setScrollMargin(list.current?.offsetTop ?? 0))
  const firstSkipped = entries.findIndex(({ skipped }) => skipped !== null)
  const hasRule = (index: number) => index === firstSkipped && index > 0
  const virtualizer = useVirtualizer({
    count: entries.length,
    getScrollElement: () => list.current?.closest('[data-scroller]') ?? null,
    estimateSize: index =>
      rowHeight + (hasRule(index) ? ruleHeight : 0) + (entries[index]?.note === undefined ? 0 : noteHeight),
    overscan: 10,
    scrollMargin,
  })
  return (
    <section aria-label={label}>
      <ul ref={list} className={classes.entries} style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start, size }) => {
          const entry = entries[index]
          if (entry === undefined) return null
          return (
            <li
              key={entry.key}
              className={classes.entry}
              data-skipped={entry.skipped !== null || undefined}
              data-rule={hasRule(index) || undefined}
              aria-setsize={entries.length}
              aria-posinset={index + 1}
              style={{ height: size, transform: `translateY(${start - scrollMargin}px)` }}
            >
              <EntryLine entry={entry} choice={choice} />
              {entry.note !== undefined && (
                <div className={`${classes.entryNote} cut`} title={entry.note}>
                  {entry.note}
                </div>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function EntryLine({ entry, choice }: { readonly entry: Entry; readonly choice: Choice | undefined }) {
  const { name, skipped, icon, detail, aside } = entry
  return (
    <div className={classes.entryLine}>
      {skipped !== null ? (
        <CircleMinus size={16} className={classes.skipMark} role="img" aria-label={skipped} />
      ) : (
        <>
          {choice !== undefined && (
            <Checkbox
              size="xs"
              aria-label={`Import ${name}`}
              checked={!choice.unchecked.has(name)}
              onChange={event => choice.onCheck([name], event.currentTarget.checked)}
            />
          )}
          {icon}
        </>
      )}
      <code className={`cut ${classes.name}`} title={name}>
        {name}
      </code>
      {detail !== undefined && (
        <code className={`cut ${classes.detail}`} title={detail}>
          {detail}
        </code>
      )}
      <span className={classes.why}>{aside}</span>
    </div>
  )
}
