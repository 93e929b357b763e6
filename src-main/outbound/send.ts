import type { LookupFunction } from 'node:net'
import type { SecureContext } from 'node:tls'
import { Agent, Client, type Dispatcher, Pool } from 'undici'
import { createReadThrottle } from '#main/lib/read-throttle.ts'
import { type Connector, createConnector } from './connector.ts'
import { CallCancelledError, CallTimeoutError, Exchange, type Line, type Outcome } from './exchange.ts'
import { isClosedUnanswered } from './failures.ts'
import type { HeaderMap } from './header-values.ts'
import { createResponseStart, watchStart } from './response-start.ts'
import type { Trust } from './trust.ts'

/** A request exactly as it is sent. */
type WireRequest = {
  readonly method: string
  /** Scheme, host and port. */
  readonly origin: string
  /** Path and query. */
  readonly target: string
  /** Returns the headers. Asked again if the request is sent once more. */
  readonly headers: () => Readonly<HeaderMap>
  /** The body. */
  readonly bytes: Buffer
}

export type SendLimits = {
  /** The maximum size of the body, as received and as decoded. */
  readonly bodyBytes: number
  readonly headerBytes: number
  readonly connectTimeoutMs: number
  /** How long an idle connection is kept if the other side gave no hint. */
  readonly keepAliveMs: number
  /** Connections to one origin; further calls wait for one. */
  readonly connections: number
}

/** The outcome of a request that may have been sent twice. */
type Sent = Outcome & {
  /** Present if the request was sent once more, on a new connection. */
  readonly resent?: true
}

/** The methods whose requests may be sent again: twice has the same effect as once (RFC 9110, 9.2.2). */
const repeatable: ReadonlySet<string> = new Set(['GET', 'PUT', 'DELETE'])

/**
 * The other side may close an idle connection just as a call is written to it. Then nobody knows whether the call took
 * effect, and a POST or PATCH is never repeated. To make this rare, a connection is reused only well within the time that
 * servers keep it: 1 second is below the shortest common default (2 s), and a hint `Keep-Alive: timeout=5` counts as 4 s.
 */
const keepAliveMs = 1000
const hintThresholdMs = 1000
const maxKeepAliveMs = 60_000

export const defaultLimits: SendLimits = {
  bodyBytes: 5 * 1024 * 1024,
  headerBytes: 64 * 1024,
  connectTimeoutMs: 10_000,
  keepAliveMs,
  connections: 256,
}

/**
 * A turn takes 1 to 2 ms, so answers in tiny chunks take at most a fifth of the thread's time. Chunks of 1 byte reach
 * 100 KB/s in total.
 */
const turnsEveryMs = 10

/** Allows for encoded bodies that are slightly larger than their content. */
const encodingOverhead = 64 * 1024

/** A client of undici that passes its connection to each exchange. */
class TimedClient extends Client {
  readonly #line: Line

  constructor(origin: URL, options: Client.Options, connector: Connector) {
    const line: Line = { times: null, start: createResponseStart() }
    super(origin, {
      ...options,
      connect: (target, callback) =>
        connector.connect(
          target,
          (times, socket) => {
            line.times = times
            watchStart(socket, line.start)
          },
          callback,
        ),
    })
    this.#line = line
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (handler instanceof Exchange) handler.line = this.#line
    return super.dispatch(options, handler)
  }
}

/** Options of everything that fetches by itself. `lookup` replaces the system's resolver in tests. */
export type FetcherOptions = {
  readonly version: string
  /** Trusted certificate authorities; Node's own by default. */
  readonly trust?: Pick<Trust, 'context'>
  readonly lookup?: LookupFunction
  readonly timeoutMs?: number
}

/** @param context returns the trusted authorities; undefined for Node's own. */
export function createSender(options: {
  lookup: LookupFunction
  context: () => SecureContext | undefined
  limits: SendLimits
}) {
  const { limits } = options
  const throttle = createReadThrottle(turnsEveryMs)
  const connector = createConnector({ ...options, timeoutMs: limits.connectTimeoutMs })
  const clientOptions: Client.Options = {
    allowH2: false,
    pipelining: 1,
    // One timer for the whole call replaces these two, which are coarse and do not limit the total.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: limits.headerBytes,
    keepAliveTimeout: limits.keepAliveMs,
    keepAliveTimeoutThreshold: hintThresholdMs,
    keepAliveMaxTimeout: maxKeepAliveMs,
  }
  const agent = new Agent({
    factory: origin =>
      new Pool(origin, {
        connections: limits.connections,
        // Needed here too: otherwise calls wait for one connection to negotiate HTTP/2.
        allowH2: false,
        factory: poolOrigin => new TimedClient(poolOrigin, clientOptions, connector),
      }),
  })

  /** The clients of requests that are sent once more. */
  const again = new Set<TimedClient>()
  let isClosed = false

  function attempt(
    dispatcher: Dispatcher,
    { origin, target, method, headers, bytes }: WireRequest,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ) {
    const body = bytes.length === 0 ? null : bytes
    const options = { origin, path: target, method, headers: headers(), body }
    return new Promise<Outcome>(resolve => {
      const exchange = new Exchange(limits.bodyBytes + encodingOverhead, throttle, outcome => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        resolve(outcome)
      })
      const onAbort = () => exchange.cancel(new CallCancelledError())
      const timer = setTimeout(() => exchange.cancel(new CallTimeoutError()), timeoutMs)
      if (signal?.aborted) return onAbort()
      signal?.addEventListener('abort', onAbort)
      dispatcher.dispatch(options, exchange)
    })
  }

  /** Sends a request on a connection of its own, since the pool may have more that the other side has closed. */
  async function sendOnNew(
    request: WireRequest,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<Outcome> {
    const client = new TimedClient(new URL(request.origin), clientOptions, connector)
    again.add(client)
    try {
      return await attempt(client, request, timeoutMs, signal)
    } finally {
      again.delete(client)
      await client.destroy()
    }
  }

  return {
    /**
     * Sends a request and reads the complete answer. Never rejects. A GET, PUT or DELETE whose reused connection was closed
     * before any byte of an answer is sent once more, on a new connection.
     *
     * @param timeoutMs for everything, including the wait for a free connection.
     */
    async send(request: WireRequest, timeoutMs: number, signal: AbortSignal | undefined): Promise<Sent> {
      const first = await attempt(agent, request, timeoutMs, signal)
      if (!repeatable.has(request.method) || !isClosedUnanswered(first) || isClosed) return first
      const { totalMs } = first.timings
      if (totalMs >= timeoutMs) return first
      const second = await sendOnNew(request, timeoutMs - totalMs, signal)
      const timings = { ...second.timings, totalMs: totalMs + second.timings.totalMs }
      return { ...second, timings, resent: true }
    },
    /** Cancels running exchanges and closes all connections. */
    async close() {
      isClosed = true
      connector.close()
      throttle.stop()
      await Promise.all([agent, ...again].map(one => one.destroy()))
    },
  }
}
