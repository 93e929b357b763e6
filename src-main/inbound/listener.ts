import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { listenOn } from '#main/lib/listen-on.ts'
import type { TlsFiles } from '#main/lib/tls-files.ts'
import { endConnection, onClientError } from './end-connection.ts'
import type { Endpoint } from './endpoint.ts'
import { createFastPath, type FastPath } from './fast/fast-path.ts'
import type { OpenConnections } from './open-connections.ts'

/** All in milliseconds. */
export type ListenerTimeouts = {
  /** From the first byte of a request to the end of its header; with TLS, also for the handshake. */
  readonly headers: number
  /** From the first byte of a request to its last. */
  readonly request: number
  /** Between two requests on one connection. */
  readonly keepAlive: number
  /** How long a sender may leave an answer unread. */
  readonly unread: number
  /** How long a refused sender may continue to send before its connection closes. */
  readonly linger: number
  /** How often the first two are checked. */
  readonly checkInterval: number
  /** From `stop` until unfinished connections are closed. */
  readonly stopGrace: number
}

export const listenerTimeouts: ListenerTimeouts = {
  headers: 10_000,
  request: 30_000,
  keepAlive: 65_000,
  unread: 30_000,
  linger: 2000,
  checkInterval: 1000,
  stopGrace: 10_000,
}

const maxHeaderBytes = 16 * 1024

export type ListenerOptions = {
  readonly host: string
  /** 0 selects a free one. */
  readonly port: number
  readonly tls: TlsFiles | null
  readonly timeouts: ListenerTimeouts
  /** Whether plain requests are served without node:http; by default they are. */
  readonly fastPath?: boolean
}

export type Listener = ReturnType<typeof createListener>

/**
 * Creates the inbound listener: node:http with limits, a connection cap, and our own answers to requests that
 * node:http refuses by itself.
 *
 * @param createHandler creates the endpoint, which asks whether the listener is stopping.
 */
export function createListener(
  options: ListenerOptions,
  connections: OpenConnections,
  createHandler: (isStopping: () => boolean) => Endpoint,
) {
  const { timeouts, tls, fastPath = true } = options
  let stopping = false
  const endpoint = createHandler(() => stopping)

  const serverOptions = {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.keepAlive,
    connectionsCheckingInterval: timeouts.checkInterval,
    // The Host header is neither trusted nor used, so it may be missing.
    requireHostHeader: false,
    insecureHTTPParser: false,
    noDelay: true,
  }
  const server: Server =
    tls === null
      ? createServer(serverOptions)
      : createTlsServer({ ...serverOptions, ...tls.current(), handshakeTimeout: timeouts.headers })
  // node:http silently drops fields above maxHeadersCount, so the endpoint counts them itself.
  server.maxHeadersCount = 0
  // A sender may close its side after its request and still gets its answer.
  Object.assign(server, { httpAllowHalfOpen: true })
  const fast = fastPath ? putFirst(tls === null ? 'connection' : 'secureConnection') : null
  // Counted from the accept, so that unfinished handshakes count too.
  server.on('connection', (socket: Socket) => connections.add(socket, server))
  if (tls !== null) server.on('secureConnection', (socket: Socket) => connections.secured(socket))
  if (fast !== null)
    server.on(tls === null ? 'connection' : 'secureConnection', (socket: Socket) => {
      if (!socket.destroyed) fast.take(socket)
    })
  server.setTimeout(timeouts.unread, (socket: Socket) => {
    if (socket.writableLength > 0 || !connections.isWaiting(socket)) socket.destroy()
  })
  server.on('request', (request, response) => endpoint.handle(request, response, false))
  server.on('checkContinue', (request, response) => endpoint.handle(request, response, true))
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    endpoint.handleExpectation(request, response),
  )
  server.on('connect', (_request, socket: Socket) => {
    // node:http has released the socket, so we handle its errors and discard what still arrives.
    socket.on('error', () => socket.destroy())
    socket.resume()
    endConnection('method_not_allowed', socket, connections, timeouts.linger)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
    onClientError(error, socket, connections, timeouts.linger),
  )
  const stopFollowing = tls?.onChange(files => {
    if ('setSecureContext' in server && typeof server.setSecureContext === 'function')
      server.setSecureContext(files)
  })

  /** Puts the fast path in front of node:http, and hands over the connections that it cannot serve. */
  function putFirst(event: 'connection' | 'secureConnection'): FastPath {
    const takers = server.listeners(event)
    server.removeAllListeners(event)
    return createFastPath({
      handle: endpoint.handlePlain,
      handOver: socket => {
        for (const taker of takers) taker.call(server, socket)
      },
      isStopping: () => stopping,
      keepAliveMs: timeouts.keepAlive,
      firstRequestMs: timeouts.checkInterval,
    })
  }

  return {
    /** Returns where it listens. @throws ServiceError `port_in_use`, `address_unavailable`. */
    start: () => listenOn(server, options.host, options.port),
    /** Closes each connection with its next answer. It still accepts. */
    drain() {
      stopping = true
    },
    /** Stops accepting, finishes requests in progress, then closes. */
    async stop() {
      stopping = true
      stopFollowing?.()
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      const timer = setTimeout(() => connections.closeAll(server), timeouts.stopGrace)
      // Requests that have arrived are read before the second setImmediate.
      await setImmediate()
      await setImmediate()
      server.closeIdleConnections()
      fast?.closeIdle()
      connections.closeUnused(server)
      await closed
      clearTimeout(timer)
    },
  }
}
