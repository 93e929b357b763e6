import { Checkbox } from '@mantine/core'
import { ArrowDownLeft, CircleMinus } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ImportDetails, Unsupported } from '#shared/model/import-preview.ts'
import { Method } from '../../ui/badges.tsx'
import { formatCount } from '../../ui/format.ts'
import { partLeftOut } from './choice.ts'
import { type Entry, EntryList } from './entry-list.tsx'
import { skippedInWords, skipsInWords } from './import-words.ts'
import classes from './preview-step.module.css'

/** Which entries are ticked; left out where there is nothing left to choose. */
type Choice = {
  readonly unchecked: ReadonlySet<string>
  readonly onCheck: (names: readonly string[], isChecked: boolean) => void
}

type Listed<Kind extends 'actions' | 'eventTypes'> = {
  readonly entries: ImportDetails[Kind]
  /** What becomes of them: “to create”, “created”. */
  readonly what: string
  readonly choice?: Choice
}

/** Shows actions with what they lose, then duplicates and operations that are not imported. */
export function ActionEntries(
  props: Listed<'actions'> & {
    /** Parts of an OpenAPI document or curl command that cannot be imported. */
    readonly leftOut: readonly Unsupported[]
  },
) {
  const { entries, what, choice, leftOut } = props
  const parts = Map.groupBy(leftOut, ({ toolName }) => toolName)
  const listed = createdFirst(entries).map((action, index): Entry => {
    const { toolName, method, path, line, skippedBecause, isEnabled } = action
    const isSkipped = skippedBecause !== null
    const lost = isSkipped ? [] : (parts.get(toolName) ?? [])
    return {
      key: `${index}`,
      isSkipped,
      content: (
        <>
          {isSkipped ? (
            <CircleMinus size={16} className={classes.skipMark} role="img" aria-label="Skipped" />
          ) : (
            <>
              <Tick name={toolName} choice={choice} />
              <Method method={method} />
            </>
          )}
          <code className="cut" title={`${method} ${path}`}>
            {toolName}
          </code>
          {isSkipped && (
            <span className={classes.why}>{skippedInWords('tool name', line, skippedBecause)}</span>
          )}
          {!isSkipped && !isEnabled && <span className={`warn ${classes.why}`}>Switched off</span>}
        </>
      ),
      ...(lost.length > 0 && { note: <Note text={lost.map(partLeftOut).join('; ')} /> }),
    }
  })
  const dropped = (parts.get(null) ?? []).map(
    ({ name, reason, line }): Entry => ({
      key: `${line} ${name}`,
      isSkipped: true,
      content: (
        <>
          <CircleMinus size={16} className={classes.skipMark} role="img" aria-label="Not imported" />
          <code className="cut">{name}</code>
          <span className={classes.why}>Not imported</span>
        </>
      ),
      note: <Note text={reason} />,
    }),
  )
  const created = entries.filter(({ skippedBecause }) => skippedBecause === null)
  const off = created.filter(
    ({ toolName, isEnabled }) => !isEnabled && !choice?.unchecked.has(toolName),
  ).length
  const words = [
    ...(off === 0 ? [] : [`${off} switched off`]),
    ...(created.length === entries.length ? [] : [skipsInWords(entries.length - created.length)]),
    ...(dropped.length === 0 ? [] : [`${dropped.length} not imported`]),
  ]
  return (
    <Entries
      entries={[...listed, ...dropped]}
      names={created.map(({ toolName }) => toolName)}
      one="action"
      what={what}
      aside={words.join(', ')}
      choice={choice}
    />
  )
}

/** Shows event types with how many variables they give, then the duplicates that are skipped. */
export function EventTypeEntries({ entries, what, choice }: Listed<'eventTypes'>) {
  const listed = createdFirst(entries).map(
    ({ eventName, variables, line, skippedBecause }, index): Entry => ({
      key: `${index}`,
      isSkipped: skippedBecause !== null,
      content: (
        <>
          {skippedBecause === null ? (
            <>
              <Tick name={eventName} choice={choice} />
              <ArrowDownLeft className="t3" />
            </>
          ) : (
            <CircleMinus role="img" aria-label="Skipped" />
          )}
          <code className="cut">{eventName}</code>
          <span className={classes.why}>
            {skippedBecause === null
              ? formatCount(variables, 'variable')
              : skippedInWords('event name', line, skippedBecause)}
          </span>
        </>
      ),
    }),
  )
  const created = entries.filter(({ skippedBecause }) => skippedBecause === null)
  return (
    <Entries
      entries={listed}
      names={created.map(({ eventName }) => eventName)}
      one="event type"
      what={what}
      aside={skipsInWords(entries.length - created.length) ?? ''}
      choice={choice}
    />
  )
}

function Tick({ name, choice }: { readonly name: string; readonly choice: Choice | undefined }) {
  if (choice === undefined) return null
  return (
    <Checkbox
      size="xs"
      aria-label={`Import ${name}`}
      checked={!choice.unchecked.has(name)}
      onChange={event => choice.onCheck([name], event.currentTarget.checked)}
    />
  )
}

function Note({ text }: { readonly text: string }): ReactNode {
  return (
    <span className="cut" title={text}>
      {text}
    </span>
  )
}

function Entries(props: {
  readonly entries: readonly Entry[]
  /** Of those that can be created. */
  readonly names: readonly string[]
  readonly one: string
  readonly what: string
  readonly aside: string
  readonly choice: Choice | undefined
}) {
  const { entries, names, one, what, aside, choice } = props
  const ticked = names.filter(name => !choice?.unchecked.has(name)).length
  const words = formatCount(ticked, one)
  return (
    <section className={classes.part} data-fills data-choice={choice !== undefined || undefined}>
      <h3 className={classes.heading}>
        {choice !== undefined && names.length > 1 && (
          <Checkbox
            size="xs"
            aria-label={`Import all ${one}s`}
            checked={ticked === names.length}
            indeterminate={ticked > 0 && ticked < names.length}
            onChange={event => choice.onCheck(names, event.currentTarget.checked)}
          />
        )}
        {words} <span className={classes.aside}>{what}</span>
        {aside !== '' && <span className={`push num cut ${classes.aside}`}>{aside}</span>}
      </h3>
      {entries.length > 0 && <EntryList entries={entries} label={`${words} ${what}`} />}
    </section>
  )
}

function createdFirst<One extends { readonly skippedBecause: unknown }>(entries: readonly One[]): One[] {
  const isCreated = ({ skippedBecause }: One) => skippedBecause === null
  return [...entries.filter(isCreated), ...entries.filter(entry => !isCreated(entry))]
}
