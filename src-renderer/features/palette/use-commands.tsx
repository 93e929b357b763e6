import { useMantineColorScheme } from '@mantine/core'
import { useMatches, useNavigate } from '@tanstack/react-router'
import {
  Activity,
  Bot,
  Download,
  Headset,
  Keyboard,
  KeyRound,
  Layers,
  ListChecks,
  MessageSquare,
  MessageSquarePlus,
  Moon,
  Plug,
  Plus,
  Power,
  RefreshCw,
  RotateCcw,
  Send,
  ShieldCheck,
  SlidersHorizontal,
  Sun,
  Waypoints,
  Workflow,
} from 'lucide-react'
import { agentPages } from '../../agent-pages.ts'
import {
  type ConnectionRow,
  useConnection,
  useConnectionStatistics,
} from '../../entities/connection/use-connections.ts'
import { copySigningSecret } from '../../entities/connection/use-secret.ts'
import { useSwitchConnection } from '../../entities/connection/use-update-connection.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { useOverlays } from '../../overlays.tsx'
import { sectionWords, settingsSections, useSections } from '../../settings-sections.ts'
import { listMenus, type MenuEntry } from '../../ui/more-menu.tsx'
import { useEventCommands } from '../activity/use-event.ts'
import { useConnectionEntries } from '../connections/use-connection-entries.ts'
import { command, type Entry } from './entry.tsx'

const conversation = '/assistant/conversation/{-$conversationId}'

/** Returns the commands that work on every screen. */
export function useCommands(): Entry[] {
  const navigate = useNavigate()
  const { open } = useOverlays()
  const { isShown, titleOf } = useSections()
  const { setColorScheme } = useMantineColorScheme()
  const { workspace, workspaces, choose } = useWorkspace()
  const toConnections = () => void navigate({ to: '/connections' })
  return [
    command(Plus, 'New connection', () => open({ kind: 'new-connection' }), {
      also: 'create add api system integration',
      keys: 'n',
    }),
    command(Download, 'Import', () => open({ kind: 'import', request: {} }), {
      also: 'json openapi curl document',
      keys: 'i',
    }),
    command(Plug, 'Go to connections', toConnections, {
      also: 'list home apis systems show open',
      keys: 'g c',
    }),
    command(Waypoints, 'Go to the map', () => void navigate({ to: '/map' }), {
      also: 'graph connections event types workflows actions failing start nothing show open',
      keys: 'g m',
    }),
    command(Activity, 'Go to activity', () => void navigate({ to: '/activity' }), {
      also: 'all connections log history events calls rejected refused requests errors show open',
      keys: 'g v',
    }),
    command(Plus, 'New workflow', () => void navigate({ to: '/workflows/new' }), {
      also: 'create add automation flow',
    }),
    command(Download, 'Import a workflow', () => open({ kind: 'import-workflow' }), {
      also: 'json restore file',
    }),
    command(Workflow, 'Go to workflows', () => void navigate({ to: '/workflows' }), {
      also: 'automations flows list show open',
      keys: 'g w',
    }),
    command(ListChecks, 'Go to runs', () => void navigate({ to: '/workflows/runs' }), {
      also: 'workflow runs history executions failed log show open',
      keys: 'g r',
    }),
    command(Bot, 'Connect an assistant', () => void navigate({ to: '/assistant' }), {
      also: 'mcp client token claude cursor vs code configuration tools',
      keys: 'g a',
    }),
    command(
      KeyRound,
      'New client token',
      () => void navigate({ to: '/assistant', search: { token: 'new' } }),
      { also: 'create add mcp assistant access key secret credential' },
    ),
    command(
      MessageSquarePlus,
      'New conversation',
      () => void navigate({ to: conversation, params: { conversationId: undefined } }),
      { also: 'assistant chat ask' },
    ),
    command(
      MessageSquare,
      'Go to conversations',
      () => void navigate({ to: conversation, params: { conversationId: undefined } }),
      { also: 'assistant chat search', keys: 'g t' },
    ),
    ...agentPages.map(({ path, title, also }, index) =>
      command(Headset, `Agent: ${title}`, () => void navigate({ to: path }), {
        also,
        ...(index === 0 && { keys: 'g g' }),
      }),
    ),
    ...settingsSections
      .filter(isShown)
      .map(section =>
        command(
          SlidersHorizontal,
          `Settings: ${titleOf(section)}`,
          () => void navigate({ to: '/settings/$section', params: { section } }),
          { also: sectionWords[section] },
        ),
      ),
    ...workspaces
      .filter(({ workspaceId }) => workspaceId !== workspace?.workspaceId)
      .map(({ workspaceId, name }) =>
        command(Layers, `Switch to workspace ${name}`, () => {
          choose(workspaceId)
          toConnections()
        }),
      ),
    command(Layers, 'New workspace', () => open({ kind: 'new-workspace' }), {
      also: 'create add team project',
    }),
    command(Sun, 'Light appearance', () => setColorScheme('light'), { also: 'theme mode colours' }),
    command(Moon, 'Dark appearance', () => setColorScheme('dark'), { also: 'theme mode night colours' }),
    command(Keyboard, 'Keyboard shortcuts', () => open({ kind: 'shortcuts' }), {
      also: 'help keys hotkeys',
      keys: '?',
    }),
  ]
}

