import { Checkbox } from '@mantine/core'
import { ArrowDownLeft, Check, ChevronDown, ChevronUp, Pencil } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import type { ComparedField } from '#shared/model/import-comparison.ts'
import { Method } from '../../../ui/badges.tsx'
import { formatDay } from '../../../ui/format.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Note } from '../../../ui/note.tsx'
import { type FieldText, fieldLabel, fieldText } from './field-labels.ts'
import classes from './reimport.module.css'
import type { Added, Changed, Removed, Row, Selection } from './selection.ts'
import { withField } from './selection.ts'
import { type DiffPart, diffWords } from './word-diff.ts'

/** Shows what a document has changed of one entry, and what depends on it. */
export function DifferenceDetail(props: {
  readonly row: Row
  readonly selection: Selection
  readonly onSelectionChange: (selection: Selection) => void
  readonly onStep: (by: 1 | -1) => void
}) {
  const { row, selection, onSelectionChange, onStep } = props
  const { section, entry } = row
  if (entry === undefined) return null
  return (
    <>
      <div className={classes.title}>
        {entry.method === null ? (
          <ArrowDownLeft size={16} role="img" aria-label="Event type" />
        ) : (
          <Method method={entry.method} />
        )}
        <h3 className="h2">{entry.label ?? entry.name}</h3>
        {entry.label !== null && <code className="t3 sm cut">{entry.name}</code>}
        <span className="push" />
        <span className="row" style={{ gap: 2 }}>
          <IconButton size="xs" icon={ChevronUp} label="Previous change" onClick={() => onStep(-1)} />
          <IconButton size="xs" icon={ChevronDown} label="Next change" onClick={() => onStep(1)} />
        </span>
      </div>
      {section === 'added' && <AddedDetail entry={entry} />}
      {section === 'changed' && (
        <ChangedDetail entry={entry} selection={selection} onSelectionChange={onSelectionChange} />
      )}
      {section === 'removed' && <RemovedDetail entry={entry} isSelected={selection.has(entry.operation)} />}
    </>
  )
}

function AddedDetail({ entry }: { readonly entry: Added }) {
  const { kind, operation, isEnabled } = entry
  return (
    <p className={`sm t2 ${classes.part}`}>
      {kind === 'action' ? (
        <>
          <code>{operation}</code> is new in the document. It becomes an action
          {isEnabled ? '.' : ' that is switched off, because a part of it cannot be called.'}
        </>
      ) : (
        'The document describes this event now. It becomes an event type.'
      )}
    </p>
  )
}

function RemovedDetail({ entry, isSelected }: { readonly entry: Removed; readonly isSelected: boolean }) {
  const { operation, lastCalledAt, editedAt } = entry
  return (
    <>
      <p className={`sm t2 ${classes.part}`}>
        The document no longer has <code>{operation}</code>.{' '}
        {isSelected
          ? 'The action is switched off, and keeps its settings and its calls.'
          : 'The action stays as it is.'}
      </p>
      {(lastCalledAt !== null || editedAt !== null) && (
        <p className={`sm t2 ${classes.part}`}>
          {lastCalledAt !== null && `It was called last on ${formatDay(lastCalledAt)}. `}
          {editedAt !== null && `You kept it on ${formatDay(editedAt)}.`}
        </p>
      )}
      <Dependents workflows={entry.workflows} />
    </>
  )
}

