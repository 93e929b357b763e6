import { Checkbox } from '@mantine/core'
import { ArrowDownLeft } from 'lucide-react'
import type { ImportDetails, Unsupported } from '#shared/model/import-preview.ts'
import { Method } from '../../ui/badges.tsx'
import { formatCount } from '../../ui/format.ts'
import { partLeftOut } from './choice.ts'
import { type Choice, type Entry, EntryList } from './entry-list.tsx'
import { skippedLabel, skipsLabel } from './import-labels.ts'
import classes from './preview-step.module.css'

type Listed<Kind extends 'actions' | 'eventTypes'> = {
  readonly entries: ImportDetails[Kind]
  /** The effect of the import on the entries: “to create”, “created”. */
  readonly what: string
  readonly choice?: Choice
}

/** Lists actions with what they lose, then duplicates and operations that are not imported. */
export function ActionEntries(
  props: Listed<'actions'> & {
    /** Parts of an OpenAPI document or a curl command that cannot be imported. */
    readonly leftOut: readonly Unsupported[]
  },
) {
  const { entries, what, choice, leftOut } = props
  const parts = Map.groupBy(leftOut, ({ toolName }) => toolName)
  const listed = entries.map((action, index): Entry => {
    const { toolName, method, path, line, skippedBecause, isEnabled } = action
    const lost = skippedBecause === null ? (parts.get(toolName) ?? []) : []
    return {
      key: `${index}`,
      name: toolName,
      skipped: skippedBecause === null ? null : 'Skipped',
      icon: <Method method={method} />,
      detail: path,
      aside:
        skippedBecause !== null
          ? skippedLabel('tool name', line, skippedBecause)
          : !isEnabled && <span className="warn">Switched off</span>,
      ...(lost.length > 0 && { note: lost.map(partLeftOut).join('; ') }),
    }
  })
  const dropped = (parts.get(null) ?? []).map(
    ({ name, reason, line }): Entry => ({
      key: `${line} ${name}`,
      name,
      skipped: 'Not imported',
      aside: 'Not imported',
      note: reason,
    }),
  )
  const off = entries.filter(
    ({ toolName, isEnabled, skippedBecause }) =>
      skippedBecause === null && !isEnabled && !choice?.unchecked.has(toolName),
  ).length
  const words = [
    off > 0 && `${off} switched off`,
    skipsLabel(listed.filter(({ skipped }) => skipped !== null).length),
    dropped.length > 0 && `${dropped.length} not imported`,
  ]
  return (
    <Entries
      entries={[...createdFirst(listed), ...dropped]}
      one="action"
      what={what}
      summary={words.filter(Boolean).join(', ')}
      choice={choice}
    />
  )
}

/** Lists event types with the number of their variables, then duplicates. */
export function EventTypeEntries({ entries, what, choice }: Listed<'eventTypes'>) {
  const listed = entries.map(
    ({ eventName, variables, line, skippedBecause }, index): Entry => ({
      key: `${index}`,
      name: eventName,
      skipped: skippedBecause === null ? null : 'Skipped',
      icon: <ArrowDownLeft className="t3" />,
      aside:
        skippedBecause === null
          ? formatCount(variables, 'variable')
          : skippedLabel('event name', line, skippedBecause),
    }),
  )
  return (
    <Entries
      entries={createdFirst(listed)}
      one="event type"
      what={what}
      summary={skipsLabel(listed.filter(({ skipped }) => skipped !== null).length) ?? ''}
      choice={choice}
    />
  )
}

function Entries(props: {
  readonly entries: readonly Entry[]
  readonly one: string
  readonly what: string
  readonly summary: string
  readonly choice: Choice | undefined
}) {
  const { entries, one, what, summary, choice } = props
  const names = entries.flatMap(({ name, skipped }) => (skipped === null ? [name] : []))
  const ticked = names.filter(name => !choice?.unchecked.has(name)).length
  const words = formatCount(ticked, one)
  if (entries.length === 0) return null
  return (
    <section className={classes.part} data-one={one} data-choice={choice !== undefined || undefined}>
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
        {summary !== '' && <span className={`push num cut ${classes.aside}`}>{summary}</span>}
      </h3>
      <EntryList entries={entries} label={`${words} ${what}`} choice={choice} />
    </section>
  )
}

const createdFirst = (entries: readonly Entry[]) =>
  entries.toSorted((a, b) => Number(a.skipped !== null) - Number(b.skipped !== null))
