import { z } from 'zod'
import type { ClientFacts, ConnectedClient, ConnectedClients } from '#main/assistant/connected-clients.ts'
import type { McpScope } from './scope.ts'

const Info = z.object({ name: z.string(), version: z.string().optional() })

const Initialize = z.object({
  method: z.literal('initialize'),
  params: z.object({ clientInfo: Info, protocolVersion: z.string() }),
})

/** A request of the protocol of 2026 says with each request who sends it. */
const ModernRequest = z.object({
  params: z.object({
    _meta: z.object({
      'io.modelcontextprotocol/clientInfo': Info.optional().catch(undefined),
      'io.modelcontextprotocol/protocolVersion': z.string().catch(''),
    }),
  }),
})

const maxText = 100

/** Returns a name or version that a client claims, without control characters, and shortened. */
function shortened(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').slice(0, maxText)
}

/** How a client is connected. */
export type Connected = {
  readonly scope: McpScope
  readonly transport: ClientFacts['transport']
  readonly tokenName: string | null
}

/** @param info what the client says of itself. @param protocol the version of MCP. */
function clientFacts(info: unknown, protocol: string | undefined, connected: Connected): ClientFacts {
  const { data } = Info.safeParse(info)
  const { scope, transport, tokenName } = connected
  return {
    name: shortened(data?.name ?? '') || 'Unnamed client',
    version: data?.version === undefined ? null : shortened(data.version),
    protocol: shortened(protocol ?? ''),
    transport,
    tokenId: scope.tokenId,
    tokenName,
    workspaceId: scope.connectionId === null ? (scope.workspaceId ?? 'default') : null,
    connectionId: scope.connectionId,
  }
}

/** Returns what a request of the protocol of 2026 says of its client. @param message parsed JSON. */
export function factsOfRequest(message: unknown, connected: Connected): ClientFacts {
  const meta = ModernRequest.safeParse(message).data?.params._meta
  return clientFacts(
    meta?.['io.modelcontextprotocol/clientInfo'],
    meta?.['io.modelcontextprotocol/protocolVersion'],
    connected,
  )
}

/**
 * Returns what a request of the protocol of 2025 says of its client. Without a session, only the first one says who it is.
 *
 * @param version what the request says.
 */
export function factsWithoutSession(message: unknown, version: string, connected: Connected): ClientFacts {
  const { data } = Initialize.safeParse(message)
  if (data === undefined) return { ...clientFacts({}, version, connected), name: null }
  return clientFacts(data.params.clientInfo, data.params.protocolVersion, connected)
}

/** Returns what identifies the client of a session or a stream: the first call decides, and the later ones return it. */
export function createOwnClient(clients: Pick<ConnectedClients, 'of'>, connected: Connected) {
  let own: ConnectedClient | null = null
  return {
    identify(info: unknown, protocol: string | undefined): ConnectedClient {
      own ??= clients.of(clientFacts(info, protocol, connected))
      return own
    },
    /** Notes a connection of the client, once it is known who it is. Returns its end. */
    hold: () => own?.hold() ?? (() => {}),
    leave: () => own?.leave(),
  }
}
