import { Checkbox } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { CircleMinus } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
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
  readonly title?: string
  /** Stands at the end of the line. */
  readonly aside: ReactNode
  /** A second line. */
  readonly note?: string
}

const rowHeight = 26
const noteHeight = 18
/** The height of the rule above the first skipped entry. */
const ruleHeight = 12

/** A scrolling list of any length: the entries to create, then the skipped ones. */
export function EntryList(props: {
  readonly entries: readonly Entry[]
  readonly label: string
  /** Left out where nothing can be chosen. */
  readonly choice: Choice | undefined
}) {
  const { entries, label, choice } = props
  const scroller = useRef<HTMLElement>(null)
  const firstSkipped = entries.findIndex(({ skipped }) => skipped !== null)
  const hasRule = (index: number) => index === firstSkipped && index > 0
  const virtualizer = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: index =>
      rowHeight + (hasRule(index) ? ruleHeight : 0) + (entries[index]?.note === undefined ? 0 : noteHeight),
    overscan: 10,
  })
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <section ref={scroller} className={classes.scroller} aria-label={label} tabIndex={0}>
      <ul className={classes.entries} style={{ height: virtualizer.getTotalSize() }}>
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
              style={{ height: size, transform: `translateY(${start}px)` }}
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
  const { name, skipped, icon, title, aside } = entry
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
      <code className="cut" title={title}>
        {name}
      </code>
      <span className={classes.why}>{aside}</span>
    </div>
  )
}
