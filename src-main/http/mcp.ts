import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { type Duplex, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Assistant } from '#main/assistant/assistant.ts'
import type { Connected } from '#main/assistant/mcp/client-facts.ts'
import { messageLimits, parseMessage } from '#main/assistant/mcp/parse-message.ts'
import { requireScope } from '#main/assistant/mcp/scope.ts'
import type { Logger } from '#main/lib/logger.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import { mcpPath } from '#shared/contract/base.ts'
import { ServiceError } from '#shared/errors.ts'
import { type Authority, bearerOf, digestOf } from './authorization.ts'
import { errorBody, refuse, toServiceError } from './errors.ts'
import { isJson } from './json-body.ts'
import { readRequestBody } from './request-body.ts'

const wrongToken =
  'The token is missing or wrong. Create one in Connect, and send it as "Authorization: Bearer <token>".'

const notCurrent = () =>
  new ServiceError('storage_unavailable', {
    detail: 'The database has not confirmed this service for too long. Try again later.',
  })

/** Requests with client tokens that may be in progress, streams included. The owner needs the other connections. */
const mostInProgress = 192

type McpRouteParts = {
  readonly assistant: Assistant
  readonly store: Pick<ConfigStore, 'snapshot'>
  /** Whether this process may act on its configuration. */
  readonly isCurrent: () => boolean
  readonly authority: Authority
  readonly logger: Logger
  /** Whether these are the addresses on the local socket, which `custom-connection mcp` uses. */
  readonly isLocal: boolean
  /** Called with the size of each part of an answer before it is written. */
  readonly makeRoom: (bytes: number) => void
}

type WithHeaders = { readonly headers: IncomingHttpHeaders }
/** The parameters of the three addresses. */
type Place = { readonly workspaceId?: string; readonly connectionId?: string }

/** Serves MCP at `/mcp`, `/mcp/<connectionId>` and `/mcp/workspaces/<workspaceId>`, to the admin token and client tokens. */
export async function serveMcp(app: FastifyInstance, parts: McpRouteParts): Promise<void> {
  await app.register(async scope => serveBelow(scope, parts))
  if (parts.isLocal) serveStreams(app, parts)
}

function serveBelow(app: FastifyInstance, parts: McpRouteParts): void {
  const { assistant, isCurrent, authority, makeRoom } = parts
  const identify = createIdentify(parts)

  let inProgress = 0

  app.addHook('onRequest', async (request, reply) => {
    if (!isCurrent()) return refuse(reply, notCurrent())
    const identified = identify(request)
    if (identified === null) return refuse(reply, authority.refusal(request, reply, wrongToken))
    if (identified.tokenId === null) return
    if (inProgress >= mostInProgress)
      return refuse(reply.header('retry-after', '1'), new ServiceError('too_many_mcp_requests'))
    inProgress++
    reply.raw.once('close', () => {
      inProgress--
    })
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) => {
    const detail = `An MCP message can have at most ${messageLimits.bytes} bytes.`
    const tooLarge = new ServiceError('body_too_large', { detail })
    const body = await readRequestBody(payload, messageLimits.bytes, tooLarge)
    // Clients name JSON also where they send nothing, such as when they end a session.
    if (body.length === 0 && request.method !== 'POST') return undefined
    if (!isJson(request.headers['content-type'])) throw new ServiceError('unsupported_media_type')
    return parseMessage(body)
  })

  async function handle(request: FastifyRequest<{ Params: Place }>, reply: FastifyReply): Promise<void> {
    // While the body arrived, the token may have been revoked.
    if (!isCurrent()) throw notCurrent()
    const identified = identify(request)
    if (identified === null) throw new ServiceError('unauthorized')
    const connected = connectedAt(parts, request.params, identified)
    const servers = await assistant.mcp()
    const answer = await servers.fetch(connected, toWebRequest(request, reply), request.body)
    await send(answer, reply, makeRoom)
  }
  const methods = assistant.hasSessions ? ['GET', 'POST', 'DELETE'] : ['POST']
  const others = ['GET', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'PUT'].filter(one => !methods.includes(one))
  const paths = [mcpPath, `${mcpPath}/:connectionId`, `${mcpPath}/workspaces/:workspaceId`]
  for (const url of paths.flatMap(path => [path, `${path}/`])) {
    app.route<{ Params: Place }>({ method: methods, exposeHeadRoute: false, url, handler: handle })
    app.route({
      method: others,
      url,
      handler: (_request, reply) =>
        refuse(reply.header('allow', methods.join(', ')), new ServiceError('method_not_allowed')),
    })
  }
}

/** A null `tokenId` is the admin token. */
type Identified = { readonly tokenId: string | null }

