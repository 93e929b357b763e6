import { useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import type { McpAddress } from '#shared/model/assistant.ts'
import { api, isDesktop } from '../../client/client.ts'
import { useConnection } from '../../entities/connection/use-connections.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { isMac } from '../../ui/is-mac.ts'
import { useLocalStorage } from '../../ui/use-local-storage.ts'
import {
  type Access,
  configurationFor,
  type McpClientKind,
  mcpClients,
  serverName,
} from './configurations.ts'

const Client = z.enum(mcpClients.map(({ id }) => id))
export const Transport = z.enum(['http', 'stdio'])
type Transport = z.infer<typeof Transport>

/** Stands for a token that only its owner knows. */
export const tokenPlaceholder = 'YOUR_CLIENT_TOKEN'
const mask = '•'.repeat(16)
const platform = isMac ? 'mac' : /win/i.test(navigator.platform) ? 'windows' : 'linux'

/** The workspace or the connection whose tools a client gets. */
type Scope = { readonly workspaceId: string; readonly connectionId: string | null }

/** Returns how a client reaches the tools of a scope. The default workspace needs no mention. */
export function accessTo(
  address: McpAddress,
  scope: Scope,
  transport: Transport,
  token: string | null,
): Access {
  const { url, command, args } = address
  const { workspaceId, connectionId } = scope
  const isDefault = workspaceId === 'default'
  if (transport === 'http' && url !== null) {
    const path = connectionId ?? (isDefault ? null : `workspaces/${workspaceId}`)
    return {
      transport: 'http',
      url: path === null ? url : `${url}/${path}`,
      token: token ?? tokenPlaceholder,
    }
  }
  const narrowing =
    connectionId !== null ? ['--connection', connectionId] : isDefault ? [] : ['--workspace', workspaceId]
  return { transport: 'stdio', command, args: [...args, ...narrowing], token }
}

/**
 * Returns the configuration of the chosen client, and what chooses another. The browser remembers the client and the
 * transport.
 *
 * @param token null if it is not known: the configuration to copy then has a placeholder.
 */
export function useConfiguration(connectionId: string | null, token: string | null) {
  const { workspace } = useWorkspace()
  const { data: served, error, refetch } = useQuery(api.assistant.address.queryOptions())
  const [client, setClient] = useLocalStorage<McpClientKind>('mcp-client', Client, 'claude-desktop')
  const [chosen, setTransport] = useLocalStorage<Transport>('mcp-transport', Transport, 'http')
  // In a browser it is the page's own address, which a proxy may have changed.
  const address = served && (isDesktop ? served : { ...served, url: new URL('mcp', document.baseURI).href })
  const hasHttp = address?.url !== null
  // Without an address on TCP, only programs on the same computer can connect.
  const transport = hasHttp ? chosen : 'stdio'
  const connection = useConnection(connectionId)
  const isDefault = workspace?.workspaceId === 'default'
  const name = serverName(connection?.name ?? (isDefault ? null : (workspace?.name ?? null)))

  function access(over: Transport, token: string | null) {
    if (address === undefined || workspace === null) return null
    return accessTo(address, { ...workspace, connectionId }, over, token)
  }
  function configurationWith(token: string | null) {
    const reached = access(transport, token)
    return reached && configurationFor(client, reached, name, platform)
  }
  function overHttp(token: string | null) {
    const reached = access('http', token)
    return reached?.transport === 'http' ? reached : null
  }
  const [shownAccess, copiedAccess] = [overHttp(mask), overHttp(token)]
  return {
    client,
    label: mcpClients.find(({ id }) => id === client)?.label ?? '',
    chooseClient: (next: string | null) => setClient(Client.catch('other').parse(next)),
    transport,
    hasHttp,
    chooseTransport: (next: string) => setTransport(Transport.parse(next)),
    /** Null until the address is known. */
    shown: configurationWith(token === null && transport === 'stdio' ? null : mask),
    copied: configurationWith(token),
    /** How a program reaches the service over HTTP, as shown and as copied; null if it cannot. */
    http: shownAccess && copiedAccess && { shown: shownAccess, copied: copiedAccess },
    error,
    retry: () => void refetch(),
  }
}
