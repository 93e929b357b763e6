import { createMcpHandler, InMemoryServerEventBus, type McpHttpHandler } from '@modelcontextprotocol/server'
import type { ConnectedClient, ConnectedClients } from '#main/assistant/connected-clients.ts'
import { type Connected, factsOfRequest } from './client-facts.ts'
import { scopeKey } from './scope.ts'
import { createMcpServer, type McpServerParts } from './server.ts'
import type { ToolWatch } from './tool-watch.ts'

/** Handlers that are kept, one for each address and token. */
const maxHandlers = 500
/** Clients that listen for changes, for each handler. */
const maxSubscriptions = 64

type Kept = {
  readonly handler: McpHttpHandler
  readonly bus: InMemoryServerEventBus
  readonly unwatch: () => void
}

/** The protocol of 2026: no sessions. A client that listens for changes keeps a request open. */
export function createModernServers(
  parts: McpServerParts & { readonly clients: ConnectedClients; readonly watch: ToolWatch },
) {
  const { clients, watch, onError } = parts
  /** The one used last is the last. */
  const kept = new Map<string, Kept>()
  const senders = new WeakMap<Request, ConnectedClient>()

  function open(key: string, { scope }: Connected): Kept {
    const bus = new InMemoryServerEventBus(onError)
    const handler = createMcpHandler(
      ({ requestInfo }) =>
        createMcpServer(parts, scope, () => {
          const sender = requestInfo && senders.get(requestInfo)
          if (sender === undefined) throw new Error('Every request has a sender.')
          return sender
        }),
      { legacy: 'reject', bus, maxSubscriptions },
    )
    const close = () => {
      kept.delete(key)
      return handler.close()
    }
    return { handler, bus, unwatch: watch.add({ scope, toolsChanged: handler.notify.toolsChanged, close }) }
  }

  function handlerFor(connected: Connected): McpHttpHandler {
    const key = scopeKey(connected.scope)
    const found = kept.get(key) ?? open(key, connected)
    kept.delete(key)
    kept.set(key, found)
    for (const [oldKey, { bus, unwatch }] of kept) {
      if (kept.size <= maxHandlers) break
      if (bus.listenerCount > 0) continue
      kept.delete(oldKey)
      unwatch()
    }
    return found.handler
  }

  return {
    async fetch(connected: Connected, request: Request, body: unknown) {
      const client = clients.of(factsOfRequest(body, connected))
      senders.set(request, client)
      const response = await handlerFor(connected).fetch(request, { parsedBody: body })
      // The sender of a request that is refused, or that does not say who sends it, is not a client.
      if (!response.ok || client.facts.protocol === '') return response
      client.seen()
      if (Object(body).method === 'subscriptions/listen' && !request.signal.aborted)
        request.signal.addEventListener('abort', client.hold(), { once: true })
      return response
    },
    async stop() {
      await Promise.all(Array.from(kept.values(), ({ handler }) => handler.close()))
    },
  }
}
