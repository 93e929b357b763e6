import { ActionIcon, Menu } from '@mantine/core'
import { Copy, Ellipsis } from 'lucide-react'
import { useCopyInboundUrl } from './use-copy-inbound-url.ts'

/** What else can be done with a connection. */
export function ConnectionMenu({
  connection,
}: {
  readonly connection: { connectionId: string; name: string }
}) {
  const copyInboundUrl = useCopyInboundUrl()
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <ActionIcon aria-label={`More for ${connection.name}`}>
          <Ellipsis size={14} aria-hidden="true" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Copy size={14} />} onClick={() => copyInboundUrl(connection.connectionId)}>
          Copy inbound URL
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
