import {
  DEFAULT_NEGOTIATED_PROTOCOL_VERSION,
  legacyStatelessFallback,
  type RequestId,
} from '@modelcontextprotocol/server'
import type { ConnectedClients } from '#main/assistant/connected-clients.ts'
import type { Signals } from '#main/storage/signals.ts'
import { type Connected, factsWithoutSession } from './client-facts.ts'
import { cancelledBy, checkBatch } from './parse-message.ts'
import { createMcpServer, type McpServerParts } from './server.ts'
import type { ToolWatch } from './tool-watch.ts'
import { createWithdrawals } from './withdrawals.ts'

/**
 * The protocol of 2025 over HTTP without sessions, for services that share a storage: each of them answers each request.
 * Clients are not told that their tools have changed. A request ends with its response; to cancel it only ends the wait for
 * a decision.
 */
export function createStatelessServers(
  parts: McpServerParts & {
    readonly clients: ConnectedClients
    readonly watch: ToolWatch
    readonly signals: Signals
  },
) {
  const { clients, watch, signals, onError } = parts
  const withdrawals = createWithdrawals(signals)
  const inProgress = new Set<AbortController>()

  return {
    async fetch(connected: Connected, request: Request, body: unknown) {
      const { scope } = connected
      const version = request.headers.get('mcp-protocol-version') ?? DEFAULT_NEGOTIATED_PROTOCOL_VERSION
      if (Array.isArray(body)) checkBatch(body, version)
      // The SDK would not notice that nobody reads the response. No status is sent.
      if (request.signal.aborted) return new Response(null, { status: 499 })
      const client = clients.of(factsWithoutSession(body, version, connected))
      const ending = new AbortController()
      const end = () => ending.abort()
      const unwatch = watch.add({ scope, toolsChanged: () => {}, close: end })
      inProgress.add(ending)
      ending.signal.addEventListener('abort', () => {
        unwatch()
        inProgress.delete(ending)
      })
      request.signal.addEventListener('abort', end, { once: true })
      for (const id of cancelledBy(body)) withdrawals.withdraw(scope, id)
      const withdrawnOf = (id: RequestId) => withdrawals.of(scope, id, ending.signal)
      const serve = legacyStatelessFallback(
        () => createMcpServer(parts, scope, () => client, withdrawnOf),
        onError,
      )
      const response = await serve(new Request(request, { signal: ending.signal }), { parsedBody: body })
      if (response.ok) client.seen()
      return response
    },
    async stop() {
      withdrawals.stop()
      for (const ending of inProgress) ending.abort()
    },
  }
}
