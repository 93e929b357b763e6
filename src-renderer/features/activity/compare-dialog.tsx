import { Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api } from '../../client/client.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { eventKinds } from '../../entities/occurrence/use-occurrences.ts'
import { DiffView } from '../../ui/diff-view.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { useReturnFocus } from '../../ui/focus.ts'
import { formatExact, formatMoment } from '../../ui/format.ts'
import { formatJson } from '../../ui/format-json.ts'
import { SearchSelect } from '../../ui/search-select.tsx'
import classes from './detail.module.css'
import { NotOpen } from './other-details.tsx'
import { type EventItem, eventRow } from './rows.ts'
import type { ShownEvent } from './shown-event.ts'
import { useEvent } from './use-event.ts'

/** Compares the payloads of two events, the older one first. Numbers are compared digit by digit. */
export function CompareDialog(props: { readonly shown: ShownEvent; readonly onClose: () => void }) {
  useReturnFocus()
  const { shown, onClose } = props
  const { events, isKnown } = useComparableEvents(shown.item)
  const [chosen, setChosen] = useState<string | null>(null)
  const eventId = chosen ?? events[0]?.eventId
  return (
    <Modal opened onClose={onClose} title="Compare payloads" size={980}>
      {eventId === undefined ? (
        isKnown && (
          <EmptyState title="There is no other event to compare with">Send another event.</EmptyState>
        )
      ) : (
        <div className="stack" style={{ gap: 12 }}>
          <SearchSelect
            label="Compare with"
            data={events.map(event => ({ value: event.eventId, label: labelOf(event) }))}
            value={eventId}
            onChange={setChosen}
            data-autofocus
            limit={50}
            nothingFoundMessage="No event matches"
            comboboxProps={{ withinPortal: true }}
          />
          <Compared key={eventId} shown={shown} eventId={eventId} />
        </div>
      )}
    </Modal>
  )
}

/** How many events are read to choose from, of those of the same name and of all. */
const mostRead = 100

/** Returns the events to compare one with: those before it of the same name, newest first, then the newest of all. */
function useComparableEvents({ id, eventName }: EventItem) {
  const { connectionId } = useCurrentConnection()
  const query = { connectionId, kinds: eventKinds, limit: mostRead }
  const { data: before } = useQuery(
    api.activity.list.queryOptions({ input: { ...query, eventName, before: id } }),
  )
  const { data: newest } = useQuery(api.activity.list.queryOptions({ input: query }))
  const isKnown = before !== undefined && newest !== undefined
  return {
    isKnown,
    events: useMemo(() => {
      if (before === undefined || newest === undefined) return []
      const byId = new Map([...before.items, ...newest.items].map(item => [item.id, item]))
      byId.delete(id)
      return [...byId.values()].filter(item => 'eventId' in item)
    }, [before, newest, id]),
  }
}

function labelOf(event: EventItem): string {
  const { title, details } = eventRow(event)
  return [title, ...details.map(({ text }) => text), formatMoment(event.at)].join(' · ')
}

function Compared(props: { readonly shown: ShownEvent; readonly eventId: string }) {
  const { shown, eventId } = props
  const { connectionId } = useCurrentConnection()
  const { data: other, error } = useEvent(connectionId, eventId)
  const texts = useMemo(() => {
    if (other === undefined) return null
    const sides = [shown.event, other].map(({ eventId, receivedAt, dataText }) => ({
      ...{ eventId, label: formatExact(receivedAt), text: formatJson(dataText) },
    }))
    return sides.sort((one, another) => (one.eventId < another.eventId ? -1 : 1))
  }, [shown, other])
  const [before, after] = texts ?? []
  return (
    <div className={classes.diff}>
      {before !== undefined && after !== undefined && (
        <DiffView
          before={before.text}
          after={after.text}
          beforeLabel={before.label}
          afterLabel={after.label}
        />
      )}
      {error !== null && <NotOpen error={error} />}
    </div>
  )
}
