import type { IncomingMessage, ServerResponse } from 'node:http'
import type { InboundErrorCode } from '#shared/errors/inbound.ts'
import { ServiceError } from '#shared/errors.ts'
import { type Admitted, admit, type Refusal, refuse, tooLarge } from './admit.ts'
import { type Answer, acceptedAnswer, refusalAnswer } from './answers.ts'
import { maxKeptBody } from './attempts.ts'
import type { Directory } from './directory.ts'
import { endConnection, lingerMs } from './end-connection.ts'
import { type Examined, examine } from './examine.ts'
import { type RecordInbound, unavailablePrefix } from './occurrences.ts'
import type { OpenConnections } from './open-connections.ts'
import type { Arrival, Probes } from './probes.ts'
import { type BodyMemory, drainBody, readBody } from './read-body.ts'
import type { Receiver } from './receive.ts'
import type { Refusals } from './refusals.ts'

export type EndpointParts = {
  directory: Directory
  receiver: Receiver
  refusals: Refusals
  probes: Probes
  connections: OpenConnections
  record: RecordInbound
  nextId: (prefix: string) => string
  memory: BodyMemory
  /** The largest body accepted now, in bytes. */
  maxBodyBytes: () => number
  /** Milliseconds since 1970. */
  clock: () => number
  /** Milliseconds of a clock that is never set. */
  stopwatch: () => number
  isStopping: () => boolean
}

