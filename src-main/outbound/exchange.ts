import { type Dispatcher, errors } from 'undici'
import { createGrowingBuffer, type GrowingBuffer } from '#main/lib/growing-buffer.ts'
import type { ReadThrottle } from '#main/lib/read-throttle.ts'
import type { CallTimings } from '#shared/model/call.ts'
import type { ConnectionTimes } from './connector.ts'

export type RawAnswer = {
  readonly status: number
  readonly headers: Record<string, string>
  /** As received, content encodings and all. */
  readonly body: Buffer
}

export type Phase = 'connecting' | 'waiting' | 'reading'

/** What became of an exchange: an answer, or the error that ended it and how far it had come. */
export type Outcome =
  | { readonly answer: RawAnswer; readonly timings: CallTimings }
  | {
      readonly error: unknown
      readonly phase: Phase
      /** Whether the connection had served another call before. */
      readonly reused: boolean
      readonly received: number
      readonly timings: CallTimings
    }

/** Pieces of a body that are read at a time; and how many bytes they have on average if that matters. */
const piecesPerTurn = 1024
const tinyBytes = 64

/** Answers of status 1xx before the one that counts. */
const maxAnnouncements = 20

/** One connection at a time, and when it came about; the times are there for its first exchange only. */
export type Line = { times: ConnectionTimes | null }

/** The total time of the call is over. */
export class CallTimeoutError extends Error {}
/** Whoever asked for the call does not want it any more. */
export class CallCancelledError extends Error {}
/** The body is longer than is read. */
export class BodyTooLargeError extends Error {}

/**
 * One request and its answer, seen from undici's dispatcher, which calls the `on…` methods. It is lighter
 * than undici's own `request`, which makes a stream that would be read to its end at once.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #startedAt = performance.now()
  readonly #maxBytes: number
  readonly #throttle: ReadThrottle
  #settle: ((outcome: Outcome) => void) | null
  /** Set by the client that takes the request on. */
  line: Line | null = null
  #controller: Dispatcher.DispatchController | null = null
  #times: ConnectionTimes | null = null
  #sentAt = 0
  #firstByteAt = 0
  #status = 0
  #headers: Record<string, string> = {}
  readonly #body: GrowingBuffer
  #received = 0
  #pieces = 0
  #announcements = 0

  /**
   * @param maxBytes of the body as received.
   * @param throttle for bodies in tiny pieces, shared by all exchanges.
   */
  constructor(maxBytes: number, throttle: ReadThrottle, settle: (outcome: Outcome) => void) {
    this.#maxBytes = maxBytes
    this.#body = createGrowingBuffer(maxBytes)
    this.#throttle = throttle
    this.#settle = settle
  }

  /** Ends it from this side, now; what undici does about it later is of no interest. */
  cancel(error: Error): void {
    this.#fail(error)
    this.#controller?.abort(error)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Nothing was written yet: throwing takes the request back and keeps the connection.
    if (this.#settle === null) throw new CallCancelledError()
    this.#controller = controller
    this.#times = this.line?.times ?? null
    if (this.line !== null) this.line.times = null
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
    // 103 and the like announce an answer and are none; without end they would keep the listener's thread busy.
    if (status < 200) {
      if (++this.#announcements > maxAnnouncements) this.cancel(new errors.HeadersOverflowError())
      return
    }
    this.#status = status
    this.#headers = flatten(headers)
    if (Number(this.#headers['content-length']) > this.#maxBytes) this.cancel(new BodyTooLargeError())
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
      answer: { status: this.#status, headers: this.#headers, body: this.#body.take() },
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
      received: this.#received,
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
    // A connection may have been begun for an earlier call that gave up waiting for it.
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

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = {}
  for (const name of Object.keys(headers)) {
    const value = headers[name]
    const text = Array.isArray(value) ? value.join(', ') : (value ?? '')
    if (name === '__proto__') Object.defineProperty(flat, name, { value: text, enumerable: true })
    else flat[name] = text
  }
  return flat
}
