import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useRef } from 'react'
import classes from './preview-step.module.css'

export type Entry = {
  readonly key: string
  readonly isSkipped: boolean
  readonly content: ReactNode /** A second line. */
  readonly note?: ReactNode
}

const rowHeight = 26
const noteHeight = 18
/** The first one that is skipped has a line above it. */
const ruleHeight = 12

/** A list of any length to read: what is created, then what is skipped. Scrolls by itself. */
export function EntryList({
  entries,
  label,
}: {
  readonly entries: readonly Entry[]
  readonly label: string
}) {
  const scroller = useRef<HTMLElement>(null)
  const firstSkipped = entries.findIndex(({ isSkipped }) => isSkipped)
  const hasRule = (index: number) => index === firstSkipped && index > 0
  const virtualizer = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: index =>
      rowHeight + (hasRule(index) ? ruleHeight : 0) + (entries[index]?.note === undefined ? 0 : noteHeight),
    overscan: 10,
  })
  return (
    // What scrolls is in reach of the keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section ref={scroller} className={classes.scroller} aria-label={label} tabIndex={0}>
      <ul className={classes.entries} style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start, size }) => {
          const entry = entries[index]
          if (entry === undefined) return null
          return (
            <li
              key={entry.key}
              className={classes.entry}
              data-skipped={entry.isSkipped || undefined}
              data-rule={hasRule(index) || undefined}
              aria-setsize={entries.length}
              aria-posinset={index + 1}
              style={{ height: size, transform: `translateY(${start}px)` }}
            >
              <div className={classes.entryLine}>{entry.content}</div>
              {entry.note !== undefined && <div className={classes.entryNote}>{entry.note}</div>}
            </li>
          )
        })}
      </ul>
    </section>
  )
}
