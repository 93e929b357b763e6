import { useDebouncedValue } from '@mantine/hooks'
import { skipToken, useQueries, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ArrowDownLeft, MessageSquare, Workflow } from 'lucide-react'
import { api } from '../../client/client.ts'
import {
  type ConnectionRow,
  useConnections,
  useConnectionsById,
  useRecentConnections,
} from '../../entities/connection/use-connections.ts'
import { useFoundOccurrences } from '../../entities/occurrence/use-occurrences.ts'
import { runLabel } from '../../entities/run/run-labels.ts'
import { StatusIcon } from '../../entities/run/status-icon.tsx'
import { useWorkflows } from '../../entities/workflow/use-workflows.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { Method } from '../../ui/badges.tsx'
import { formatCount } from '../../ui/format.ts'
import { Dot } from '../../ui/pill.tsx'
import { titleOf } from '../conversation/conversation-title.ts'
import { triggerWords } from '../workflows/select-workflows.ts'
import type { Entries, Entry } from './entry.tsx'
import { useItemContent } from './item-content.tsx'
import { useCommands, useConnectionCommands, useOpenConnectionId } from './use-commands.tsx'
import { useIdEntries } from './use-id-entries.tsx'

/** How many connections' actions and event types are searched: the open one, then the most recent. */
const maxSearched = 30

/** The shortest text that is searched for: shorter ones are in nearly every event. */
const minLength = 3
const typingPauseMs = 200
/** How many of the newest items are found: those of several groups. */
const maxItems = 20

/** Returns everything that can be found or done from here. `query` is for commands that take what is typed. */
export function useEntries(query: string): Entries {
  const nearest = useNearest(query)
  const names = new Map(nearest.map(({ connectionId, name }) => [connectionId, name]))
  const stored = useDeclaredEntries(nearest.slice(0, maxSearched))
  const happened = useActivityEntries(query.trim(), names)
  const runs = useRunEntries(query.trim())
  const connections = useConnectionEntries(nearest)
  const workflows = useWorkflowEntries()
  const conversations = useConversationEntries(query.trim())
  const byId = useIdEntries(query, names)
  const found = [...byId.entries, ...happened.entries, ...runs.entries, ...conversations.entries]
  const entries = [...connections, ...workflows, ...stored, ...found]
  return {
    entries: [...entries, ...useConnectionCommands(query, nearest.slice(0, maxSearched)), ...useCommands()],
    searched: happened.isSearching ? (happened.searched ?? null) : null,
    isSearching:
      query.trim().length >= minLength &&
      (byId.isSearching || happened.isSearching || runs.isSearching || conversations.isSearching),
  }
}

/** Returns what to search the workspace for once the user pauses, and whether that is still to come. */
function useSearch(typed: string) {
  const { workspace } = useWorkspace()
  const [text] = useDebouncedValue(typed, typingPauseMs)
  const isSearched = text.length >= minLength && text.length <= 200 && workspace !== null
  const input = isSearched ? { text, limit: 7, workspaceId: workspace.workspaceId } : skipToken
  return { text, input, isTyping: typed !== text } as const
}

/** Returns what happened in the workspace and contains the text, such as an order number. */
function useActivityEntries(typed: string, names: ReadonlyMap<string, string>): Entries {
  const contentOf = useItemContent(names)
  const { text, input, isTyping } = useSearch(typed)
  const { items, searched, isFetching } = useFoundOccurrences(
    input === skipToken ? null : { ...input, limit: maxItems },
  )
  const contents = items.map(contentOf).filter(content => content !== null)
  // The service found the text in the body, so the entry has to match it.
  const entries = contents.map(content => ({ ...content, also: text }))
  return { entries, isSearching: isTyping || isFetching, searched }
}

/** Returns the workflows of the workspace. */
function useWorkflowEntries(): Entry[] {
  const navigate = useNavigate()
  const { data = [] } = useWorkflows()
  return data.map(({ workflowId, name, enabled, trigger }) => ({
    group: 'Workflows' as const,
    icon: <Workflow size={16} />,
    text: name,
    id: workflowId,
    also: triggerWords(trigger),
    detail: enabled ? triggerWords(trigger) : 'Disabled',
    run: () => void navigate({ to: '/workflows/$workflowId', params: { workflowId } }),
  }))
}

