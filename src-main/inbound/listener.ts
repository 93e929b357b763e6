import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { InboundErrorCode } from '#shared/errors.ts'
import { listenOn } from '#main/listen-on.ts'
import type { TlsFiles } from '#main/tls-files.ts'
import { rawRefusal } from './answers.ts'
import type { Endpoint } from './endpoint.ts'
import type { OpenConnections } from './open-connections.ts'

/** All in milliseconds. */
export type ListenerTimeouts = {
  /** From the first byte of a request to the end of its head. */
  readonly headers: number
  /** From the first byte of a request to its last. */
  readonly request: number
  /** Between two requests on one connection. */
  readonly keepAlive: number
  /** How often the first two are checked. */
  readonly checkInterval: number
  /** From `stop` until connections that still have not finished are closed. */
  readonly stopGrace: number
}

export const listenerTimeouts: ListenerTimeouts = {
  headers: 10_000,
  request: 30_000,
  keepAlive: 65_000,
  checkInterval: 1000,
  stopGrace: 10_000,
}

const maxHeaderBytes = 16 * 1024

export type ListenerOptions = {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly tls: TlsFiles | null
  readonly timeouts: ListenerTimeouts
}

export type Listener = {
  /** @throws ServiceError `port_in_use`. @returns where it listens. */
  start(): Promise<AddressInfo>
  /** Stops accepting, lets what is under way finish, then closes. */
  stop(): Promise<void>
}

/**
 * The inbound listener (specification: E1): node:http with limits, a connection cap and answers in our
 * own form for what node:http refuses by itself.
 *
 * @param createHandler makes the endpoint; it asks the listener whether it is stopping.
 */
export function createListener(
  options: ListenerOptions,
  connections: OpenConnections,
  createHandler: (isStopping: () => boolean) => Endpoint,
): Listener {
  const { timeouts, tls } = options
  let stopping = false
  const endpoint = createHandler(() => stopping)

  const serverOptions = {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.keepAlive,
    connectionsCheckingInterval: timeouts.checkInterval,
    // The Host header is neither trusted nor used, so its absence is no reason to refuse.
    requireHostHeader: false,
    insecureHTTPParser: false,
    noDelay: true,
  }
  const server: Server =
    tls === null ? createServer(serverOptions) : createTlsServer({ ...serverOptions, ...tls.current() })
  // All fields are kept and counted by the endpoint; node:http would drop those past a maximum in silence.
  server.maxHeadersCount = 0
  server.on(tls === null ? 'connection' : 'secureConnection', (socket: Socket) => connections.add(socket))
  server.on('request', (request, response) => endpoint.handle(request, response, false))
  server.on('checkContinue', (request, response) => endpoint.handle(request, response, true))
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    endpoint.handleExpectation(request, response),
  )
  server.on('connect', (_request, socket: Socket) => socket.end(rawRefusal('method_not_allowed')))
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => refuseMalformed(error, socket, connections))
  const stopFollowing = tls?.onChange(files => {
    if ('setSecureContext' in server && typeof server.setSecureContext === 'function') server.setSecureContext(files)
  })

  return {
    start: () => listenOn(server, options.host, options.port),
    async stop() {
      stopping = true
      stopFollowing?.()
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      server.closeIdleConnections()
      const timer = setTimeout(() => server.closeAllConnections(), timeouts.stopGrace)
      await closed
      clearTimeout(timer)
    },
  }
}

/** Answers what the parser refused, unless an answer to the same connection is still to be written. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket, connections: OpenConnections): void {
  const code = codeOf(error)
  const connection = connections.of(socket)
  if (code === null || !socket.writable || connection === undefined || connection.answeredEarly) {
    socket.destroy()
    return
  }
  const close = () => socket.end(rawRefusal(code), () => socket.destroy())
  // Answers leave in the order of the requests: those still being stored come first.
  if (connection.pending > 0) connection.whenIdle = close
  else close()
}

/** Null where there is nobody left to answer. */
function codeOf(error: NodeJS.ErrnoException): InboundErrorCode | null {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return 'headers_too_large'
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'request_timeout'
    case 'ECONNRESET':
    case 'EPIPE':
    case 'HPE_INVALID_EOF_STATE':
      return null
    default:
      return error.code?.startsWith('HPE_') ? 'malformed_request' : null
  }
}
