import { randomUUID } from 'node:crypto'
import {
  isInitializeRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { ConnectedClients } from '#main/assistant/connected-clients.ts'
import { type Connected, createOwnClient } from './client-facts.ts'
import { cancelledBy, checkBatch, MessageError, rpcCodes } from './parse-message.ts'
import { scopeKey } from './scope.ts'
import { createMcpServer, type McpServerParts } from './server.ts'
import type { ToolWatch } from './tool-watch.ts'

const maxSessions = 200
/** Milliseconds until a session ends in which no request is open. */
const idleMs = 30 * 60 * 1000
const idleCheckEveryMs = 60 * 1000

type Session = {
  readonly own: ReturnType<typeof createOwnClient>
  readonly connected: Connected
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly server: Server
  lastUsedAt: number
  /** Requests without a complete answer, such as its stream of changes. */
  open: number
}

/** The protocol of 2025 over HTTP: a session for each client. */
export function createMcpSessions(
  parts: McpServerParts & {
    readonly clients: ConnectedClients
    readonly watch: ToolWatch
    /** Milliseconds since 1970. */
    readonly clock: () => number
  },
) {
  const { clients, watch, clock, onError } = parts
  const sessions = new Map<string, Session>()
  const close = ({ server }: Session) => server.close().catch(onError)

  const idleTimer = setInterval(() => {
    for (const session of sessions.values())
      if (session.open === 0 && session.lastUsedAt + idleMs < clock()) void close(session)
  }, idleCheckEveryMs).unref()

  /** Ends the session that was not used for longest; if possible, one in which no request is open. */
  async function makeRoom(): Promise<void> {
    if (sessions.size < maxSessions) return
    const [first] = [...sessions.values()].sort(
      (one, other) => Math.sign(one.open) - Math.sign(other.open) || one.lastUsedAt - other.lastUsedAt,
    )
    if (first !== undefined) await close(first)
  }

  async function open(connected: Connected, request: Request, body: unknown): Promise<Response> {
    await makeRoom()
    const own = createOwnClient(clients, connected)
    const clientOf = (of: Server) => own.identify(of.getClientVersion(), of.getNegotiatedProtocolVersion())
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: id => void sessions.set(id, session),
    })
    const server = createMcpServer(parts, connected.scope, clientOf)
    const session: Session = { own, connected, transport, server, lastUsedAt: clock(), open: 0 }
    const unwatch = watch.add({
      scope: connected.scope,
      toolsChanged: () => void server.sendToolListChanged().catch(onError),
      close: () => close(session),
    })
    server.oninitialized = () => clientOf(server).seen()
    server.onclose = () => {
      if (transport.sessionId !== undefined) sessions.delete(transport.sessionId)
      unwatch()
      own.leave()
    }
    await server.connect(transport)
    const response = await serve(session, request, body)
    // Without a session id, nobody can use it again.
    if (transport.sessionId === undefined) await close(session)
    return response
  }

  async function serve(session: Session, request: Request, body: unknown): Promise<Response> {
    session.lastUsedAt = clock()
    session.open += 1
    const release = session.own.hold()
    const done = () => {
      release()
      session.open -= 1
      session.lastUsedAt = clock()
    }
    if (request.signal.aborted) done()
    else request.signal.addEventListener('abort', done, { once: true })
    const response = await session.transport.handleRequest(request, { parsedBody: body })
    if (response.ok) for (const id of cancelledBy(body)) await endStream(session.transport, id)
    return response
  }

  return {
    async fetch(connected: Connected, request: Request, body: unknown) {
      const id = request.headers.get('mcp-session-id')
      if (id === null && isInitializeRequest(body)) return open(connected, request, body)
      const session = id === null ? undefined : sessions.get(id)
      // A session belongs to its address and token.
      const isTheirs =
        session !== undefined && scopeKey(session.connected.scope) === scopeKey(connected.scope)
      if (id !== null && !isTheirs) throw new MessageError(-32_001, 'Session not found', { status: 404 })
      if (Array.isArray(body)) checkBatch(body, session?.server.getNegotiatedProtocolVersion() ?? null)
      if (session === undefined)
        throw new MessageError(rpcCodes.server, 'Initialize a session first, and send its Mcp-Session-Id.')
      return serve(session, request, body)
    },
    async stop() {
      clearInterval(idleTimer)
      await Promise.all(Array.from(sessions.values(), close))
    },
  }
}

/**
 * Ends the stream of a cancelled request. The SDK does not answer such a request, so it would keep the stream open and
 * remember the id until the session ends.
 */
async function endStream(transport: Session['transport'], id: string | number): Promise<void> {
  transport.closeSSEStream(id)
  // Cannot be delivered any more, but makes the SDK forget the id. Rejects if it does not know the id.
  const error = { code: -32_000, message: 'The request was cancelled.' }
  await transport.send({ jsonrpc: '2.0', id, error }).catch(() => {})
}
