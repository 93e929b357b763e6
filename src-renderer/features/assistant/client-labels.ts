import type { McpClient } from '#shared/model/assistant.ts'
import { formatCount } from '../../ui/format.ts'

/** Returns whether a client has a connection open. A client that only sends single requests has none. */
export const isConnected = ({ connections }: McpClient): boolean => connections > 0

/** Returns how many clients there are: “1 client connected, 2 more in the last 5 minutes”. */
export function clientsLabel(clients: readonly McpClient[]): string {
  // One that uses several addresses is one client.
  const nameOf = ({ name, tokenId }: McpClient) => JSON.stringify([name, tokenId])
  const connected = new Set(clients.filter(isConnected).map(nameOf))
  const others = new Set(clients.map(nameOf)).size - connected.size
  if (connected.size === 0 && others > 0)
    return `${formatCount(others, 'client')} in the last 5 minutes, none connected`
  const more = others === 0 ? '' : `, ${others} more in the last 5 minutes`
  return `${formatCount(connected.size, 'client')} connected${more}`
}

/** Returns a client in one line: its version of MCP, how it reaches the service, and its token. */
export function describeClient({ name, version, protocol, transport, tokenName }: McpClient): string {
  const client = version === null ? name : `${name} ${version}`
  const rights = tokenName ?? (transport === 'stdio' ? 'no token' : 'admin token')
  return [client, `MCP ${protocol}`, transport, rights].join(' · ')
}
