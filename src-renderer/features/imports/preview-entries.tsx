import { ArrowDownLeft, CircleMinus } from 'lucide-react'
import type { ImportDetails } from '#shared/model/import-preview.ts'
import { formatCount } from '../../ui/format.ts'
import { Method } from '../../ui/method.tsx'
import { type Entry, EntryList } from './entry-list.tsx'
import { skippedInWords, skipsInWords } from './import-words.ts'
import classes from './preview-step.module.css'

type Listed<Kind extends 'actions' | 'eventTypes'> = {
  readonly entries: ImportDetails[Kind]
  /** What becomes of them: “to create”, “created”. */
  readonly what: string
}

/** Actions with their methods, then the duplicates that are skipped. */
export function ActionEntries({ entries, what }: Listed<'actions'>) {
  const listed = createdFirst(entries).map(({ toolName, method, path, line, skippedBecause }, index) => ({
    key: `${index}`,
    isSkipped: skippedBecause !== null,
    content: (
      <>
        {skippedBecause === null ? (
          <Method method={method} />
        ) : (
          <CircleMinus size={16} className={classes.skipMark} role="img" aria-label="Skipped" />
        )}
        <code className="cut" title={`${method} ${path}`}>
          {toolName}
        </code>
        {skippedBecause !== null && (
          <span className={classes.why}>{skippedInWords('tool name', line, skippedBecause)}</span>
        )}
      </>
    ),
  }))
  return <Entries entries={listed} one="action" what={what} />
}

/** Event types with how many variables they give, then the duplicates that are skipped. */
export function EventTypeEntries({ entries, what }: Listed<'eventTypes'>) {
  const listed = createdFirst(entries).map(({ eventName, variables, line, skippedBecause }, index) => ({
    key: `${index}`,
    isSkipped: skippedBecause !== null,
    content: (
      <>
        {skippedBecause === null ? (
          <ArrowDownLeft size={14} className="t3" aria-hidden="true" />
        ) : (
          <CircleMinus size={14} role="img" aria-label="Skipped" />
        )}
        <code className="cut">{eventName}</code>
        <span className={classes.why}>
          {skippedBecause === null
            ? formatCount(variables, 'variable')
            : skippedInWords('event name', line, skippedBecause)}
        </span>
      </>
    ),
  }))
  return <Entries entries={listed} one="event type" what={what} />
}

function Entries(props: { readonly entries: readonly Entry[]; readonly one: string; readonly what: string }) {
  const { entries, one, what } = props
  const skipped = entries.filter(({ isSkipped }) => isSkipped).length
  const skips = skipsInWords(skipped)
  const words = formatCount(entries.length - skipped, one)
  return (
    <section className={classes.part} data-fills>
      <h3 className={classes.heading}>
        {words} <span className={classes.aside}>{what}</span>
        {skips !== null && <span className={`push num ${classes.aside}`}>{skips}</span>}
      </h3>
      {entries.length > 0 && <EntryList entries={entries} label={`${words} ${what}`} />}
    </section>
  )
}

function createdFirst<One extends { readonly skippedBecause: unknown }>(entries: readonly One[]): One[] {
  const isCreated = ({ skippedBecause }: One) => skippedBecause === null
  return [...entries.filter(isCreated), ...entries.filter(entry => !isCreated(entry))]
}