/** Returns a function that returns the token of a request; null if it is missing or wrong. */
function createIdentify({ store, authority }: McpRouteParts): (request: WithHeaders) => Identified | null {
  return request => {
    if (authority.isAuthorized(request)) return { tokenId: null }
    const presented = bearerOf(request)
    if (presented === undefined) return null
    const digest = digestOf(presented)
    let found: Identified | null = null
    // Compares with all of them in constant time, like the admin token.
    for (const { tokenId, digest: known } of store.snapshot().clientTokens.values())
      if (timingSafeEqual(Buffer.from(known, 'hex'), digest)) found = { tokenId }
    return found
  }
}

/** @throws ServiceError `workspace_not_found`, `connection_not_found`. */
function connectedAt(parts: McpRouteParts, place: Place, { tokenId }: Identified): Connected {
  const { assistant, store, isLocal } = parts
  const { workspaceId = null, connectionId = null } = place
  const scope = { workspaceId, connectionId, tokenId }
  const config = store.snapshot()
  requireScope(config, scope)
  if (tokenId !== null) assistant.used(tokenId)
  const tokenName = tokenId === null ? null : (config.clientTokens.get(tokenId)?.name ?? null)
  return { scope, transport: isLocal ? 'stdio' : 'http', tokenName }
}

/** Returns a request for the SDK, without its body. Its signal aborts when the response is closed. */
function toWebRequest({ method, headers, url }: FastifyRequest, { raw }: FastifyReply): Request {
  const closed = new AbortController()
  raw.once('close', () => closed.abort())
  if (raw.destroyed) closed.abort()
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  )
  // A missing one counts as JSON, as over REST.
  if (headers['content-type'] === undefined) pairs.push(['content-type', 'application/json'])
  // The SDK looks at the path only to name it.
  return new Request(new URL(url, 'http://service'), { method, headers: pairs, signal: closed.signal })
}

/** Sends an answer of the SDK. Streams are flushed at once, because a client waits for the start of its stream. */
async function send(
  answer: Response,
  reply: FastifyReply,
  makeRoom: McpRouteParts['makeRoom'],
): Promise<void> {
  reply.hijack()
  const { raw } = reply
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) raw.setHeader(name, value)
  for (const [name, value] of answer.headers) raw.setHeader(name, value)
  raw.statusCode = answer.status
  if (answer.body === null) {
    raw.end()
    return
  }
  raw.flushHeaders()
  // A client that goes away ends the answer.
  await pipeline(Readable.fromWeb(answer.body), announced, raw).catch(() => raw.destroy())

  async function* announced(parts: AsyncIterable<Uint8Array>) {
    for await (const part of parts) {
      makeRoom(part.length)
      yield part
    }
  }
}

/** Serves streams of lines on the local socket: `Upgrade: mcp` at the same addresses. */
function serveStreams(app: FastifyInstance, parts: McpRouteParts): void {
  const { assistant, logger } = parts
  const identify = createIdentify(parts)
  const open = new Set<Duplex>()

  async function start(request: IncomingMessage, socket: Duplex): Promise<void> {
    const place = request.headers.upgrade === 'mcp' ? placeOf(request.url ?? '') : null
    if (place === null) throw new ServiceError('no_such_path')
    const identified = identify(request)
    if (identified === null) throw new ServiceError('unauthorized', { detail: wrongToken })
    const connected = connectedAt(parts, place, identified)
    const servers = await assistant.mcp()
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: mcp\r\n\r\n')
    servers.serve(connected, socket)
  }

  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    socket.on('error', () => socket.destroy())
    if (head.length > 0) socket.unshift(head)
    start(request, socket).catch(error => {
      const known = toServiceError(error)
      if (known.code === 'internal_error') logger.error({ err: error }, 'A request failed')
      const body = JSON.stringify(errorBody(known))
      socket.end(
        `HTTP/1.1 ${known.status} Refused\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n${body}`,
      )
    })
  })
  // The server does not close what it has upgraded.
  app.addHook('preClose', async () => {
    for (const socket of open) socket.destroy()
  })
}

/** Returns the place of an address; null for any other path. */
function placeOf(url: string): Place | null {
  const [, inWorkspace, connectionId] =
    /^\/mcp(?:\/workspaces\/([\w-]{1,100})|\/([\w-]{1,100}))?\/?$/.exec(url) ?? []
  if (!/^\/mcp(?:\/|$)/.test(url)) return null
  if (inWorkspace !== undefined) return { workspaceId: inWorkspace }
  if (connectionId !== undefined) return { connectionId }
  return url === mcpPath || url === `${mcpPath}/` ? {} : null
}
