import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { InboundErrorCode } from '#shared/errors/inbound.ts'
import { ServiceError } from '#shared/errors.ts'
import { answerTo, eventOverhead, memoryOf, questionOf } from './accepted-request.ts'
import type { Activate } from './activate.ts'
import { type Admitted, admit, type Refusal, refuse, tooLarge } from './admit.ts'
import { type Answer, acceptedAnswer, refusalAnswer } from './answers.ts'
import { maxKeptBody } from './attempts.ts'
import type { Question } from './challenges.ts'
import type { Directory } from './directory.ts'
import { endConnection } from './end-connection.ts'
import { type Examined, examine } from './examine.ts'
import type { PlainRequest } from './fast/plain-request.ts'
import type { KeyStore } from './key-store.ts'
import { type RecordInbound, unavailablePrefix } from './occurrences.ts'
import type { OpenConnections } from './open-connections.ts'
import type { Arrival, Probes } from './probes.ts'
import { type BodyMemory, drainBody, readBody } from './read-body.ts'
import type { Receiver } from './receive.ts'
import type { Refusals } from './refusals.ts'
import { createKeyWait } from './wait-for-keys.ts'

export type Endpoint = ReturnType<typeof createEndpoint>

/** The cost of a body's chunk, and of a byte that was hashed for a refused request. One refused request costs 1. */
const perChunk = 1 / 16
const perHashedByte = 1 / 4096

/** Bytes from which on a body is stored from its bytes. Below, storing its text takes less time. */
const largeBody = 8 * 1024

const nothing = Buffer.alloc(0)
const notCurrent = 'The database has not confirmed this service for too long. Send the event again later.'
const noMemory = 'The service is receiving as many bodies as its memory allows. Send the event again later.'

