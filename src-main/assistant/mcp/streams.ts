import type { Duplex } from 'node:stream'
import type { Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { ConnectedClients } from '#main/assistant/connected-clients.ts'
import { type Connected, createOwnClient } from './client-facts.ts'
import { createLineTransport } from './line-transport.ts'
import { createMcpServer, type McpServerParts } from './server.ts'
import type { ToolWatch } from './tool-watch.ts'

const maxStreams = 200
const maxSubscriptions = 64

/** Both protocols over streams of lines, as `custom-connection mcp` passes them on from its stdin and stdout. */
export function createMcpStreams(
  parts: McpServerParts & { readonly clients: ConnectedClients; readonly watch: ToolWatch },
) {
  const { clients, watch, onError } = parts
  const handles = new Set<{ close(): Promise<void> }>()

  return {
    /** Serves a client until either side closes the stream. */
    serve(connected: Connected, stream: Duplex) {
      if (handles.size >= maxStreams) {
        stream.destroy()
        return
      }
      const servers = new Set<Server>()
      const own = createOwnClient(clients, connected)
      let release: (() => void) | null = null
      function identify(info: unknown, of: Server) {
        const client = own.identify(info, of.getNegotiatedProtocolVersion())
        release ??= client.hold()
        return client
      }
      function create(): Server {
        const server = createMcpServer(parts, connected.scope, (of, { mcpReq: { envelope = {} } }) =>
          identify(of.getClientVersion() ?? Reflect.get(envelope, 'io.modelcontextprotocol/clientInfo'), of),
        )
        server.oninitialized = () => void identify(server.getClientVersion(), server)
        server.onclose = () => void servers.delete(server)
        servers.add(server)
        return server
      }
      const transport = createLineTransport(stream)
      const handle = serveStdio(create, { transport, onerror: onError, maxSubscriptions })
      const toolsChanged = () => {
        for (const server of servers) server.sendToolListChanged().catch(onError)
      }
      const unwatch = watch.add({ scope: connected.scope, toolsChanged, close: () => handle.close() })
      handles.add(handle)
      stream.once('close', () => {
        handles.delete(handle)
        unwatch()
        release?.()
        own.leave()
      })
    },
    async stop() {
      await Promise.all(Array.from(handles, handle => handle.close()))
    },
  }
}