/** Returns runs of the workspace that contain the text, such as an order number. */
function useRunEntries(typed: string): Entries {
  const navigate = useNavigate()
  const { data: workflows = [] } = useWorkflows()
  const { text, input, isTyping } = useSearch(typed)
  const { data, isFetching } = useQuery(api.runs.list.queryOptions({ input }))
  const names = new Map(workflows.map(({ workflowId, name }) => [workflowId, name]))
  const entries = (data?.runs ?? []).map(run => ({
    group: 'Runs' as const,
    icon: <StatusIcon status={run.status} />,
    text: names.get(run.workflowId) ?? run.eventName,
    // The service found the text in the run, so the entry has to match it.
    also: text,
    detail: [run.eventName, run.subject, runLabel(run)].filter(Boolean).join(' · '),
    run: () => void navigate({ to: '/workflows/runs', search: { run: run.runId } }),
  }))
  return { entries, isSearching: isTyping || isFetching }
}

/** Returns conversations of the workspace that contain the text. */
function useConversationEntries(typed: string): Entries {
  const navigate = useNavigate()
  const { text, input, isTyping } = useSearch(typed)
  const { data, isFetching } = useQuery(api.conversations.list.queryOptions({ input }))
  const entries = (data?.conversations ?? []).map(one => ({
    group: 'Conversations' as const,
    icon: <MessageSquare size={16} />,
    text: titleOf(one),
    // The service found the text in the messages, so the entry has to match it.
    also: text,
    detail: formatCount(one.calls, 'call'),
    run: () =>
      void navigate({
        to: '/assistant/conversation/{-$conversationId}',
        params: { conversationId: one.conversationId },
      }),
  }))
  return { entries, isSearching: isTyping || isFetching }
}

/** Returns connections of the workspace: the open one first, then the most recent, and those that fit the query. */
function useNearest(query: string): readonly ConnectionRow[] {
  const [recent] = useRecentConnections()
  const openId = useOpenConnectionId()
  const connectionOf = useConnectionsById([openId, ...recent])
  const all = useConnections()
  const [typed] = useDebouncedValue(query.trim(), typingPauseMs)
  const found = useConnections(all.isCut ? typed : '')
  const near = [openId, ...recent].flatMap(id => connectionOf?.(id) ?? [])
  const rows = new Map([...near, ...found.rows, ...all.rows].map(row => [row.connectionId, row])).values()
  const rank = (id: string) => (id === openId ? -1 : recent.includes(id) ? recent.indexOf(id) : recent.length)
  return [...rows].sort((a, b) => rank(a.connectionId) - rank(b.connectionId))
}

function useConnectionEntries(nearest: readonly ConnectionRow[]): Entry[] {
  const navigate = useNavigate()
  return nearest.map(({ connectionId, name, baseUrl, status }) => ({
    group: 'Connections',
    icon: <Dot tone={status.tone} />,
    text: name,
    id: connectionId,
    also: baseUrl ?? '',
    detail: status.label,
    run: () => void navigate({ to: '/connections/$connectionId', params: { connectionId } }),
  }))
}

/** Returns the actions and event types of these connections. */
function useDeclaredEntries(near: readonly ConnectionRow[]): Entry[] {
  const navigate = useNavigate()
  const inputs = near.map(({ connectionId }) => ({ input: { connectionId } }))
  const actions = useQueries({ queries: inputs.map(input => api.actions.list.queryOptions(input)) })
  const eventTypes = useQueries({ queries: inputs.map(input => api.eventTypes.list.queryOptions(input)) })
  return near.flatMap(({ connectionId, name }, index): Entry[] => [
    ...(actions[index]?.data ?? []).map(action => ({
      group: 'Actions' as const,
      icon: <Method method={action.method} />,
      text: action.name,
      id: action.actionId,
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
    ...(eventTypes[index]?.data ?? []).map(({ eventTypeId, eventName, label }) => ({
      group: 'Event types' as const,
      icon: <ArrowDownLeft size={16} />,
      text: eventName,
      mono: true,
      id: eventTypeId,
      also: `${label ?? ''} ${name}`,
      detail: name,
      run: () =>
        void navigate({
          to: '/connections/$connectionId/events',
          params: { connectionId },
          search: { eventType: eventTypeId },
        }),
    })),
  ])
}
