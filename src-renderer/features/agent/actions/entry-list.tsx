import { CircleAlert } from 'lucide-react'
import { memo, type ReactNode, useState } from 'react'
import { variablesIn } from '#shared/platform/text-variables.ts'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { useFocusList } from '../../../ui/keyboard-list.ts'
import pane from '../../../ui/pane.module.css'
import { SearchField } from '../../../ui/search-field.tsx'
import type { Problems } from '../draft-problems.ts'
import { TextWithVariables } from '../text-with-variables.tsx'
import type { TextShapes } from '../use-shapes.ts'
import classes from './actions-page.module.css'
import { type Entry, pathOf, type SmsWord, smsWordList, smsWords } from './entries.ts'

/** Lists the conversation actions, text responses and SMS keywords, with a filter. */
export function EntryList(props: {
  readonly draft: TextShapes
  readonly problems: Problems
  readonly selected: Entry
  /** Must be the same function each time. */
  readonly onSelect: (entry: Entry) => void
}) {
  const { draft, problems, selected, onSelect } = props
  const [filter, setFilter] = useState('')
  const { list, listProps } = useFocusList<HTMLDivElement>('button[data-row]', row => row.click())
  const wanted = filter.trim().toLowerCase()
  const refused = new Set(Object.keys(problems).map(path => path.split('.').slice(0, 2).join('.')))
  const selectedPath = pathOf(selected)

  const actions = draft['conversation-actions'].map(({ trigger, action, form }, place) => ({
    place,
    title: trigger,
    beside: '',
    below: `${action === '' ? 'No action yet' : action} · ${formatCount(form.fields.length, 'field')}`,
    texts: [trigger, action, ...form.fields],
  }))
  const responses = draft['text-responses'].map(({ key, text }, place) => {
    const count = variablesIn(text).length
    const beside = count === 0 ? '' : formatCount(count, 'variable')
    return { place, title: key, beside, below: text, texts: [key, text] }
  })
  const keywords = smsWordList.map(word => {
    const answer = draft['sms-keywords'][word]
    const title = word.toUpperCase()
    return { place: word, title, beside: smsWords[word], below: answer, texts: [word, answer] }
  })
  const groupOf = (kind: Entry['kind'], title: string, rows: readonly RowTexts[], none: string) => (
    <Group title={title} count={rows.length} none={wanted === '' ? none : 'None matches.'}>
      {rows
        .filter(({ texts }) => texts.some(text => text.toLowerCase().includes(wanted)))
        .map(({ texts, ...row }) => {
          const path = `${kind}.${row.place}`
          return (
            <EntryRow
              key={path}
              {...row}
              kind={kind}
              isSelected={path === selectedPath}
              isRefused={refused.has(path)}
              onSelect={onSelect}
            />
          )
        })}
    </Group>
  )
  return (
    <section className={classes.pane} aria-label="Actions, responses and keywords">
      <div className={pane.bar}>
        <SearchField
          className="grow"
          value={filter}
          onChange={setFilter}
          label="Filter"
          placeholder="Filter"
          does="Filter actions, responses and keywords"
          group="Actions"
          list={list}
        />
      </div>
      <div {...listProps} className="scroll" data-scroll-room>
        {groupOf(
          'conversation-actions',
          'Conversation actions',
          actions,
          'None yet. A keyword can open a form.',
        )}
        {groupOf(
          'text-responses',
          'Text responses',
          responses,
          'None yet. A fixed answer can contain variables.',
        )}
        {groupOf('sms-keywords', 'SMS keywords', keywords, 'None matches.')}
      </div>
    </section>
  )
}

function Group(props: {
  readonly title: string
  readonly count: number
  readonly none: string
  readonly children: readonly ReactNode[]
}) {
  return (
    <>
      <div className={classes.group}>
        <h2>{props.title}</h2>
        <span className="num push">{formatNumber(props.count)}</span>
      </div>
      <ul>{props.children}</ul>
      {props.children.length === 0 && <p className={`sm t3 ${classes.none}`}>{props.none}</p>}
    </>
  )
}

type RowProps = {
  /** An index, or an SMS keyword. */
  readonly place: number | SmsWord
  readonly title: string
  readonly beside: string
  readonly below: string
}
/** A row with the texts that the filter searches. */
type RowTexts = RowProps & { readonly texts: readonly string[] }

/** A row; it is rendered again only when it changes, since there can be thousands. */
const EntryRow = memo(function EntryRow(
  props: RowProps & {
    readonly kind: Entry['kind']
    readonly isSelected: boolean
    readonly isRefused: boolean
    readonly onSelect: (entry: Entry) => void
  },
) {
  const { kind, place, title, beside, below, isSelected, isRefused, onSelect } = props
  const isAction = kind === 'conversation-actions'
  function select() {
    if (typeof place !== 'number') onSelect({ kind: 'sms-keywords', word: place })
    else if (kind !== 'sms-keywords') onSelect({ kind, index: place })
  }
  return (
    <li className={classes.item}>
      <button
        type="button"
        data-row
        className={classes.row}
        aria-current={isSelected || undefined}
        onClick={select}
      >
        {isAction ? (
          <code className="cut">
            <span className="t3">keyword:</span>
            <b>{title.slice('keyword:'.length)}</b>
          </code>
        ) : (
          <span className={`cut ${kind === 'sms-keywords' ? 'mono w6' : ''}`}>{title || 'No key yet'}</span>
        )}
        <span className="row sm t3 nowrap">
          {beside}
          {isRefused && <CircleAlert size={14} className="bad" aria-label="Has a mistake" />}
        </span>
        <span className={`sm t3 cut ${classes.below}`}>
          {kind === 'text-responses' ? <TextWithVariables text={below} /> : below}
        </span>
      </button>
    </li>
  )
})
