import { useMatches, useNavigate } from '@tanstack/react-router'
import {
  Activity,
  Copy,
  CopyPlus,
  Download,
  KeyRound,
  Plus,
  Power,
  RefreshCw,
  RotateCcw,
  Send,
  Trash2,
  Upload,
} from 'lucide-react'
import { useOverlays } from '../../shell/overlays.tsx'
import { useEventCommands } from '../activity/use-event.ts'
import { useConnectionStatistics, useConnections } from '../connections/use-connections.ts'
import { copyInboundUrl, copySigningSecret } from '../connections/use-secret.ts'
import {
  exportConnection,
  useDuplicateConnection,
  useSwitchConnection,
} from '../connections/use-update-connection.ts'
import type { Entry } from './entry.ts'

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
      run: () => open({ kind: 'send-event' }),
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
      id: 'copy-signing-secret',
      group,
      icon: <KeyRound size={16} />,
      text: 'Copy signing secret',
      detail,
      run: () => copySigningSecret(connectionId),
    },
    {
      id: 'rotate-secret',
      group,
      icon: <RefreshCw size={16} />,
      text: 'Rotate signing secret',
      detail,
      run: () => open({ kind: 'rotate-secret', connectionId }),
    },
    ...(lastEvent !== null && connection.persistEvents && connection.enabled
      ? [
          {
            id: 'replay-last-event',
            group,
            icon: <RotateCcw size={16} />,
            text: `Replay the last event, ${lastEvent.eventName}`,
            detail,
            run: () => replay(lastEvent.eventId),
          },
        ]
      : []),
    {
      id: 'switch',
      group,
      icon: <Power size={16} />,
      text: connection.enabled ? 'Disable connection' : 'Enable connection',
      detail,
      run: () => switchConnection(connectionId, !connection.enabled),
    },
    {
      id: 'import-into',
      group,
      icon: <Download size={16} />,
      text: 'Import actions or event types',
      detail,
      run: () => open({ kind: 'import', request: { connectionId } }),
    },
    {
      id: 'export',
      group,
      icon: <Upload size={16} />,
      text: 'Export as JSON',
      also: 'save backup document',
      detail,
      run: () => void exportConnection(connection),
    },
    {
      id: 'duplicate',
      group,
      icon: <CopyPlus size={16} />,
      text: 'Duplicate connection',
      also: 'copy clone',
      detail,
      run: () => duplicate.mutate({ connectionId }),
    },
    {
      id: 'delete',
      group,
      icon: <Trash2 size={16} />,
      text: 'Delete connection',
      also: 'remove',
      detail,
      run: () => open({ kind: 'delete-connection', connectionId }),
    },
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
