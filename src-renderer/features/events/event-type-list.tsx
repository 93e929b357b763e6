import { Button } from '@mantine/core'
import { Download, Plus } from 'lucide-react'
import { useRef } from 'react'
import type { EventNameStatistics } from '#shared/model/statistics.ts'
import { RelativeTime, Unknown } from '../../ui/badges.tsx'
import { useFocusAfterRemoval } from '../../ui/focus.ts'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { useFocusList } from '../../ui/keyboard-list.ts'
import { KeyButton } from '../../ui/keys.tsx'
import pane from '../../ui/pane.module.css'
import { SearchField } from '../../ui/search-field.tsx'
import classes from './events.module.css'
import type { DeclaredRow } from './use-event-types.ts'

/** Lists the declared event types, then the received names that are not declared. */
export function EventTypeList(props: {
  readonly declared: readonly DeclaredRow[]
  readonly received: readonly EventNameStatistics[]
  readonly selectedId: string | null
  readonly filter: string
  readonly onFilter: (filter: string) => void
  readonly onSelect: (eventTypeId: string) => void
  readonly onDeclare: (name?: string) => void
  readonly onImport: () => void
}) {
  const { filter, selectedId, onFilter, onSelect, onDeclare } = props
  const input = useRef<HTMLInputElement>(null)
  const declare = useRef<HTMLButtonElement>(null)
  const { list, listProps } = useFocusList<HTMLDivElement>('button[data-row]')
  const wanted = filter.trim().toLowerCase()
  const fits = (...texts: (string | null)[]) => texts.some(text => text?.toLowerCase().includes(wanted))
  const declared = props.declared.filter(({ type }) => fits(type.eventName, type.label))
  const received = props.received.filter(({ eventName }) => fits(eventName))
  useFocusAfterRemoval(props.declared.length, () =>
    declared.length + received.length > 0 ? list.current.focus() : declare.current?.focus(),
  )

  return (
    <section className={pane.pane} aria-label="Event types">
      <div className={pane.bar}>
        <SearchField
          ref={input}
          className="grow"
          value={filter}
          onChange={onFilter}
          label="Filter event types"
          placeholder="Filter"
          does="Filter the event types"
          group="Event types"
          list={list}
        />
        <KeyButton ref={declare} icon={Plus} keys="n" onClick={() => onDeclare()}>
          Declare
        </KeyButton>
      </div>
      <div {...listProps} className="scroll">
        <div className={classes.group}>
          <h2>Declared</h2>
          <span className="push">24 hours · last</span>
        </div>
        <ul>
          {declared.map(({ type, statistics }) => (
            <li key={type.eventTypeId}>
              <button
                type="button"
                data-row
                className={classes.row}
                aria-current={type.eventTypeId === selectedId || undefined}
                onClick={() => onSelect(type.eventTypeId)}
              >
                <code className="cut w5">{type.eventName}</code>
                <span className="num sm t2">
                  {statistics === undefined ? <Unknown /> : formatNumber(statistics?.count ?? 0)}
                </span>
                <span className="sm t3 cut">{type.label ?? 'No label yet'}</span>
                <span className="sm t3 num">
                  {statistics?.lastAt != null && <RelativeTime at={statistics.lastAt} />}
                  {statistics !== undefined && statistics?.lastAt == null && 'never'}
                </span>
              </button>
            </li>
          ))}
        </ul>
        {declared.length === 0 && (
          <p className={`${classes.none} sm t3`}>{wanted === '' ? 'None yet.' : 'None matches.'}</p>
        )}
        {received.length > 0 && (
          <>
            <div className={classes.group}>
              <h2>Received, not declared</h2>
            </div>
            <ul>
              {received.map(({ eventName, count, lastAt }) => (
                <li key={eventName} className={classes.received}>
                  <div className="col">
                    <code className="cut w5">{eventName}</code>
                    <span className="sm t3">
                      {count > 0 && `${formatCount(count, 'event')} · `}
                      {lastAt !== null && <RelativeTime at={lastAt} />}
                    </span>
                  </div>
                  <Button
                    size="xs"
                    data-row
                    aria-label={`Declare ${eventName}`}
                    onClick={() => onDeclare(eventName)}
                  >
                    Declare
                  </Button>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
      <div className={classes.listFoot}>
        <KeyButton fullWidth icon={Download} keys="i" onClick={props.onImport}>
          Import
        </KeyButton>
      </div>
    </section>
  )
}
