import { isLegacyRequest } from '@modelcontextprotocol/server'
import type { ConnectedClients } from '#main/assistant/connected-clients.ts'
import { stopAll } from '#main/lib/stop-all.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { Connected } from './client-facts.ts'
import { createModernServers } from './modern.ts'
import type { McpServerParts } from './server.ts'
import { createMcpSessions } from './sessions.ts'
import { createMcpStreams } from './streams.ts'
import { createToolWatch } from './tool-watch.ts'

export type McpParts = McpServerParts & {
  readonly store: Pick<ConfigStore, 'snapshot' | 'onChange'>
  readonly clients: ConnectedClients
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** The MCP servers of all addresses and tokens, in both protocols. */
export type Mcp = ReturnType<typeof createMcp>

/** Creates the MCP servers. Importing this file loads the SDK, so it is imported with the first request. */
export function createMcp(given: McpParts) {
  const watch = createToolWatch(given.store, given.onError)
  const parts = { ...given, watch }
  const modern = createModernServers(parts)
  const sessions = createMcpSessions(parts)
  const streams = createMcpStreams(parts)
  return {
    /**
     * Answers an HTTP request.
     *
     * @param request its signal aborts when the response is closed. @param body the parsed JSON; undefined without one.
     */
    async fetch(connected: Connected, request: Request, body: unknown) {
      const servers = (await isLegacyRequest(request, body)) ? sessions : modern
      return servers.fetch(connected, request, body)
    },
    /** Serves a client that speaks over a stream of lines, until either side closes it. */
    serve: streams.serve,
    stop: () => stopAll([watch.stop, modern.stop, sessions.stop, streams.stop]),
  }
}
