import { CircleAlert } from 'lucide-react'
import { type KeyboardEvent, memo, type ReactNode, useRef, useState } from 'react'
import { variablesIn } from '#shared/platform/text-variables.ts'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import pane from '../../../ui/pane.module.css'
import { SearchField } from '../../../ui/search-field.tsx'
import type { Problems } from '../draft-problems.ts'
import { TextWithVariables } from '../text-with-variables.tsx'
import type { TextShapes } from '../use-shapes.ts'
import classes from './actions-page.module.css'
import { type Entry, pathOf, smsWordList, smsWords } from './entries.ts'

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
  const list = useRef<HTMLDivElement>(null)
  const rows = useRef({
    focus: () =>
      list.current?.querySelector<HTMLElement>('button[aria-current]')?.focus() ??
      list.current?.querySelector<HTMLElement>('button[data-row]')?.focus(),
  })
  const wanted = filter.trim().toLowerCase()
  const fits = (...texts: readonly string[]) => texts.some(text => text.toLowerCase().includes(wanted))
  const refused = new Set(Object.keys(problems).map(path => path.split('.').slice(0, 2).join('.')))
  const selectedPath = pathOf(selected)

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined || event.altKey) return
    event.preventDefault()
    const buttons = [...(list.current?.querySelectorAll<HTMLButtonElement>('button[data-row]') ?? [])]
    const at = buttons.findIndex(row => row.matches(':focus'))
    const next = buttons[Math.max(0, Math.min(buttons.length - 1, at + step))]
    next?.focus()
    next?.click()
  }

  const actions = draft['conversation-actions'].flatMap(({ trigger, action, form }, index) =>
    fits(trigger, action, ...form.fields)
      ? [
          {
            entry: { kind: 'conversation-actions', index } as const,
            title: trigger,
            beside: '',
            below: `${action === '' ? 'No action yet' : action} · ${formatCount(form.fields.length, 'field')}`,
          },
        ]
      : [],
  )
  const responses = draft['text-responses'].flatMap(({ key, text }, index) => {
    const count = variablesIn(text).length
    return fits(key, text)
      ? [
          {
            entry: { kind: 'text-responses', index } as const,
            title: key,
            beside: count === 0 ? '' : formatCount(count, 'variable'),
            below: text,
          },
        ]
      : []
  })
  const keywords = smsWordList.flatMap(word =>
    fits(word, draft['sms-keywords'][word])
      ? [
          {
            entry: { kind: 'sms-keywords', word } as const,
            title: word.toUpperCase(),
            beside: smsWords[word],
            below: draft['sms-keywords'][word],
          },
        ]
      : [],
  )
  const rowOf = ({ entry, ...texts }: (typeof actions | typeof responses | typeof keywords)[number]) => {
    const path = pathOf(entry)
    return (
      <EntryRow
        key={path}
        {...texts}
        kind={entry.kind}
        place={entry.kind === 'sms-keywords' ? entry.word : entry.index}
        isSelected={path === selectedPath}
        isRefused={refused.has(path)}
        onSelect={onSelect}
      />
    )
  }
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
          list={rows}
        />
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between the buttons in it */}
      <div ref={list} className="scroll" onKeyDown={onKeyDown} data-scroll-room>
        <Group
          title="Conversation actions"
          count={draft['conversation-actions'].length}
          none={wanted === '' ? 'None yet. A keyword can open a form.' : 'None matches.'}
        >
          {actions.map(rowOf)}
        </Group>
        <Group
          title="Text responses"
          count={draft['text-responses'].length}
          none={wanted === '' ? 'None yet. A fixed answer can contain variables.' : 'None matches.'}
        >
          {responses.map(rowOf)}
        </Group>
        <Group title="SMS keywords" count={smsWordList.length} none="None matches.">
          {keywords.map(rowOf)}
        </Group>
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

/** A row; it is rendered again only when it changes, since there can be thousands. */
const EntryRow = memo(function EntryRow(props: {
  readonly kind: Entry['kind']
  /** An index, or an SMS keyword. */
  readonly place: number | keyof typeof smsWords
  readonly title: string
  readonly beside: string
  readonly below: string
  readonly isSelected: boolean
  readonly isRefused: boolean
  readonly onSelect: (entry: Entry) => void
}) {
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
