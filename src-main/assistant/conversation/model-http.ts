import { lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { Agent, type Client, errors, Pool } from 'undici'
import { createConnector } from '#main/outbound/connector.ts'
import { CallCancelledError, CallTimeoutError } from '#main/outbound/exchange.ts'
import { failureOf } from '#main/outbound/failures.ts'
import { defaultLimits } from '#main/outbound/send.ts'
import type { Trust } from '#main/outbound/trust.ts'
import { maxDepth } from '#shared/json/depth.ts'
import { isBeyond } from '#shared/json/json-depth.ts'
import { ModelClient } from './model-client.ts'
import { errorOfStatus, ModelError } from './model-error.ts'

export type ModelLimits = {
  readonly connectTimeoutMs: number
  /** Until the first byte: a local model reads the whole prompt before that. */
  readonly firstByteTimeoutMs: number
  /** Between two pieces of an answer. */
  readonly silenceTimeoutMs: number
  /** The maximum size of one response, as received. */
  readonly responseBytes: number
}

export const defaultModelLimits: ModelLimits = {
  connectTimeoutMs: 10_000,
  firstByteTimeoutMs: 300_000,
  silenceTimeoutMs: 120_000,
  responseBytes: 8 * 1024 * 1024,
}

/** Bytes of a response that are worked on before other work has its turn: a small event takes about 15 µs. */
export const bytesInTurn = 16 * 1024

/** The bounds of JSON that is not an answer, such as a list of models. */
const jsonBounds = { levels: maxDepth, values: 250_000 } as const

export type JsonRequest = {
  readonly method?: 'GET' | 'POST'
  readonly key: string | null
  /** Sent as JSON. */
  readonly body?: unknown
  readonly timeoutMs: number
  /** Whether the status is all that is wanted; the body is then not read. */
  readonly onlyStatus?: boolean
}

/** HTTP to model servers: to checked addresses only, without redirects, bounded in time and size. */
export type ModelHttp = {
  /** For the AI SDK. Rejects with ModelError. */
  readonly fetch: typeof globalThis.fetch
  /** Returns the JSON of a 2xx response. @throws ModelError */
  json(url: string, request: JsonRequest): Promise<unknown>
  close(): Promise<void>
}

export function createModelHttp(options: {
  lookup?: LookupFunction
  trust?: Pick<Trust, 'context'>
  limits?: Partial<ModelLimits>
}): ModelHttp {
  const limits = { ...defaultModelLimits, ...options.limits }
  const connector = createConnector({
    lookup: options.lookup ?? systemLookup,
    timeoutMs: limits.connectTimeoutMs,
    context: () => options.trust?.context(),
  })
  const clientOptions: Client.Options = {
    allowH2: false,
    pipelining: 1,
    headersTimeout: limits.firstByteTimeoutMs,
    bodyTimeout: limits.silenceTimeoutMs,
    maxHeaderSize: defaultLimits.headerBytes,
    keepAliveTimeout: defaultLimits.keepAliveMs,
  }
  const agent = new Agent({
    factory: origin =>
      new Pool(origin, {
        connections: 16,
        allowH2: false,
        factory: poolOrigin => new ModelClient(poolOrigin, clientOptions, connector),
      }),
  })

  async function request(
    url: URL,
    init: {
      method: 'GET' | 'POST'
      headers: Record<string, string>
      body: string | null
      signal?: AbortSignal | undefined
    },
  ) {
    const failed = (error: unknown, isReading: boolean) => toModelError(error, url.host, limits, isReading)
    try {
      const { statusCode, headers, body } = await agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        ...init,
        signal: init.signal ?? null,
      })
      return {
        status: statusCode,
        headers,
        /** Yields the body in pieces of one turn each; the last bytes of one that is too large never come. */
        async *pieces(): AsyncGenerator<Uint8Array> {
          let received = 0
          try {
            for await (const piece of body) {
              if (!(piece instanceof Uint8Array)) continue
              received += piece.length
              if (received > limits.responseBytes) throw new ModelError('model_output_too_large')
              for (let at = 0; at < piece.length; at += bytesInTurn) {
                yield piece.subarray(at, at + bytesInTurn)
                await setImmediate()
              }
            }
          } catch (error) {
            throw failed(error, true)
          }
        },
        drop: () => {
          body.on('error', () => {})
          body.destroy()
        },
      }
    } catch (error) {
      throw failed(error, false)
    }
  }

  return {
    async fetch(input, init = {}) {
      const url = new URL(input instanceof Request ? input.url : String(input))
      const { status, headers, pieces } = await request(url, {
        method: init.method === 'GET' ? 'GET' : 'POST',
        headers: Object.fromEntries(new Headers(init.headers)),
        body: typeof init.body === 'string' ? init.body : null,
        signal: init.signal ?? undefined,
      })
      const type = headers['content-type']
      return new Response(bodyless.has(status) ? null : ReadableStream.from(pieces()), {
        status,
        headers: typeof type === 'string' ? { 'content-type': type } : {},
      })
    },

    async json(address, { method = 'GET', key, body, timeoutMs, onlyStatus = false }) {
      const url = new URL(address)
      const signal = AbortSignal.timeout(timeoutMs)
      const response = await request(url, {
        method,
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal,
      })
      const isOk = response.status >= 200 && response.status < 300
      if (isOk && onlyStatus) {
        response.drop()
        return null
      }
      const text = await textOf(response.pieces())
      if (isBeyond(text, jsonBounds)) throw new ModelError('model_output_too_large')
      if (!isOk) throw errorOfStatus(response.status, text, url.host)
      try {
        return JSON.parse(text)
      } catch (cause) {
        throw new ModelError('model_invalid_response', `${url.host} did not answer with JSON.`, cause)
      }
    },

    async close() {
      connector.close()
      await agent.destroy()
    },
  }
}

/** Statuses whose responses have no body. */
const bodyless = new Set([204, 205, 304])

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all).toString('utf8')
}

const silent = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])

function toModelError(error: unknown, host: string, limits: ModelLimits, isReading: boolean): unknown {
  if (error instanceof ModelError) return error
  const name = error instanceof Error ? error.name : ''
  if (name === 'AbortError') return error
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (name === 'TimeoutError' || (typeof code === 'string' && silent.has(code)))
    return new ModelError('model_timeout', `${host} did not answer in time.`, error)
  const failure = failureOf({
    error: error instanceof CallTimeoutError || !(error instanceof CallCancelledError) ? error : null,
    host,
    phase: isReading ? 'reading' : 'waiting',
    reused: false,
    received: 0,
    opening: openingOf(error),
    timeoutMs: limits.firstByteTimeoutMs,
    limits: defaultLimits,
  })
  if (failure.code === 'blocked_address')
    return new ModelError('model_address_blocked', failure.message, error)
  if (failure.code === 'timeout') return new ModelError('model_timeout', failure.message, error)
  return isReading
    ? new ModelError(
        'model_stream_broken',
        `The connection to ${host} ended in the middle of the answer.`,
        error,
      )
    : new ModelError('model_unreachable', failure.message, error)
}

/** Returns the first bytes of a response that does not begin as HTTP does. */
function openingOf(error: unknown): Buffer {
  if (!(error instanceof errors.HTTPParserError) || !error.message.includes('Expected HTTP/'))
    return Buffer.alloc(0)
  return Buffer.from('data' in error && typeof error.data === 'string' ? error.data : '')
}