function ChangedDetail(props: {
  readonly entry: Changed
  readonly selection: Selection
  readonly onSelectionChange: (selection: Selection) => void
}) {
  const { entry, selection, onSelectionChange } = props
  const { operation, kind, fields, kept, workflows } = entry
  const isTool = kind === 'action' && fields.some(({ field }) => tellsAssistant(field))
  return (
    <>
      <fieldset className={classes.fields} aria-label="Fields that differ">
        <div className={classes.names} aria-hidden="true">
          <span />
          <span>Field</span>
          <span>Here now</span>
          <span>In the document</span>
        </div>
        {fields.map(field => (
          <Field
            key={field.field}
            field={field}
            isSelected={selection.get(operation)?.has(field.field) === true}
            onSelect={isSelected =>
              onSelectionChange(withField(selection, operation, field.field, isSelected))
            }
          />
        ))}
      </fieldset>
      <Dependents workflows={workflows}>
        {isTool && (
          <li>
            <b className="w5">The assistant’s tool</b> changes too: connected clients reload it.
          </li>
        )}
      </Dependents>
      {kept.length > 0 && (
        <section className={classes.fields} aria-label="Stays as it is">
          <div className={classes.names} style={oneColumn}>
            <span />
            <span>Not changed in the document, yours is kept</span>
          </div>
          <div className={classes.field} style={oneColumn}>
            <Check size={14} className="t3" aria-hidden="true" />
            <span>{kept.map(field => fieldLabel(field).label).join(' · ')}</span>
          </div>
        </section>
      )}
    </>
  )
}

const oneColumn = { gridTemplateColumns: '18px minmax(0, 1fr)' }

const tellsAssistant = (field: string) =>
  field === 'description' || field === 'isEnabled' || field.startsWith('parameters.')

function Field(props: {
  readonly field: ComparedField
  readonly isSelected: boolean
  readonly onSelect: (isSelected: boolean) => void
}) {
  const { field, edited, editedAt, omitted = false } = props.field
  const { label, isCode } = fieldLabel(field)
  const { before, after } = props.field
  const [here, there] = useMemo(
    () => compared(fieldText(field, before), fieldText(field, after)),
    [field, before, after],
  )
  return (
    <div className={classes.field}>
      <Checkbox
        size="xs"
        aria-label={`Take ${label}`}
        checked={props.isSelected}
        onChange={event => props.onSelect(event.currentTarget.checked)}
      />
      {isCode ? <code className="w5">{label}</code> : <span className="w5">{label}</span>}
      <div>
        {omitted ? notShown : <Value side="before" value={here} />}
        {edited && (
          <div className={classes.own}>
            <Pencil size={12} aria-hidden="true" />
            Your edit{editedAt !== null && `, ${formatDay(editedAt)}`}
          </div>
        )}
      </div>
      <div>
        {omitted ? notShown : <Value side="after" value={there} />}
        {edited && <div className="t2">{props.isSelected ? 'Replaces yours' : 'Yours is kept'}</div>}
      </div>
    </div>
  )
}

const notShown = <span className="t3">not shown, there is too much</span>

/** A value with its own words marked; null for none. */
type Marked = { readonly code: readonly DiffPart[]; readonly prose: readonly DiffPart[] } | null

function compared(before: FieldText | null, after: FieldText | null): readonly [Marked, Marked] {
  const code = diffWords(before?.code ?? '', after?.code ?? '')
  const prose = diffWords(before?.prose ?? '', after?.prose ?? '')
  return [
    before && { code: code.before, prose: prose.before },
    after && { code: code.after, prose: prose.after },
  ]
}

function Value({ side, value }: { readonly side: 'before' | 'after'; readonly value: Marked }) {
  if (value === null) return <span className="t3">not there</span>
  const { code, prose } = value
  return (
    <div className={classes.value} data-side={side}>
      {code.length > 0 && (
        <code>
          <Marks parts={code} />
        </code>
      )}
      {code.length > 0 && prose.length > 0 && ' '}
      <Marks parts={prose} />
    </div>
  )
}

function Marks({ parts }: { readonly parts: readonly DiffPart[] }) {
  return parts.map(({ text, isOwn }, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
    isOwn ? <mark key={index}>{text}</mark> : <span key={index}>{text}</span>,
  )
}

function Dependents(props: { readonly workflows: readonly string[]; readonly children?: ReactNode }) {
  const { workflows, children } = props
  if (workflows.length === 0 && (children === undefined || children === false)) return null
  return (
    <section className={classes.part}>
      <h4 className="h3">What depends on it</h4>
      <Note tone="warn">
        <ul className="sm">
          {workflows.map(name => (
            <li key={name}>
              <b className="w5">The workflow “{name}”</b> calls it.
            </li>
          ))}
          {children}
        </ul>
      </Note>
    </section>
  )
}
