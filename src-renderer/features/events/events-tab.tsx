import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { Download, Plus } from 'lucide-react'
import { useState } from 'react'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { useOverlays } from '../../overlays.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { useIsMounted } from '../../ui/focus.ts'
import { formatCount } from '../../ui/format.ts'
import { MasterDetail } from '../../ui/master-detail.tsx'
import { Body, Foot } from '../../ui/page.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { useSearchState } from '../../ui/search-state.ts'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { useNarrow } from '../../ui/use-narrow.ts'
import { type EventDraft, toDraft } from './event-draft.ts'
import { EventTypeEditor } from './event-type-editor.tsx'
import { EventTypeList } from './event-type-list.tsx'
import { SendPane } from './send-pane.tsx'
import { useEventTypes } from './use-event-types.ts'
import { useLastReceived } from './use-send-event.ts'

const route = '/connections/$connectionId/events'

/** The declared event types, received names that are not declared, and a form that sends a test event. */
export function EventsTab() {
  const { connectionId } = useCurrentConnection()
  const [search, change] = useSearchState(route)
  const navigate = useNavigate({ from: route })
  const query = useEventTypes(connectionId)
  const { types, declared, received, isCounted } = query
  const lastReceived = useLastReceived(connectionId)
  const isNarrow = useNarrow()
  const [draft, setDraft] = useState<EventDraft | null>(null)
  const isMounted = useIsMounted()
  const overlays = useOverlays()
  const isNew = search.eventType === 'new'
  // A wide window shows the first one if none is chosen.
  const open =
    search.eventType === undefined && !isNarrow
      ? types?.[0]
      : types?.find(type => type.eventTypeId === search.eventType)

  const show = (eventType: string | undefined) => change({ eventType, name: undefined })
  const declare = (name?: string) => change({ eventType: 'new', name }, { replace: false })
  const forget = (eventTypeId: string) => {
    if (!isMounted()) return
    void navigate({
      search: before => (before.eventType === eventTypeId ? { filter: before.filter } : before),
      replace: true,
      ignoreBlocker: true,
    })
  }
  const openImport = () => overlays.open({ kind: 'import', request: { connectionId } })
  useShortcut({ keys: 'i', label: 'Import into this connection', group: 'Event types' }, openImport)
  useShortcut({ keys: 'n', label: 'Declare an event type', group: 'Event types' }, () => declare())

  if (types === undefined)
    return (
      <Body>
        <QueryState query={query} failed="The event types cannot be shown" />
      </Body>
    )

  const first = received[0]?.eventName
  const editor =
    isNew || open !== undefined ? (
      <EventTypeEditor
        key={open?.eventTypeId ?? `new ${search.name ?? ''}`}
        type={open ?? null}
        name={search.name ?? ''}
        onSaved={show}
        onLeave={() => show(undefined)}
        onRemoved={forget}
        lastReceived={lastReceived}
        taken={types.map(({ eventName }) => eventName)}
        onDraft={setDraft}
      />
    ) : search.eventType !== undefined ? (
      <EmptyState
        title="This event type does not exist"
        actions={<Button onClick={() => show(undefined)}>All event types</Button>}
      >
        It was deleted, or the address is wrong.
      </EmptyState>
    ) : (
      <EmptyState
        title={
          first === undefined
            ? 'No event types declared'
            : `${formatCount(received.length, 'event name')} received, none declared`
        }
        actions={
          <>
            {first !== undefined && (
              <Button variant="filled" leftSection={<Plus />} onClick={() => declare(first)}>
                Declare {first}
              </Button>
            )}
            <Button leftSection={<Plus />} onClick={() => declare()}>
              Declare {first === undefined ? 'an event type' : 'another'}
            </Button>
            <Button leftSection={<Download />} onClick={openImport}>
              Import
            </Button>
          </>
        }
      >
        Every event is accepted, declared or not. A declared one has a label, and a sample payload that tells
        workflows its <code className="inline-code">{'{{variables}}'}</code>.
      </EmptyState>
    )
  return (
    <>
      <Body scrolls={false}>
        <MasterDetail
          name="events"
          lead={search.eventType === undefined ? 'list' : 'editor'}
          back={{ label: 'Back to the list', group: 'Event types', go: () => show(undefined) }}
          panes={[
            {
              id: 'list',
              size: 264,
              content: (
                <EventTypeList
                  declared={declared}
                  received={received}
                  selectedId={isNew ? null : (open?.eventTypeId ?? null)}
                  filter={search.filter ?? ''}
                  onFilter={filter => change({ filter })}
                  onSelect={show}
                  onDeclare={declare}
                  onImport={openImport}
                />
              ),
            },
            { id: 'editor', content: editor },
            {
              id: 'send',
              size: 304,
              min: 260,
              content: (
                <SendPane
                  key={open?.eventTypeId ?? (isNew ? 'new' : 'none')}
                  event={draft ?? (open === undefined ? null : toDraft(open))}
                  lastReceived={lastReceived}
                />
              ),
            },
          ]}
        />
      </Body>
      <Foot hints={{ n: 'declare', i: 'import', 'mod+enter': 'send test event', 'mod+s': 'save' }}>
        {formatCount(declared.length, 'declared', 'declared')}
        {isCounted &&
          ` · ${formatCount(received.length, 'received but not declared', 'received but not declared')}`}
      </Foot>
    </>
  )
}