/** Serves inbound requests: decides with `admit` and `examine`, passes events to the receiver, and answers. */
export function createEndpoint(parts: {
  directory: Directory
  receiver: Receiver
  refusals: Refusals
  probes: Probes
  connections: OpenConnections
  /** Left out if no public keys are fetched. */
  keys?: KeyStore | undefined
  activate: Activate
  record: RecordInbound
  nextId: (prefix: string) => string
  memory: BodyMemory
  /** The largest body accepted now, in bytes. */
  maxBodyBytes: () => number
  /** Milliseconds since 1970. */
  clock: () => number
  /** Milliseconds of a monotonic clock. */
  stopwatch: () => number
  /** Whether this process may act on its configuration. */
  isCurrent: () => boolean
  isStopping: () => boolean
  /** Milliseconds that a refused sender may continue to send before its connection closes. */
  lingerMs: number
}) {
  const { directory, receiver, refusals, probes, connections, keys, activate, record, nextId, memory } = parts
  const { maxBodyBytes, clock, stopwatch, isCurrent, isStopping, lingerMs } = parts

  const waitForKeys = createKeyWait({ keys, memory, connections, overhead: eventOverhead })

  /** Handles a request. @param expectsContinue whether the sender waits for `100 Continue` before the body. */
  function handle(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void {
    if (!connections.take(request.socket, response)) return
    if (asksForUpgrade(request)) endAfterUpgrade(request, response)
    if (!isCurrent()) {
      refuseAll(response, notCurrent)
      return
    }
    const startedAt = stopwatch()
    const limit = maxBodyBytes()
    const { method = '', url: target = '', rawHeaders } = request
    const admitted = admit({ method, target, rawHeaders }, directory, limit, clock())
    if (!admitted.ok) {
      const probe = probes.waitingFor(target)
      if (probe === undefined)
        connections.refuse(request.socket, true, isLast =>
          refuseUnread(response, admitted, expectsContinue, startedAt, isLast),
        )
      else handOver(response, probe, expectsContinue)
      return
    }
    if (expectsContinue) response.writeContinue()
    connections.promise(request.socket)
    readBody(
      request,
      {
        maxBytes: limit,
        declared: admitted.declaredLength,
        memory,
        onChunk: () => connections.strain(request.socket, perChunk),
      },
      body => {
        connections.keepPromise(request.socket)
        // The request was already answered with 408, or arrived after the connection's last one.
        if (response.headersSent || connections.isStopped(request.socket)) return
        if (body === 'too large') refuseTooLarge(response, admitted.connection, limit, startedAt)
        else if (body === 'out of memory') refuseForMemory(response, admitted.connection)
        else receive(response, admitted, body, startedAt)
      },
    )
  }

  function receive(
    response: ServerResponse,
    admitted: Admitted,
    body: Buffer,
    startedAt: number,
    hasWaited = false,
  ): void {
    if (!isCurrent()) {
      refuseAll(response, notCurrent)
      return
    }
    const request = response.req
    const examined = examine(admitted, body, directory, clock(), hasWaited)
    if (!examined.ok && examined.needs !== undefined && !hasWaited) {
      const again = () => receive(response, admitted, body, startedAt, true)
      if (!waitForKeys(response, body.length, examined.needs, again))
        refuseForMemory(response, admitted.connection)
      return
    }
    if (!examined.ok) {
      connections.refuse(request.socket, false, isLast => {
        if (isLast) response.shouldKeepAlive = false
        answer(response, refusalAnswer(examined.code, examined.detail))
      })
      connections.strain(request.socket, Math.floor(body.length * perHashedByte))
      const kept = examined.question === undefined ? body : nothing
      refusals.finish(refusals.begin(examined, request, stopwatch() - startedAt), kept, true)
      return
    }
    const reply = (one: Answer) => answer(response, one)
    // A copy, because the memory of this chunk may hold further requests.
    const large = body.length < largeBody ? undefined : new Uint8Array(body)
    const take = (isLast: boolean) => {
      if (isLast) response.shouldKeepAlive = false
      if (!accept(examined, request.rawHeaders, request.socket, body.length, large, startedAt, reply))
        refuseForMemory(response, examined.connection)
    }
    // Anybody who knows the URL can ask, as often as anybody can send what is refused.
    if (questionOf(examined) === null) take(false)
    else connections.refuse(request.socket, false, take)
  }

  /**
   * Calls `reply` once the event is durable, or at once. Returns false, without an effect, if memory is short.
   *
   * @param large the body, if it is large, in memory that nothing else uses.
   */
  function accept(
    examined: Examined,
    rawHeaders: readonly string[],
    socket: Socket,
    bodyBytes: number,
    large: Uint8Array<ArrayBuffer> | undefined,
    startedAt: number,
    reply: (answer: Answer) => void,
  ): boolean {
    const bytes = memoryOf(examined, bodyBytes)
    if (!memory.take(bytes)) return false
    const question = questionOf(examined)
    const isEvent = question === null
    const hasNoEvent = (examined.otherScheme?.noEvent ?? null) !== null
    const durable = hasNoEvent
      ? acceptQuestion(examined, question, startedAt)
      : receiver.accept(examined, rawHeaders, startedAt, large)
    const accepted = answerTo(examined)
    if (durable === null) {
      memory.free(bytes)
      reply(accepted)
      if (isEvent) connections.served(socket)
      return true
    }
    const done = (outcome: Answer) => {
      memory.free(bytes)
      reply(outcome)
      if (isEvent) connections.end(socket)
    }
    if (isEvent) connections.begin(socket)
    durable.then(
      () => done(accepted),
      () => done(refusalAnswer('unavailable')),
    )
    return true
  }

  /** Accepts a request without an event, once what its question asks for was carried out. */
  function acceptQuestion(examined: Examined, question: Question | null, startedAt: number) {
    const done = question === null ? null : activate(examined.connection.record, question)
    const accept = () => receiver.acceptWithoutEvent(examined, startedAt)
    if (done === null) return accept()
    return done.then(accept, error => {
      recordUnavailable(examined.connection, error)
      throw error
    })
  }

  /**
   * Handles a plain request that is an event, and calls `reply` once, perhaps before this returns. Returns false for a
   * request that would be refused: it has had no effect.
   */
  function handlePlain(request: PlainRequest, socket: Socket, reply: (answer: Answer) => void): boolean {
    if (!isCurrent()) return false
    const { target, rawHeaders, body, isAlone } = request
    const startedAt = stopwatch()
    const admitted = admit({ method: 'POST', target, rawHeaders }, directory, maxBodyBytes(), clock())
    if (!admitted.ok) return false
    const examined = examine(admitted, body, directory, clock())
    if (!examined.ok || questionOf(examined) !== null) return false
    const large = body.length < largeBody ? undefined : inOwnMemory(body, isAlone)
    return accept(examined, rawHeaders, socket, body.length, large, startedAt, reply)
  }

  /** Answers before the body arrives, then drains it so that the connection can be used again. */
  function refuseUnread(
    response: ServerResponse,
    refusal: Refusal,
    expectsContinue: boolean,
    startedAt: number,
    isLast: boolean,
  ): void {
    const request = response.req
    const attempt = refusals.begin(refusal, request, stopwatch() - startedAt)
    const reply = refusalAnswer(refusal.code, refusal.detail)
    if (isLast) {
      response.shouldKeepAlive = false
      answer(response, reply)
      refusals.finish(attempt, nothing, false)
      return
    }
    // After a refused `Expect: 100-continue`, the sender may or may not send its body: the connection must close.
    if (expectsContinue || closesConnection(refusal.code)) {
      answerAndLinger(response, reply, lingerMs)
      refusals.finish(attempt, nothing, false)
      return
    }
    answer(response, reply)
    drainBody(
      request,
      {
        maxBytes: maxBodyBytes(),
        keep: attempt === null || refusal.question !== undefined ? 0 : maxKeptBody,
        onChunk: () => connections.strain(request.socket, perChunk),
      },
      body => {
        refusals.finish(attempt, body.kept, body.isWhole, body.bytes)
        // destroySoon() sends the answer first.
        if (!body.isWhole) request.socket.destroySoon()
      },
    )
  }

  /** Answers a probe's request like an event. Only the waiting probe learns of it. */
  function handOver(
    response: ServerResponse,
    probe: (arrival: Arrival) => Promise<void>,
    expectsContinue: boolean,
  ): void {
    const { method = '', url: target = '', rawHeaders } = response.req
    if (expectsContinue) response.writeContinue()
    readBody(response.req, { maxBytes: maxBodyBytes(), memory }, read => {
      if (response.headersSent) return
      const body = typeof read === 'string' ? null : read
      // The answer tells the prober that the request has arrived, so it comes last.
      void probe({ method, target, rawHeaders, body }).then(() => {
        if (body === null) answerAndLinger(response, acceptedAnswer, lingerMs)
        else answer(response, acceptedAnswer)
      })
    })
  }

  function refuseTooLarge(
    response: ServerResponse,
    connection: Admitted['connection'],
    limit: number,
    startedAt: number,
  ): void {
    const refusal = refuse('body_too_large', connection, true, tooLarge(limit))
    answerAndLinger(response, refusalAnswer(refusal.code, refusal.detail), lingerMs)
    refusals.finish(refusals.begin(refusal, response.req, stopwatch() - startedAt), nothing, false)
  }

  function refuseForMemory(response: ServerResponse, connection: Admitted['connection']): void {
    refuseAll(response, noMemory)
    recordUnavailable(connection, new ServiceError('unavailable', { detail: noMemory }))
  }

  function recordUnavailable({ record: { connectionId } }: Admitted['connection'], error: unknown): void {
    record({ kind: 'event.unavailable', id: nextId(unavailablePrefix), at: clock(), connectionId, error })
  }

  /** Refuses a request that might be accepted later. */
  function refuseAll(response: ServerResponse, detail: string): void {
    const reply = refusalAnswer('unavailable', detail)
    if (response.req.complete) answer(response, reply)
    else answerAndLinger(response, reply, lingerMs)
  }

  /**
   * Accepts the event of a request with Upgrade, and closes the connection after it, because node:http loses what
   * follows such a request. Refuses the request at once if its sender closes its side within the body.
   */
  function endAfterUpgrade({ socket }: IncomingMessage, response: ServerResponse): void {
    response.shouldKeepAlive = false
    socket.once('end', () => {
      if (!response.headersSent && !response.req.complete)
        endConnection('malformed_request', socket, connections, lingerMs)
    })
  }

  function answer(response: ServerResponse, reply: Answer): void {
    // So that the sender's next request can reach another node. If more wait on this connection, the last closes it.
    if ((isStopping() || !isCurrent()) && connections.of(response.req.socket)?.newest === response)
      response.shouldKeepAlive = false
    response.writeHead(reply.status, reply.rawHeaders)
    response.end(reply.body)
  }

  return {
    handle,
    handlePlain,
    /** Answers a request with `Expect` other than 100-continue. */
    handleExpectation(request: IncomingMessage, response: ServerResponse) {
      if (connections.take(request.socket, response))
        answerAndLinger(response, refusalAnswer('expectation_failed'), lingerMs)
    },
  }
}

/** Returns the body, or a copy if it is not alone in its memory. */
function inOwnMemory(body: Buffer, isAlone: boolean): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, length } = body
  return isAlone && buffer instanceof ArrayBuffer
    ? new Uint8Array(buffer, byteOffset, length)
    : new Uint8Array(body)
}

function asksForUpgrade({ rawHeaders }: IncomingMessage): boolean {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 7 && name.toLowerCase() === 'upgrade') return true
  }
  return false
}

/** Returns whether a refusal closes the connection, because the rest of the request is too large to read. */
function closesConnection(code: InboundErrorCode): boolean {
  return code === 'body_too_large' || code === 'headers_too_large'
}

/**
 * Answers, then closes. Closing a socket with unread bytes resets it, which can destroy the answer before the sender
 * has read it. The rest of the body is therefore drained for a moment first.
 */
function answerAndLinger(response: ServerResponse, reply: Answer, lingerMs: number): void {
  const request = response.req
  response.shouldKeepAlive = false
  response.writeHead(reply.status, reply.rawHeaders)
  if (request.complete || request.method === 'HEAD') {
    response.end(reply.body)
    return
  }
  response.write(reply.body)
  const close = () => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(close, lingerMs)
  request.once('end', close)
  request.once('close', close)
  request.resume()
}
