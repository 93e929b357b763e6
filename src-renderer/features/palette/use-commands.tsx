import { useMantineColorScheme } from '@mantine/core'
import { useMatches, useNavigate } from '@tanstack/react-router'
import {
  Activity,
  Copy,
  CopyPlus,
  Download,
  Keyboard,
  KeyRound,
  Layers,
  Moon,
  Plug,
  Plus,
  Power,
  RefreshCw,
  RotateCcw,
  Send,
  SlidersHorizontal,
  Sun,
  Trash2,
  Upload,
} from 'lucide-react'
import { isDesktop } from '../../client/client.ts'
import { sectionTitles, settingsSections } from '../../settings-sections.ts'
import { useOverlays } from '../../shell/overlays.tsx'
import { useEventCommands } from '../activity/use-event.ts'
import { useConnectionStatistics, useConnections } from '../connections/use-connections.ts'
import { copyInboundUrl, copySigningSecret } from '../connections/use-secret.ts'
import {
  exportConnection,
  useDuplicateConnection,
  useSwitchConnection,
} from '../connections/use-update-connection.ts'
import { useWorkspace } from '../workspaces/current-workspace.tsx'
import { command, type Entry } from './entry.tsx'

/** What can be done from anywhere. */
export function useCommands(): Entry[] {
  const navigate = useNavigate()
  const { open } = useOverlays()
  const { setColorScheme } = useMantineColorScheme()
  const { workspace, workspaces, choose } = useWorkspace()
  return [
    command('new-connection', Plus, 'New connection', () => open({ kind: 'new-connection' }), { keys: 'n' }),
    command('import', Download, 'Import', () => open({ kind: 'import', request: {} }), {
      also: 'json openapi curl document',
      keys: 'i',
    }),
    command('go-connections', Plug, 'Go to connections', () => void navigate({ to: '/connections' }), {
      keys: 'g c',
    }),
    ...settingsSections
      .filter(section => section !== 'desktop' || isDesktop)
      .map(section =>
        command(
          `settings ${section}`,
          SlidersHorizontal,
          `Settings: ${sectionTitles[section]}`,
          () => void navigate({ to: '/settings/$section', params: { section } }),
          { ...(section === 'environment' ? { also: 'variables' } : {}) },
        ),
      ),
    ...workspaces
      .filter(({ workspaceId }) => workspaceId !== workspace?.workspaceId)
      .map(({ workspaceId, name }) =>
        command(`workspace ${workspaceId}`, Layers, `Switch to workspace ${name}`, () => {
          choose(workspaceId)
          void navigate({ to: '/connections' })
        }),
      ),
    command('new-workspace', Layers, 'New workspace', () => open({ kind: 'new-workspace' })),
    command('light', Sun, 'Light appearance', () => setColorScheme('light'), { also: 'theme' }),
    command('dark', Moon, 'Dark appearance', () => setColorScheme('dark'), { also: 'theme' }),
    command('shortcuts', Keyboard, 'Keyboard shortcuts', () => open({ kind: 'shortcuts' }), { keys: '?' }),
  ]
}

/** What can be done with the connection that is open. */
export function useConnectionCommands(query: string): Entry[] {
  const navigate = useNavigate()
  const connectionId = useOpenConnectionId()
  const { open } = useOverlays()
  const switchConnection = useSwitchConnection()
  const duplicate = useDuplicateConnection()
  const { replay } = useEventCommands(connectionId ?? '')
  const lastEvent = useConnectionStatistics(connectionId ?? '')?.lastEvent ?? null
  const connection = useConnections().rows.find(row => row.connectionId === connectionId)
  if (connectionId === undefined || connection === undefined) return []
  const params = { connectionId }
  const typed = query.trim()
  const detail = connection.name
  const withQuery: Entry[] =
    typed === ''
      ? []
      : [
          command(
            'search-activity',
            Activity,
            `Search activity for “${typed}”`,
            () =>
              void navigate({ to: '/connections/$connectionId/activity', params, search: { text: typed } }),
            { detail: 'This connection', keys: 'mod+shift+f' },
          ),
          command(
            'new-action',
            Plus,
            `New action named “${typed}”`,
            () =>
              void navigate({
                to: '/connections/$connectionId/actions',
                params,
                search: { action: 'new', name: typed },
              }),
            { detail: 'This connection' },
          ),
        ]
  return [
    command('send-test-event', Send, 'Send test event', () => open({ kind: 'send-event' }), {
      detail,
      keys: 't',
    }),
    command('copy-inbound-url', Copy, 'Copy inbound URL', () => copyInboundUrl(connectionId), {
      detail,
      keys: 'mod+shift+c',
    }),
    command('copy-signing-secret', KeyRound, 'Copy signing secret', () => copySigningSecret(connectionId), {
      detail,
    }),
    command(
      'rotate-secret',
      RefreshCw,
      'Rotate signing secret',
      () => open({ kind: 'rotate-secret', connectionId }),
      { detail },
    ),
    ...(lastEvent !== null && connection.persistEvents && connection.enabled
      ? [
          command(
            'replay-last-event',
            RotateCcw,
            `Replay the last event, ${lastEvent.eventName}`,
            () => replay(lastEvent.eventId),
            { detail },
          ),
        ]
      : []),
    command(
      'switch',
      Power,
      connection.enabled ? 'Disable connection' : 'Enable connection',
      () => switchConnection(connectionId, !connection.enabled),
      { detail },
    ),
    command(
      'import-into',
      Download,
      'Import actions or event types',
      () => open({ kind: 'import', request: { connectionId } }),
      { detail },
    ),
    command('export', Upload, 'Export as JSON', () => void exportConnection(connection), {
      also: 'save backup document',
      detail,
    }),
    command('duplicate', CopyPlus, 'Duplicate connection', () => duplicate.mutate({ connectionId }), {
      also: 'copy clone',
      detail,
    }),
    command('delete', Trash2, 'Delete connection', () => open({ kind: 'delete-connection', connectionId }), {
      also: 'remove',
      detail,
    }),
    ...withQuery,
  ]
}

/** Id of the connection whose page is open; undefined on other screens. */
export function useOpenConnectionId(): string | undefined {
  return useMatches({
    select: matches =>
      matches.find(match => match.routeId === '/connections/$connectionId')?.params.connectionId,
  })
}
