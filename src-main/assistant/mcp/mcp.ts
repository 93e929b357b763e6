import { isLegacyRequest } from '@modelcontextprotocol/server'
import type { ConnectedClients } from '#main/assistant/connected-clients.ts'
import { stopAll } from '#main/lib/stop-all.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { Signals } from '#main/storage/signals.ts'
import type { Connected } from './client-facts.ts'
import { acceptedTypes, asOneDocument } from './media-types.ts'
import { createModernServers } from './modern.ts'
import { MessageError, rpcCodes } from './parse-message.ts'
import type { McpServerParts } from './server.ts'
import { createMcpSessions } from './sessions.ts'
import { createStatelessServers } from './stateless.ts'
import { createMcpStreams } from './streams.ts'
import { createToolWatch } from './tool-watch.ts'

export type McpParts = McpServerParts & {
  readonly store: Pick<ConfigStore, 'snapshot' | 'onChange' | 'everywhere'>
  readonly clients: ConnectedClients
  /** Whether the versions up to 2025-11-25 have sessions over HTTP. Sessions are of one process. */
  readonly hasSessions: boolean
  readonly signals: Signals
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
  const legacy = given.hasSessions ? createMcpSessions(parts) : createStatelessServers(parts)
  const streams = createMcpStreams(parts)

  return {
    /**
     * Answers an HTTP request. A client that does not name server-sent events gets one JSON document.
     *
     * @param request its signal aborts when the response is closed. @param body the parsed JSON; undefined without one.
     * @throws MessageError
     */
    async fetch(connected: Connected, request: Request, body: unknown) {
      const { json, events, namesEvents } = acceptedTypes(request.headers.get('accept'))
      // These answers have no end.
      const isStream = request.method === 'GET' || Object(body).method === 'subscriptions/listen'
      if (isStream ? !events : !events && !json)
        throw new MessageError(
          rpcCodes.server,
          `Not acceptable: the client must accept ${isStream ? '' : 'application/json or '}text/event-stream.`,
          { status: 406 },
        )
      // The SDK wants both types by their names.
      request.headers.set('accept', 'application/json, text/event-stream')
      const servers = (await isLegacyRequest(request, body)) ? legacy : modern
      const response = await servers.fetch(connected, request, body)
      if (isStream || namesEvents) return response
      return asOneDocument(response, Array.isArray(body), request.signal)
    },
    /** Serves a client that speaks over a stream of lines, until either side closes it. */
    serve: streams.serve,
    stop: () => stopAll([watch.stop, modern.stop, legacy.stop, streams.stop]),
  }
}
