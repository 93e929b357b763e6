import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext } from 'node:tls'
import type { buildConnector } from 'undici'
import { guardLookup, refusalOf } from './address-guard.ts'

/** When a connection was established, step by step; values of performance.now(). */
export type ConnectionTimes = {
  readonly startedAt: number
  /** When the name was resolved; equal to `startedAt` for an address. */
  readonly resolvedAt: number
  readonly connectedAt: number
  /** Equal to `connectedAt` without TLS. */
  readonly securedAt: number
}

export type Connector = ReturnType<typeof createConnector>

/** The connection was not established in time. */
export class ConnectTimeoutError extends Error {
  readonly code = 'connect_timeout'
}

/** The connector was closed before the connection was established. */
class ConnectorClosedError extends Error {
  readonly code = 'connector_closed'
}

const maxSessions = 100

/**
 * Opens sockets for undici: HTTP/1.1 only, to checked addresses, with the time of each step. Ignores proxies in
 * environment variables.
 *
 * @param timeoutMs for DNS, TCP and TLS together.
 * @param context returns the trusted authorities; undefined for Node's own.
 */
export function createConnector(options: {
  lookup: LookupFunction
  timeoutMs: number
  context: () => SecureContext | undefined
}) {
  const lookup = guardLookup(options.lookup)
  const connecting = new Set<Socket>()
  /** TLS sessions to resume, by host and port, oldest first. */
  const sessions = new Map<string, Buffer>()
  let lastContext = options.context()

  function open({ protocol, hostname, port }: buildConnector.Options): Socket {
    if (protocol !== 'https:')
      return connectTcp({ host: hostname, port: Number(port || 80), lookup, noDelay: true, keepAlive: true })
    const origin = `${hostname}:${port}`
    const context = options.context()
    // A resumed session is not verified again, so it must not outlive the authorities that it was verified with.
    if (context !== lastContext) sessions.clear()
    lastContext = context
    const session = sessions.get(origin)
    const socket = connectTls({
      host: hostname,
      port: Number(port || 443),
      lookup,
      ALPNProtocols: ['http/1.1'],
      // Explicit, because an environment variable of Node can turn the default off.
      rejectUnauthorized: true,
      ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
      ...(session === undefined ? {} : { session }),
      ...(context === undefined ? {} : { secureContext: context }),
    })
    socket.on('session', next => {
      sessions.delete(origin)
      sessions.set(origin, next)
      for (const oldest of sessions.keys()) {
        if (sessions.size <= maxSessions) break
        sessions.delete(oldest)
      }
    })
    return socket.setNoDelay(true).setKeepAlive(true)
  }

  return {
    /** Opens a socket. @param onConnected called just before `callback` gets the socket. */
    connect(
      target: buildConnector.Options,
      onConnected: (times: ConnectionTimes, socket: Socket) => void,
      callback: buildConnector.Callback,
    ) {
      const { hostname, protocol } = target
      // Sockets do not use the lookup if the host is an address.
      const refusal = isIP(hostname) === 0 ? undefined : refusalOf(hostname, hostname)
      if (refusal !== undefined) {
        queueMicrotask(() => callback(refusal, null))
        return
      }
      const startedAt = performance.now()
      let resolvedAt = startedAt
      let connectedAt = startedAt
      let answer: buildConnector.Callback | null = callback
      const socket = open(target)
      connecting.add(socket)
      const timer = setTimeout(() => socket.destroy(new ConnectTimeoutError()), options.timeoutMs)
      const finish = (...outcome: Parameters<buildConnector.Callback>) => {
        clearTimeout(timer)
        connecting.delete(socket)
        const first = answer
        answer = null
        first?.(...outcome)
      }
      socket.once('lookup', () => {
        resolvedAt = performance.now()
      })
      socket.once('connect', () => {
        connectedAt = performance.now()
      })
      socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', () => {
        if (answer === null) return
        const securedAt = protocol === 'https:' ? performance.now() : connectedAt
        onConnected({ startedAt, resolvedAt, connectedAt, securedAt }, socket)
        finish(null, socket)
      })
      socket.on('error', error => finish(error, null))
      socket.once('close', () => finish(new Error('The socket was closed.'), null))
    },
    /** Cancels pending connections. */
    close() {
      for (const socket of connecting) socket.destroy(new ConnectorClosedError())
    },
  }
}
