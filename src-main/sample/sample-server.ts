import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type ReadBody, readBody } from '#main/inbound/read-body.ts'
import { listenOn } from '#main/lib/listen-on.ts'
import { signatureHeader, timestampHeader } from '#main/signing/sign.ts'
import { verificationKeysOf, verifyRequest } from '#main/signing/verify.ts'
import { inboundErrors } from '#shared/errors/inbound.ts'
import type { OrderAnswer, OrderSystem } from './order-system.ts'

/** Only this computer can reach the sample's server. */
export const sampleHost = '127.0.0.1'

const maxBodyBytes = 64 * 1024
const maxConnections = 64
const headersTimeoutMs = 5000
const requestTimeoutMs = 10_000

export type SampleServer = Awaited<ReturnType<typeof startSampleServer>>

/**
 * Starts a receiver of signed calls, as an external system would be: it verifies the whole call before anything else,
 * and answers 401 if the signature is wrong.
 *
 * @throws ServiceError `port_in_use`, `address_unavailable`.
 */
export async function startSampleServer(options: {
  /** 0 for any free port. */
  readonly port: number
  readonly orders: OrderSystem
  /** Returns the current signing secret; null for none, which refuses every call. */
  readonly secret: () => string | null
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly onError: (error: unknown) => void
}) {
  const { orders, secret, clock, onError } = options

  function verified(request: IncomingMessage, rawBody: Buffer): OrderAnswer | null {
    const check = verifyRequest({
      keys: verificationKeysOf({ signingSecret: secret() ?? '' }),
      timestamp: headerOf(request, timestampHeader),
      signature: headerOf(request, signatureHeader),
      rawBody,
      nowMs: clock(),
    })
    return check.ok ? null : { status: 401, body: { error: inboundErrors[check.code].message } }
  }

  function decide(request: IncomingMessage, rawBody: ReadBody): OrderAnswer {
    if (typeof rawBody === 'string')
      return { status: 413, body: { error: `A body has at most ${maxBodyBytes} bytes.` } }
    const refusal = verified(request, rawBody)
    if (refusal !== null) return refusal
    // `new URL` would throw for a target such as `//`.
    const [path = '', query = ''] = (request.url ?? '').split(/\?(.*)/s)
    const { method = '' } = request
    return orders.answer({ method, path, query: new URLSearchParams(query), body: rawBody.toString() })
  }

  const server = createServer(
    { headersTimeout: headersTimeoutMs, requestTimeout: requestTimeoutMs },
    (request, response) =>
      readBody(request, { maxBytes: maxBodyBytes }, rawBody => {
        try {
          send(response, decide(request, rawBody), typeof rawBody !== 'string')
        } catch (error) {
          onError(error)
          send(response, { status: 500, body: { error: 'The sample failed.' } }, false)
        }
      }),
  )
  server.maxConnections = maxConnections
  const { port } = await listenOn(server, sampleHost, options.port)
  server.on('error', onError)
  return {
    port,
    /** Closes all connections. */
    stop: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A repeated header arrives as one value with a comma, which is not a valid timestamp or signature. */
function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}

/** @param isWhole whether the request was read to its end; only then can the connection be reused. */
function send(response: ServerResponse, { status, body }: OrderAnswer, isWhole: boolean): void {
  response.shouldKeepAlive &&= isWhole
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