/** Returns an entry of a menu as a command. */
function menuCommand({ icon, label, run, also, keys }: MenuEntry): Entry {
  return command(icon, label, run, { ...(also && { also }), ...(keys && { keys }) })
}

/** Returns what the menus of the things on the screen do. */
function screenCommands(): Entry[] {
  return listMenus().flatMap(({ name, entries }) =>
    entries.filter(({ isOff }) => isOff !== true).map(entry => ({ ...menuCommand(entry), detail: name })),
  )
}

/**
 * Returns the commands of the screen and of the open connection. Where none is open, a query finds those of others.
 *
 * @param nearest connections, the most recent first.
 */
export function useConnectionCommands(query: string, nearest: readonly ConnectionRow[]): Entry[] {
  const openId = useOpenConnectionId()
  const commandsOf = useCommandsOf()
  const atOpen = useOpenCommands(query)
  const open = nearest.find(({ connectionId }) => connectionId === openId)
  const ofScreen = screenCommands()
  if (open !== undefined) return [...atOpen, ...ofScreen, ...commandsOf(open)]
  return query.trim() === '' ? ofScreen : [...ofScreen, ...nearest.flatMap(commandsOf)]
}

/** Returns a function that returns the commands that need no screen of their connection. */
function useCommandsOf() {
  const { open } = useOverlays()
  const navigate = useNavigate()
  const switchConnection = useSwitchConnection()
  const entriesOf = useConnectionEntries()
  const openId = useOpenConnectionId()
  return (connection: ConnectionRow): Entry[] => {
    const { connectionId, name, enabled } = connection
    const params = { connectionId }
    return [
      ...entriesOf(connection).map(({ keys, ...entry }) =>
        menuCommand({ ...entry, keys: connectionId === openId && keys }),
      ),
      command(KeyRound, 'Copy signing secret', () => copySigningSecret(connectionId), {
        also: 'key credential password hmac whsec_',
      }),
      command(RefreshCw, 'Rotate signing secret', () => open({ kind: 'rotate-secret', connectionId }), {
        also: 'renew replace change new key credential roll regenerate leaked',
      }),
      command(
        Activity,
        'Show activity',
        () => void navigate({ to: '/connections/$connectionId/activity', params }),
        { also: 'log history events rejected refused requests calls errors' },
      ),
      command(
        ShieldCheck,
        'Check the receiver',
        () => void navigate({ to: '/connections/$connectionId/check', params }),
        { also: 'verify signature prove endpoint security wrong calls' },
      ),
      command(
        Power,
        enabled ? 'Disable connection' : 'Enable connection',
        () => switchConnection(connectionId, !enabled),
        { also: enabled ? 'pause stop turn switch off' : 'resume start turn switch on' },
      ),
    ].map(one => ({ ...one, also: `${one.also ?? ''} ${name}`, detail: name }))
  }
}

/** Returns the commands that need the open page of a connection; none elsewhere. */
function useOpenCommands(query: string): Entry[] {
  const navigate = useNavigate()
  const connectionId = useOpenConnectionId()
  const { open } = useOverlays()
  const { replay } = useEventCommands(connectionId ?? '')
  const lastEvent = useConnectionStatistics(connectionId ?? '')?.lastEvent ?? null
  const connection = useConnection(connectionId)
  if (connectionId === undefined || connection === undefined) return []
  const { name, enabled, persistEvents } = connection
  const replayable = persistEvents && enabled ? lastEvent : null
  const commands = [
    command(Send, 'Send test event', () => open({ kind: 'send-event' }), {
      also: 'try simulate post trigger',
      keys: 't',
    }),
    ...(replayable === null
      ? []
      : [
          command(
            RotateCcw,
            `Replay the last event, ${replayable.eventName}`,
            () => replay(replayable.eventId),
            { also: 'repeat again resend retry' },
          ),
        ]),
  ]
  const params = { connectionId }
  const typed = query.trim()
  const search = { to: '/connections/$connectionId/activity', params, search: { text: typed } } as const
  const create = {
    to: '/connections/$connectionId/actions',
    params,
    search: { action: 'new', name: typed },
  } as const
  const withQuery = [
    command(Activity, `Search activity for “${typed}”`, () => void navigate(search), {
      ...{ detail: 'This connection', keys: 'mod+shift+f' },
      isFallback: true,
    }),
    command(Plus, `New action named “${typed}”`, () => void navigate(create), {
      detail: 'This connection',
      isFallback: true,
    }),
  ]
  return [...commands.map(one => ({ ...one, detail: name })), ...(typed === '' ? [] : withQuery)]
}

/** Returns the id of the connection whose page is open; undefined on other screens. */
export function useOpenConnectionId(): string | undefined {
  return useMatches({
    select: matches =>
      matches.find(match => match.routeId === '/connections/$connectionId')?.params.connectionId,
  })
}
