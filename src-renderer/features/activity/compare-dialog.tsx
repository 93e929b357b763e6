import { Modal } from '@mantine/core'
import { useMemo, useState } from 'react'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { readEventText } from '../../entities/event/event-text.ts'
import { DiffView } from '../../ui/diff-view.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { useReturnFocus } from '../../ui/focus.ts'
import { formatExact } from '../../ui/format.ts'
import { formatJson } from '../../ui/format-json.ts'
import { SearchSelect } from '../../ui/search-select.tsx'
import classes from './detail.module.css'
import { type Entry, isLiveEvent, keyOf } from './entry.ts'
import { comparableEvents, type ShownEvent } from './shown-event.ts'
import { useEvent } from './use-event.ts'

/** Compares the payloads of two events, the older one first. Numbers are compared digit by digit. */
export function CompareDialog(props: {
  readonly event: ShownEvent
  readonly dataText: string
  readonly entries: readonly Entry[]
  readonly onClose: () => void
}) {
  useReturnFocus()
  const { event, dataText, entries, onClose } = props
  // Events that arrive while the dialog is open are not added.
  const [choices] = useState(() => comparableEvents(entries, event))
  const [chosen, setChosen] = useState(choices[0]?.value ?? null)
  return (
    <Modal opened onClose={onClose} title="Compare payloads" size={980}>
      {chosen === null ? (
        <EmptyState title="There is no other event to compare with">
          Send another event, or clear the search.
        </EmptyState>
      ) : (
        <div className="stack" style={{ gap: 12 }}>
          <SearchSelect
            label="Compare with"
            data={choices}
            value={chosen}
            onChange={value => value !== null && setChosen(value)}
            data-autofocus
            limit={50}
            nothingFoundMessage="No event matches"
            comboboxProps={{ withinPortal: true }}
          />
          <Compared key={chosen} event={event} dataText={dataText} eventId={chosen} entries={entries} />
        </div>
      )}
    </Modal>
  )
}

function Compared(props: {
  readonly event: ShownEvent
  readonly dataText: string
  readonly eventId: string
  readonly entries: readonly Entry[]
}) {
  const { event, dataText, eventId, entries } = props
  const { connectionId } = useCurrentConnection()
  const live = entries.filter(isLiveEvent).find(entry => keyOf(entry) === eventId) ?? null
  const { event: other, isPending } = useEvent(connectionId, eventId, live)
  const texts = useMemo(() => {
    if (other === null) return null
    const mine = { eventId: event.eventId, at: event.at, text: formatJson(dataText) }
    const text = formatJson(readEventText(other.bodyText)?.dataText ?? other.bodyText)
    const its = { eventId: other.eventId, at: other.at, text }
    return mine.eventId < its.eventId ? ([mine, its] as const) : ([its, mine] as const)
  }, [event, dataText, other])
  return (
    <div className={classes.diff}>
      {texts !== null && (
        <DiffView
          before={texts[0].text}
          after={texts[1].text}
          beforeLabel={formatExact(texts[0].at)}
          afterLabel={formatExact(texts[1].at)}
        />
      )}
      {texts === null && !isPending && <EmptyState title="This event is no longer kept" />}
    </div>
  )
}
