import { useMantineColorScheme } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { useMatches, useNavigate } from '@tanstack/react-router'
import {
  Activity,
  ArrowDownLeft,
  Copy,
  Download,
  Keyboard,
  Layers,
  Moon,
  Plug,
  Plus,
  Power,
  Send,
  SlidersHorizontal,
  Sun,
} from 'lucide-react'
import { api } from '../../client/client.ts'
import { settingsSections } from '../../settings-sections.ts'
import { useOverlays } from '../../shell/overlays.tsx'
import { Method } from '../../ui/method.tsx'
import { Dot } from '../../ui/pill.tsx'
import { useRecentConnections } from '../connections/recent-connections.ts'
import { useConnections } from '../connections/use-connections.ts'
import { useCopyInboundUrl } from '../connections/use-copy-inbound-url.ts'
import { useUpdateConnection } from '../connections/use-update-connection.ts'
import { useWorkspace } from '../workspaces/current-workspace.tsx'
import type { Entry } from './entry.ts'

/** How many connections' actions and event types are looked through: the one open, then the last ones open. */
const maxLookedThrough = 30

/** Everything that can be found or done from here. `query` is what is typed, for commands that take it. */
export function useEntries(query: string): readonly Entry[] {
  const connections = useConnectionEntries()
  const actions = useActionEntries()
  const events = useEventEntries()
  const own = useOpenConnectionCommands(query)
  const commands = useCommands()
  return [...connections, ...actions, ...events, ...own, ...commands]
}

function useOpenConnectionId(): string | undefined {
  return useMatches({
    select: matches =>
      matches.find(match => match.routeId === '/connections/$connectionId')?.params.connectionId,
  })
}

/** The workspace's connections, the one that is open and the last ones open first. */
function useNearest() {
  const { rows } = useConnections()
  const [recent] = useRecentConnections()
  const openId = useOpenConnectionId()
  const rank = (id: string) => (id === openId ? -1 : recent.includes(id) ? recent.indexOf(id) : recent.length)
  return [...rows].sort((a, b) => rank(a.connectionId) - rank(b.connectionId))
}

function useConnectionEntries(): Entry[] {
  const navigate = useNavigate()
  return useNearest().map(({ connectionId, name, baseUrl, status }) => ({
    id: `connection ${connectionId}`,
    group: 'Connections',
    icon: <Dot tone={status.tone} />,
    text: name,
    also: baseUrl ?? '',
    detail: status.label,
    run: () => void navigate({ to: '/connections/$connectionId', params: { connectionId } }),
  }))
}

