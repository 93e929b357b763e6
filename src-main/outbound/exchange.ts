import type { Dispatcher } from 'undici'
import { createGrowingBuffer, type GrowingBuffer } from '#main/lib/growing-buffer.ts'
import type { ReadThrottle } from '#main/lib/read-throttle.ts'
import type { CallTimings } from '#shared/model/call.ts'
import type { ConnectionTimes } from './connector.ts'
import type { ResponseStart } from './response-start.ts'

export type RawAnswer = {
  readonly status: number
  /** Values of a repeated header are joined. */
  readonly headers: Record<string, string>
  /** The values of each repeated header, one by one; absent if none is. */
  readonly repeatedHeaders?: Record<string, string[]>
  /** As received, still with its content encodings. */
  readonly body: Buffer
}

export type Phase = 'connecting' | 'waiting' | 'reading'

/** The result of an exchange: an answer, or an error and how far the exchange had come. */
export type Outcome =
  | { readonly answer: RawAnswer; readonly timings: CallTimings }
  | {
      readonly error: unknown
      readonly phase: Phase
      /** Whether the connection was reused from an earlier call. */
      readonly reused: boolean
      /** Whether any byte of an answer has arrived, be it of an interim response. */
      readonly hasBegun: boolean
      readonly received: number
      /** The first bytes of a head that was not read to its end. */
      readonly opening: Buffer
      readonly timings: CallTimings
    }

const none = Buffer.alloc(0)

/** After this many chunks of fewer than `tinyBytes` on average, a body waits for its turn. */
const piecesPerTurn = 1024
const tinyBytes = 64

/** A connection: how long it took to establish, for its first exchange, and the beginning of the response on it. */
export type Line = { times: ConnectionTimes | null; readonly start: ResponseStart }

/** The call exceeded its total time. */
export class CallTimeoutError extends Error {}
/** The caller cancelled the call. */
export class CallCancelledError extends Error {}
/** The body exceeds the limit. */
export class BodyTooLargeError extends Error {}

/**
 * One request and its answer, as a handler of undici's dispatcher, which calls the `on…` methods. It is lighter than
 * undici's own `request`, which creates a stream.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #startedAt = performance.now()
  readonly #maxBytes: number
  readonly #throttle: ReadThrottle
  #settle: ((outcome: Outcome) => void) | null
  /** Set by the client that sends the request. */
  line: Line | null = null
  #controller: Dispatcher.DispatchController | null = null
  #times: ConnectionTimes | null = null
  #sentAt = 0
  #firstByteAt = 0
  #status = 0
  #headers: Pick<RawAnswer, 'headers' | 'repeatedHeaders'> = { headers: {} }
  readonly #body: GrowingBuffer
  #received = 0
  #pieces = 0

  /**
   * @param maxBytes the limit of the body as received.
   * @param throttle for bodies in tiny chunks, shared by all exchanges.
   */
  constructor(maxBytes: number, throttle: ReadThrottle, settle: (outcome: Outcome) => void) {
    this.#maxBytes = maxBytes
    this.#body = createGrowingBuffer(maxBytes)
    this.#throttle = throttle
    this.#settle = settle
  }

  /** Ends the exchange at once. Ignores what undici reports afterwards. */
  cancel(error: Error): void {
    this.#fail(error)
    this.#controller?.abort(error)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Nothing was written yet. Throwing here drops the request and keeps the connection.
    if (this.#settle === null) throw new CallCancelledError()
    this.#controller = controller
    this.#times = this.line?.times ?? null
    if (this.line !== null) this.line.times = null
    this.line?.start.begin()
    this.#sentAt = performance.now()
  }

  onResponseStarted(): void {
    if (this.#firstByteAt === 0) this.#firstByteAt = performance.now()
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // A status below 100, at which undici then fails.
    if (status < 200) return
    this.line?.start.endHead()
    this.#status = status
    this.#headers = flatten(headers)
    if (Number(this.#headers.headers['content-length']) > this.#maxBytes) this.cancel(new BodyTooLargeError())
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settle === null) return
    this.#received += chunk.length
    this.#pieces++
    if (this.#received > this.#maxBytes) {
      this.cancel(new BodyTooLargeError())
      return
    }
    this.#body.append(chunk)
    if (this.#pieces % piecesPerTurn === 0 && this.#received < this.#pieces * tinyBytes) {
      controller.pause()
      this.#throttle.wait(() => controller.resume())
    }
  }

  onResponseEnd(): void {
    this.#finish({
      answer: { status: this.#status, ...this.#headers, body: this.#body.take() },
      timings: this.#timings(),
    })
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#fail(error)
  }

  #fail(error: unknown): void {
    this.#finish({
      error,
      phase: this.#sentAt === 0 ? 'connecting' : this.#status === 0 ? 'waiting' : 'reading',
      reused: this.#sentAt !== 0 && this.#times === null,
      hasBegun: this.#sentAt !== 0 && this.line?.start.hasBegun() === true,
      received: this.#received,
      opening: this.#sentAt === 0 || this.line === null ? none : this.line.start.opening(),
      timings: this.#timings(),
    })
  }

  #finish(outcome: Outcome): void {
    const settle = this.#settle
    this.#settle = null
    this.#body.take()
    settle?.(outcome)
  }

  #timings(): CallTimings {
    const now = performance.now()
    const times = this.#times
    // An earlier call may have started this connection and then timed out.
    const since = (from: number, to: number) => Math.max(0, to - Math.max(from, this.#startedAt))
    return {
      totalMs: now - this.#startedAt,
      dnsMs: times === null ? 0 : since(times.startedAt, times.resolvedAt),
      connectMs: times === null ? 0 : since(times.resolvedAt, times.connectedAt),
      tlsMs: times === null ? 0 : since(times.connectedAt, times.securedAt),
      firstByteMs: this.#firstByteAt === 0 ? 0 : this.#firstByteAt - this.#sentAt,
      downloadMs: this.#firstByteAt === 0 ? 0 : now - this.#firstByteAt,
    }
  }
}

function flatten(
  headers: Record<string, string | string[] | undefined>,
): Pick<RawAnswer, 'headers' | 'repeatedHeaders'> {
  const flat: Record<string, string> = {}
  let repeatedHeaders: Record<string, string[]> | undefined
  for (const name of Object.keys(headers)) {
    const value = headers[name]
    const text = Array.isArray(value) ? value.join(', ') : (value ?? '')
    if (Array.isArray(value)) repeatedHeaders = { ...repeatedHeaders, [name]: value }
    if (name === '__proto__') Object.defineProperty(flat, name, { value: text, enumerable: true })
    else flat[name] = text
  }
  return { headers: flat, ...(repeatedHeaders && { repeatedHeaders }) }
}
