import { Copy, CopyPlus, Download, RefreshCw, Upload } from 'lucide-react'
import type { ConnectionSummary } from '#shared/model/connection.ts'
import { copyInboundUrl } from '../../entities/connection/use-secret.ts'
import { exportConnection, useDuplicateConnection } from '../../entities/connection/use-update-connection.ts'
import { useOverlays } from '../../overlays.tsx'
import { deleteEntry, type MenuEntry } from '../../ui/more-menu.tsx'

/** Returns a function that returns what the menu of a connection does, also as commands of the palette. */
export function useConnectionEntries() {
  const { open } = useOverlays()
  const duplicate = useDuplicateConnection()
  return (connection: Pick<ConnectionSummary, 'connectionId' | 'name'>): readonly MenuEntry[] => {
    const { connectionId } = connection
    return [
      {
        ...{ icon: Copy, label: 'Copy inbound URL', keys: 'mod+shift+c' },
        also: 'webhook address endpoint link token',
        run: () => copyInboundUrl(connectionId),
      },
      {
        ...{ icon: Download, label: 'Import into this connection', isRuled: true },
        also: 'actions event types json openapi curl document add',
        run: () => open({ kind: 'import', request: { connectionId } }),
      },
      {
        ...{ icon: RefreshCw, label: 'Import again', also: 'update refresh document openapi' },
        run: () => open({ kind: 'reimport', connectionId }),
      },
      {
        ...{ icon: Upload, label: 'Export as JSON', also: 'save back up backup download document' },
        run: () => void exportConnection(connection),
      },
      {
        ...{ icon: CopyPlus, label: 'Duplicate', also: 'copy clone connection', isWriting: true },
        run: () => duplicate.mutate({ connectionId }),
      },
      deleteEntry(() => open({ kind: 'delete-connection', connectionId })),
    ]
  }
}
