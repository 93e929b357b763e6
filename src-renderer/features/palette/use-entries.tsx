import { useDebouncedValue } from '@mantine/hooks'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ArrowDownLeft } from 'lucide-react'
import { api } from '../../client/client.ts'
import { Method } from '../../ui/badges.tsx'
import { Dot } from '../../ui/pill.tsx'
import { type ConnectionRow, useConnections, useRecentConnections } from '../connections/use-connections.ts'
import { useWorkspace } from '../workspaces/current-workspace.tsx'
import type { Entry } from './entry.tsx'
import { useCommands, useConnectionCommands, useOpenConnectionId } from './use-commands.tsx'

/** How many connections' actions and event types are looked through: the one open, then the last ones open. */
const maxLookedThrough = 30

/** The shortest text that stored events are searched for: shorter ones are in nearly every event. */
const minSearched = 3
const typingPauseMs = 200

export type Entries = {
  readonly entries: readonly Entry[]
  /** Whether stored events are still searched for what is typed. */
  readonly isSearching: boolean
}

/** Everything that can be found or done from here. `query` is what is typed, for commands that take it. */
export function useEntries(query: string): Entries {
  const nearest = useNearest()
  const lookedThrough = nearest.slice(0, maxLookedThrough)
  const connections = useConnectionEntries(nearest)
  const actions = useActionEntries(lookedThrough)
  const events = useEventEntries(lookedThrough)
  const received = useReceivedEntries(query.trim(), nearest)
  const own = useConnectionCommands(query)
  const commands = useCommands()
  return {
    entries: [...connections, ...actions, ...events, ...received.entries, ...own, ...commands],
    isSearching: received.isSearching,
  }
}

/** Stored events of every connection of the workspace that hold the text: an order number, say. */
function useReceivedEntries(typed: string, connections: readonly ConnectionRow[]): Entries {
  const navigate = useNavigate()
  const { workspace } = useWorkspace()
  const [text] = useDebouncedValue(typed, typingPauseMs)
  const isSearched = text.length >= minSearched && text.length <= 200
  const { data, isFetching } = useQuery(
    api.events.search.queryOptions({
      input: { text, limit: 7, ...(workspace !== null && { workspaceId: workspace.workspaceId }) },
      enabled: isSearched,
    }),
  )
  const names = new Map(connections.map(({ connectionId, name }) => [connectionId, name]))
  const entries = (isSearched ? (data?.events ?? []) : []).map(found => ({
    id: `received ${found.eventId}`,
    group: 'Received events' as const,
    icon: <ArrowDownLeft size={16} />,
    text: found.eventName,
    mono: true,
    // The service has found it; what is typed is in its body.
    also: text,
    detail: `${names.get(found.connectionId) ?? ''} · ${found.excerpt}`,
    run: () =>
      void navigate({
        to: '/connections/$connectionId/activity',
        params: { connectionId: found.connectionId },
        search: { item: found.eventId },
      }),
  }))
  return { entries, isSearching: typed.length >= minSearched && (typed !== text || isFetching) }
}

/** The workspace's connections, the one that is open and the last ones open first. */
function useNearest(): readonly ConnectionRow[] {
  const { rows } = useConnections()
  const [recent] = useRecentConnections()
  const openId = useOpenConnectionId()
  const rank = (id: string) => (id === openId ? -1 : recent.includes(id) ? recent.indexOf(id) : recent.length)
  return [...rows].sort((a, b) => rank(a.connectionId) - rank(b.connectionId))
}

function useConnectionEntries(nearest: readonly ConnectionRow[]): Entry[] {
  const navigate = useNavigate()
  return nearest.map(({ connectionId, name, baseUrl, status }) => ({
    id: `connection ${connectionId}`,
    group: 'Connections',
    icon: <Dot tone={status.tone} />,
    text: name,
    also: baseUrl ?? '',
    detail: status.label,
    run: () => void navigate({ to: '/connections/$connectionId', params: { connectionId } }),
  }))
}

function useActionEntries(near: readonly ConnectionRow[]): Entry[] {
  const navigate = useNavigate()
  const lists = useQueries({
    queries: near.map(({ connectionId }) => api.actions.list.queryOptions({ input: { connectionId } })),
  })
  return near.flatMap(({ connectionId, name }, index) =>
    (lists[index]?.data ?? []).map(action => ({
      id: `action ${action.actionId}`,
      group: 'Actions' as const,
      icon: <Method method={action.method} />,
      text: action.name,
      also: `${action.toolName} ${action.path} ${name}`,
      detail: name,
      does: 'Open test',
      run: () =>
        void navigate({
          to: '/connections/$connectionId/actions',
          params: { connectionId },
          search: { action: action.actionId, panel: 'test' },
        }),
    })),
  )
}

function useEventEntries(near: readonly ConnectionRow[]): Entry[] {
  const navigate = useNavigate()
  const lists = useQueries({
    queries: near.map(({ connectionId }) => api.eventTypes.list.queryOptions({ input: { connectionId } })),
  })
  return near.flatMap(({ connectionId, name }, index) =>
    (lists[index]?.data ?? []).map(({ eventTypeId, eventName, label }) => ({
      id: `event ${eventTypeId}`,
      group: 'Events' as const,
      icon: <ArrowDownLeft size={16} />,
      text: eventName,
      mono: true,
      also: `${label ?? ''} ${name}`,
      detail: name,
      run: () =>
        void navigate({
          to: '/connections/$connectionId/events',
          params: { connectionId },
          search: { eventType: eventTypeId },
        }),
    })),
  )
}