export type Endpoint = {
  /** @param expectsContinue the sender waits for `100 Continue` before it sends the body. */
  handle(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void
  /** Answers a request with `Expect` other than 100-continue. */
  handleExpectation(request: IncomingMessage, response: ServerResponse): void
}

/**
 * Bytes that an event under way takes beside its body: its header fields, its answer, its place in the queue of
 * the event log. They count too, or events without a body would wait in any number.
 */
const eventOverhead = 4096

/** A chunk of a body in refused requests, by the time that they take; and a byte of a body that was hashed in vain. */
const perChunk = 1 / 16
const perHashedByte = 1 / 4096

const noMemory = 'The service has as many bodies under way as it may hold; send the event again later.'

/** E1 over node:http: decides with `admit` and `examine`, acts with the receiver, answers. */
export function createEndpoint(parts: EndpointParts): Endpoint {
  const { directory, receiver, refusals, probes, connections, record, nextId, memory } = parts
  const { maxBodyBytes, clock, stopwatch, isStopping } = parts

  function handle(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void {
    if (!connections.take(request.socket, response)) return
    if (asksForUpgrade(request)) endAfterUpgrade(request, response)
    const startedAt = stopwatch()
    const limit = maxBodyBytes()
    const { method = '', url: target = '', rawHeaders } = request
    const admitted = admit({ method, target, rawHeaders }, directory, limit, clock())
    if (!admitted.ok) {
      const probe = probes.waitingFor(target)
      if (probe === undefined)
        connections.refuse(request.socket, isLast =>
          refuseUnread(request, response, admitted, expectsContinue, startedAt, isLast),
        )
      else handOver(request, response, probe, expectsContinue)
      return
    }
    if (expectsContinue) response.writeContinue()
    readBody(
      request,
      {
        maxBytes: limit,
        declared: admitted.declaredLength,
        memory,
        onChunk: () => connections.strain(request.socket, perChunk),
      },
      body => {
        // Too late: it has been told 408, or came behind the last request.
        if (response.headersSent || connections.isStopped(request.socket)) return
        if (body === 'too large') refuseTooLarge(request, response, admitted.connection, limit, startedAt)
        else if (body === 'out of memory') refuseForMemory(request, response, admitted.connection)
        else receive(request, response, admitted, body, startedAt)
      },
    )
  }

  function receive(
    request: IncomingMessage,
    response: ServerResponse,
    admitted: Admitted,
    body: Buffer,
    startedAt: number,
  ): void {
    const examined = examine(admitted, body, directory, clock())
    if (!examined.ok) {
      connections.refuse(request.socket, isLast => {
        if (isLast) response.shouldKeepAlive = false
        answer(response, refusalAnswer(examined.code, examined.detail))
      })
      connections.strain(request.socket, Math.floor(body.length * perHashedByte))
      const attempt = refusals.begin(examined, request.rawHeaders, stopwatch() - startedAt)
      if (attempt !== null) refusals.finish(attempt, body, true)
      return
    }
    accept(request, response, examined, body.length + eventOverhead, startedAt)
  }

  function accept(
    request: IncomingMessage,
    response: ServerResponse,
    examined: Examined,
    bytes: number,
    startedAt: number,
  ): void {
    if (!memory.take(bytes)) {
      refuseForMemory(request, response, examined.connection)
      return
    }
    const durable = receiver.accept(examined, request.rawHeaders, startedAt)
    if (durable === null) {
      memory.free(bytes)
      answer(response, acceptedAnswer)
      connections.served(request.socket)
      return
    }
    const { socket } = request
    const done = (reply: Answer) => {
      memory.free(bytes)
      answer(response, reply)
      connections.end(socket)
    }
    connections.begin(socket)
    durable.then(
      () => done(acceptedAnswer),
      () => done(refusalAnswer('unavailable')),
    )
  }

  /** Answers before the body was read, then lets it run out, so that the connection can go on. */
  function refuseUnread(
    request: IncomingMessage,
    response: ServerResponse,
    refusal: Refusal,
    expectsContinue: boolean,
    startedAt: number,
    isLast: boolean,
  ): void {
    const attempt = refusals.begin(refusal, request.rawHeaders, stopwatch() - startedAt)
    const reply = refusalAnswer(refusal.code, refusal.detail)
    // The rest of its body is not read.
    if (isLast) {
      response.shouldKeepAlive = false
      answer(response, reply)
      if (attempt !== null) refusals.finish(attempt, Buffer.alloc(0), false)
      return
    }
    // Nobody knows whether a refused `Expect: 100-continue` is followed by its body: the connection must end.
    if (expectsContinue || closesConnection(refusal.code)) {
      answerAndLinger(request, response, reply)
      if (attempt !== null) refusals.finish(attempt, Buffer.alloc(0), false)
      return
    }
    answer(response, reply)
    const limit = maxBodyBytes()
    drainBody(
      request,
      {
        maxBytes: limit,
        keep: attempt === null ? 0 : maxKeptBody,
        onChunk: () => connections.strain(request.socket, perChunk),
      },
      body => {
        if (attempt !== null) refusals.finish(attempt, body.kept, body.isWhole, body.bytes)
        // Only once the answer has left.
        if (!body.isWhole) request.socket.destroySoon()
      },
    )
  }

  /** A request of a probe is answered like an event, and leaves no trace but with whoever waits for it. */
  function handOver(
    request: IncomingMessage,
    response: ServerResponse,
    probe: (arrival: Arrival) => void,
    expectsContinue: boolean,
  ): void {
    const { method = '', url: target = '', rawHeaders } = request
    if (expectsContinue) response.writeContinue()
    readBody(request, { maxBytes: maxBodyBytes(), memory }, read => {
      if (response.headersSent) return
      const body = typeof read === 'string' ? null : read
      probe({ method, target, rawHeaders, body })
      if (body === null) answerAndLinger(request, response, acceptedAnswer)
      else answer(response, acceptedAnswer)
    })
  }

  function refuseTooLarge(
    request: IncomingMessage,
    response: ServerResponse,
    connection: Admitted['connection'],
    limit: number,
    startedAt: number,
  ): void {
    const refusal = refuse('body_too_large', connection, true, tooLarge(limit))
    answerAndLinger(request, response, refusalAnswer(refusal.code, refusal.detail))
    const attempt = refusals.begin(refusal, request.rawHeaders, stopwatch() - startedAt)
    if (attempt !== null) refusals.finish(attempt, Buffer.alloc(0), false)
  }

  function refuseForMemory(
    request: IncomingMessage,
    response: ServerResponse,
    { record: { connectionId } }: Admitted['connection'],
  ): void {
    const reply = refusalAnswer('unavailable', noMemory)
    if (request.complete) answer(response, reply)
    else answerAndLinger(request, response, reply)
    const error = new ServiceError('unavailable', { detail: noMemory })
    record({ kind: 'event.unavailable', id: nextId(unavailablePrefix), at: clock(), connectionId, error })
  }

  /**
   * The event of a request with Upgrade is accepted, but what arrives behind it is lost in node:http: its sender is
   * told that the connection ends, and one that ends its side within the body is refused at once.
   */
  function endAfterUpgrade({ socket }: IncomingMessage, response: ServerResponse): void {
    response.shouldKeepAlive = false
    socket.once('end', () => {
      if (!response.headersSent && !response.req.complete)
        endConnection('malformed_request', socket, connections)
    })
  }

  function answer(response: ServerResponse, reply: Answer): void {
    // Behind it there may be requests that are still to be answered; then the last of them ends the connection.
    if (isStopping() && connections.of(response.req.socket)?.newest === response)
      response.shouldKeepAlive = false
    response.writeHead(reply.status, reply.rawHeaders)
    response.end(reply.body)
  }

  return {
    handle,
    handleExpectation(request, response) {
      if (connections.take(request.socket, response))
        answerAndLinger(request, response, refusalAnswer('expectation_failed'))
    },
  }
}

function asksForUpgrade({ rawHeaders }: IncomingMessage): boolean {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 7 && name.toLowerCase() === 'upgrade') return true
  }
  return false
}

/** Refusals of requests whose body is too large to be read to its end. */
function closesConnection(code: InboundErrorCode): boolean {
  return code === 'body_too_large' || code === 'headers_too_large'
}

/**
 * Answers, then closes. A socket closed with unread bytes is reset, which can destroy the answer before
 * the sender has read it; so the rest of the body is let run out for a moment first.
 */
function answerAndLinger(request: IncomingMessage, response: ServerResponse, reply: Answer): void {
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
