import { Checkbox } from '@mantine/core'
import { ArrowDownLeft } from 'lucide-react'
import { type Ref, useMemo, useState } from 'react'
import { defaultChoice, type ImportComparison } from '#shared/model/import-comparison.ts'
import { Method } from '../../../ui/badges.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { formatCount, formatRelative } from '../../../ui/format.ts'
import { VirtualList, type VirtualListHandle } from '../../../ui/virtual-list.tsx'
import { DifferenceDetail } from './difference-detail.tsx'
import classes from './reimport.module.css'
import {
  type Removed,
  type Row,
  type Section,
  type Selection,
  tickedEntry,
  tickedSection,
  withEntries,
} from './selection.ts'

/** Lists what a document has changed, and shows the chosen entry field by field. */
export function DifferenceStep(props: {
  readonly comparison: ImportComparison
  readonly rows: readonly Row[]
  readonly selected: Row | null
  readonly onSelect: (row: Row) => void
  readonly selection: Selection
  readonly onSelectionChange: (selection: Selection) => void
  readonly onStep: (by: 1 | -1) => void
  readonly listRef: Ref<VirtualListHandle>
}) {
  const { comparison, rows, selected, selection, onSelectionChange } = props
  if (rows.length === 0)
    return (
      <section className={classes.source} aria-label="Difference">
        <EmptyState title="Nothing has changed">
          {sameWords(comparison)} Your own edits do not count as changes.
        </EmptyState>
      </section>
    )
  return (
    <div className={classes.columns}>
      <section className={classes.list} aria-label="Changes">
        <div className={classes.rows}>
          <VirtualList
            ref={props.listRef}
            label="Changes"
            items={rows}
            rowHeight={34}
            hasControls
            getKey={({ key }) => key}
            selectedKey={selected?.key ?? null}
            onSelect={props.onSelect}
            renderRow={row =>
              row.entry === undefined ? (
                <Heading row={row} rows={rows} selection={selection} onSelectionChange={onSelectionChange} />
              ) : (
                <Entry row={row} selection={selection} onSelectionChange={onSelectionChange} />
              )
            }
          />
        </div>
        <Notes comparison={comparison} />
      </section>
      <section className={classes.detail} aria-label={selected?.entry?.name ?? 'Chosen entry'}>
        {selected?.entry !== undefined && (
          <DifferenceDetail
            row={selected}
            selection={selection}
            onSelectionChange={onSelectionChange}
            onStep={props.onStep}
          />
        )}
      </section>
    </div>
  )
}

const headings: Readonly<Record<Section, readonly [words: string, tone: string]>> = {
  added: ['Added', 'ok'],
  changed: ['Changed', 'warn'],
  removed: ['No longer in the document', 'bad'],
}

type RowProps = {
  readonly row: Row
  readonly selection: Selection
  readonly onSelectionChange: (selection: Selection) => void
}

function Heading({ row, rows, selection, onSelectionChange }: RowProps & { readonly rows: readonly Row[] }) {
  const { section } = row
  const ticked = useMemo(() => tickedSection(selection, rows, section), [selection, rows, section])
  const [words, tone] = headings[section]
  const own = rows.filter(other => other.section === section)
  return (
    <div className={classes.heading}>
      <Checkbox
        size="xs"
        tabIndex={-1}
        aria-label={`All: ${words}`}
        checked={ticked === 'all'}
        indeterminate={ticked === 'some'}
        onChange={() => onSelectionChange(withEntries(selection, own, ticked !== 'all'))}
      />
      <span className={tone}>{words}</span>
      <span className="t3 num">{own.length - 1}</span>
    </div>
  )
}

function Entry({ row, selection, onSelectionChange }: RowProps) {
  const { entry } = row
  if (entry === undefined) return null
  const ticked = tickedEntry(selection, row)
  return (
    <div className={classes.row}>
      <Checkbox
        size="xs"
        tabIndex={-1}
        aria-label={`Take ${entry.name}`}
        checked={ticked === 'all'}
        indeterminate={ticked === 'some'}
        onChange={() => onSelectionChange(withEntries(selection, [row], ticked !== 'all'))}
      />
      {entry.method === null ? (
        <span className={classes.kind} title="Event type">
          <ArrowDownLeft size={14} role="img" aria-label="Event type" />
        </span>
      ) : (
        <Method method={entry.method} />
      )}
      <code className="cut" title={entry.name}>
        {entry.name}
      </code>
      <span className={classes.aside}>{asideOf(row, ticked !== 'none')}</span>
    </div>
  )
}

function asideOf({ section, entry }: Row, isSelected: boolean): string {
  if (entry === undefined) return ''
  if (section === 'added')
    return formatCount(entry.inputs, entry.kind === 'action' ? 'parameter' : 'variable').replace(/^0/, 'no')
  if (section === 'changed') return formatCount(entry.fields.length, 'field')
  return isSelected ? 'disable' : 'keep'
}

function Notes({ comparison }: { readonly comparison: ImportComparison }) {
  const { removed, notTaken } = comparison
  const [now] = useState(Date.now)
  const [called, ...others] = calledRecently(comparison, now)
  return (
    <div className={`t2 ${classes.notes}`}>
      {removed.length > 0 && (
        <p>
          Nothing is deleted.{' '}
          {called?.lastCalledAt != null && (
            <>
              <code>{called.name}</code>
              {others.length > 0 && ` and ${formatCount(others.length, 'other')}`} was called{' '}
              {formatRelative(called.lastCalledAt, now).replace(/^J/, 'j')}, so it is not checked.
            </>
          )}
        </p>
      )}
      <p>
        {sameWords(comparison)}
        {notTaken > 0 && ` ${formatCount(notTaken, 'operation')} of the document stay left out, as before.`}
      </p>
      <p>What you leave unchecked is offered again when the document changes it again.</p>
    </div>
  )
}

/** Returns the actions that are not switched off by default because they are in use. */
function calledRecently(comparison: ImportComparison, now: number): readonly Removed[] {
  const chosen = new Set(defaultChoice(comparison, now))
  return comparison.removed.filter(({ operation, edited }) => !edited && !chosen.has(operation))
}

function sameWords({ same }: ImportComparison): string {
  return `${formatCount(same, 'action or event type is', 'actions and event types are')} the same.`
}
