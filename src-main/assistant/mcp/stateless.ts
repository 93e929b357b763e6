import { DEFAULT_NEGOTIATED_PROTOCOL_VERSION, legacyStatelessFallback } from '@modelcontextprotocol/server'
import type { ConnectedClients } from '#main/assistant/connected-clients.ts'
import { type Connected, factsWithoutSession } from './client-facts.ts'
import { checkBatch } from './parse-message.ts'
import { createMcpServer, type McpServerParts } from './server.ts'
import type { ToolWatch } from './tool-watch.ts'

/**
 * The protocol of 2025 over HTTP without sessions, for services that share a storage: each of them answers each request.
 * Clients are not told that their tools have changed, and a request ends only with its response.
 */
export function createStatelessServers(
  parts: McpServerParts & { readonly clients: ConnectedClients; readonly watch: ToolWatch },
) {
  const { clients, watch, onError } = parts
  const inProgress = new Set<AbortController>()

  return {
    async fetch(connected: Connected, request: Request, body: unknown) {
      const version = request.headers.get('mcp-protocol-version') ?? DEFAULT_NEGOTIATED_PROTOCOL_VERSION
      if (Array.isArray(body)) checkBatch(body, version)
      const client = clients.of(factsWithoutSession(body, version, connected))
      const ending = new AbortController()
      const end = () => ending.abort()
      const unwatch = watch.add({ scope: connected.scope, toolsChanged: () => {}, close: end })
      inProgress.add(ending)
      ending.signal.addEventListener('abort', () => {
        unwatch()
        inProgress.delete(ending)
      })
      if (request.signal.aborted) end()
      else request.signal.addEventListener('abort', end, { once: true })
      const serve = legacyStatelessFallback(
        () => createMcpServer(parts, connected.scope, () => client, false),
        onError,
      )
      const response = await serve(new Request(request, { signal: ending.signal }), { parsedBody: body })
      if (response.ok) client.seen()
      return response
    },
    async stop() {
      for (const ending of inProgress) ending.abort()
    },
  }
}
