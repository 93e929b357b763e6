import { Menu } from '@mantine/core'
import { Copy, CopyPlus, Download, RefreshCw, Upload } from 'lucide-react'
import { useState } from 'react'
import type { ConnectionSummary } from '#shared/model/connection.ts'
import { copyInboundUrl } from '../../entities/connection/use-secret.ts'
import { exportConnection, useDuplicateConnection } from '../../entities/connection/use-update-connection.ts'
import { useOverlays } from '../../overlays.tsx'
import { Keys } from '../../ui/keys.tsx'
import { DeleteItem, MoreMenu } from '../../ui/more-menu.tsx'
import { DeleteConnectionDialog } from './delete-connection-dialog.tsx'

/** The menu of a connection. */
export function ConnectionMenu(props: {
  readonly connection: Pick<ConnectionSummary, 'connectionId' | 'name' | 'actionCount' | 'eventTypeCount'>
  readonly size?: 'xs' | 'sm'
}) {
  const { connection, size } = props
  const { connectionId, name } = connection
  const { open } = useOverlays()
  const duplicate = useDuplicateConnection()
  const [isDeleting, setIsDeleting] = useState(false)
  return (
    <>
      <MoreMenu name={name} size={size} width={264}>
        <Menu.Item
          leftSection={<Copy />}
          rightSection={<Keys keys="mod+shift+c" />}
          onClick={() => copyInboundUrl(connectionId)}
        >
          Copy inbound URL
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          leftSection={<Download />}
          onClick={() => open({ kind: 'import', request: { connectionId } })}
        >
          Import into this connection
        </Menu.Item>
        <Menu.Item leftSection={<RefreshCw />} onClick={() => open({ kind: 'reimport', connectionId })}>
          Import again
        </Menu.Item>
        <Menu.Item leftSection={<Upload />} onClick={() => void exportConnection(connection)}>
          Export as JSON
        </Menu.Item>
        <Menu.Item leftSection={<CopyPlus />} onClick={() => duplicate.mutate({ connectionId })}>
          Duplicate
        </Menu.Item>
        <DeleteItem onClick={() => setIsDeleting(true)} />
      </MoreMenu>
      {isDeleting && <DeleteConnectionDialog connection={connection} onClose={() => setIsDeleting(false)} />}
    </>
  )
}