function useActionEntries(): Entry[] {
  const navigate = useNavigate()
  const near = useNearest().slice(0, maxLookedThrough)
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

function useEventEntries(): Entry[] {
  const navigate = useNavigate()
  const near = useNearest().slice(0, maxLookedThrough)
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

/** What can be done with the connection that is open. */
function useOpenConnectionCommands(query: string): Entry[] {
  const navigate = useNavigate()
  const connectionId = useOpenConnectionId()
  const { open } = useOverlays()
  const copyInboundUrl = useCopyInboundUrl()
  const update = useUpdateConnection()
  const connection = useConnections().rows.find(row => row.connectionId === connectionId)
  if (connectionId === undefined || connection === undefined) return []
  const params = { connectionId }
  const typed = query.trim()
  const group = 'Commands' as const
  const detail = connection.name
  const withQuery: Entry[] =
    typed === ''
      ? []
      : [
          {
            id: 'search-activity',
            group,
            icon: <Activity size={16} />,
            text: `Search activity for “${typed}”`,
            detail: 'This connection',
            keys: 'mod+shift+f',
            run: () =>
              void navigate({ to: '/connections/$connectionId/activity', params, search: { text: typed } }),
          },
          {
            id: 'new-action',
            group,
            icon: <Plus size={16} />,
            text: `New action named “${typed}”`,
            detail: 'This connection',
            run: () =>
              void navigate({
                to: '/connections/$connectionId/actions',
                params,
                search: { action: 'new', name: typed },
              }),
          },
        ]
  return [
    {
      id: 'send-test-event',
      group,
      icon: <Send size={16} />,
      text: 'Send test event',
      detail,
      keys: 't',
      run: () => void navigate({ to: '/connections/$connectionId/events', params, search: { send: true } }),
    },
    {
      id: 'copy-inbound-url',
      group,
      icon: <Copy size={16} />,
      text: 'Copy inbound URL',
      detail,
      keys: 'mod+shift+c',
      run: () => copyInboundUrl(connectionId),
    },
    {
      id: 'switch',
      group,
      icon: <Power size={16} />,
      text: connection.enabled ? 'Disable connection' : 'Enable connection',
      detail,
      run: () => update.mutate({ connectionId, enabled: !connection.enabled }),
    },
    {
      id: 'import-into',
      group,
      icon: <Download size={16} />,
      text: 'Import actions or event types',
      detail,
      run: () => open({ kind: 'import', request: { connectionId } }),
    },
    ...withQuery,
  ]
}

const sectionNames: Readonly<Record<string, string>> = {
  listener: 'Listener',
  'public-url': 'Public URL',
  environment: 'Environment variables',
  workspaces: 'Workspaces',
  limits: 'Limits',
  retention: 'Retention',
  appearance: 'Appearance',
  'data-folder': 'Data folder',
}

/** What can be done from anywhere. */
function useCommands(): Entry[] {
  const navigate = useNavigate()
  const { open } = useOverlays()
  const { setColorScheme } = useMantineColorScheme()
  const { workspace, workspaces, choose } = useWorkspace()
  const group = 'Commands' as const
  return [
    {
      id: 'new-connection',
      group,
      icon: <Plus size={16} />,
      text: 'New connection',
      keys: 'n',
      run: () => open({ kind: 'new-connection' }),
    },
    {
      id: 'import',
      group,
      icon: <Download size={16} />,
      text: 'Import',
      also: 'json openapi curl document',
      keys: 'i',
      run: () => open({ kind: 'import', request: {} }),
    },
    {
      id: 'go-connections',
      group,
      icon: <Plug size={16} />,
      text: 'Go to connections',
      keys: 'g c',
      run: () => void navigate({ to: '/connections' }),
    },
    ...settingsSections.flatMap(section => {
      const name = sectionNames[section]
      if (name === undefined) return []
      return {
        id: `settings ${section}`,
        group,
        icon: <SlidersHorizontal size={16} />,
        text: `Settings: ${name}`,
        run: () => void navigate({ to: '/settings/$section', params: { section } }),
      }
    }),
    ...workspaces
      .filter(({ workspaceId }) => workspaceId !== workspace?.workspaceId)
      .map(({ workspaceId, name }) => ({
        id: `workspace ${workspaceId}`,
        group,
        icon: <Layers size={16} />,
        text: `Switch to workspace ${name}`,
        run: () => {
          choose(workspaceId)
          void navigate({ to: '/connections' })
        },
      })),
    {
      id: 'new-workspace',
      group,
      icon: <Layers size={16} />,
      text: 'New workspace',
      run: () => open({ kind: 'new-workspace' }),
    },
    {
      id: 'light',
      group,
      icon: <Sun size={16} />,
      text: 'Light appearance',
      also: 'theme',
      run: () => setColorScheme('light'),
    },
    {
      id: 'dark',
      group,
      icon: <Moon size={16} />,
      text: 'Dark appearance',
      also: 'theme',
      run: () => setColorScheme('dark'),
    },
    {
      id: 'shortcuts',
      group,
      icon: <Keyboard size={16} />,
      text: 'Keyboard shortcuts',
      keys: '?',
      run: () => open({ kind: 'shortcuts' }),
    },
  ]
}
