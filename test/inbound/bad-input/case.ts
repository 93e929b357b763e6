import type { InboundErrorCode } from '#shared/errors/inbound.ts'
import type { InboundFixture, InboundFixtureOptions, TestConnection } from '../../support/inbound-fixture.ts'
import type { RawAnswer } from '../../support/raw-http.ts'
import { type RawRequest, type RequestOptions, signedRequest } from '../../support/sender.ts'

/** Status and code of a refusal, or 200; 100 for an interim answer. */
export type Expected = 100 | 200 | readonly [status: number, code: InboundErrorCode]

/** Bytes for the wire, or something to be done between two pieces. */
export type Piece = string | Uint8Array | (() => unknown)

/** The fixture of a case. */
export type Scene = {
  readonly fixture: InboundFixture
  readonly connection: TestConnection
  readonly other: TestConnection
  /** The service's clock, in milliseconds since 1970. */
  readonly now: number
  /** A request to the first connection, signed well unless the options say otherwise. */
  request(options?: RequestOptions): RawRequest
}

export type Case = {
  readonly name: string
  readonly send: (scene: Scene) => readonly Piece[]
  readonly answers: readonly Expected[]
  /**
   * The state of the socket afterwards. `stays`: a good event passes over it. `closes`: the service closes it and
   * says nothing more, as it announced in the last answer; `cut`: it could not announce it. `leaves`: the
   * sender ends its side in the middle of a request, which is malformed then; `resets`: it just goes away.
   */
  readonly socket: 'stays' | 'closes' | 'cut' | 'leaves' | 'resets'
  /** Triggers raised on the first connection; by default one for each 200. */
  readonly triggers?: number
  /** An answer to HEAD has no body. */
  readonly toHead?: boolean
  /** Further expectations, once the good event on the other connection has passed. */
  readonly check?: (scene: Scene, answers: readonly RawAnswer[]) => unknown
}

/** A kind of bad input, with its number in the list of all kinds. */
export type Row = {
  readonly row: number
  readonly title: string
  readonly options?: InboundFixtureOptions
  readonly cases: readonly Case[]
}

export function sceneOf(fixture: InboundFixture): Scene {
  const { connection, other, clock } = fixture
  const now = clock.now
  return { fixture, connection, other, now, request: options => signedRequest(connection, now, options) }
}

type Changes = Partial<Omit<Case, 'name' | 'send'>>

/** One request, made by options alone, and its answer. */
export function one(
  name: string,
  options: RequestOptions | ((scene: Scene) => RequestOptions),
  answer: Expected,
  changes: Changes = {},
): Case {
  return {
    name,
    send: scene => [scene.request(typeof options === 'function' ? options(scene) : options).bytes],
    answers: [answer],
    socket: 'stays',
    ...changes,
  }
}

/** One request in pieces of the case's own. */
export function raw(name: string, send: Case['send'], answer: Expected, changes: Changes = {}): Case {
  return { name, send, answers: [answer], socket: 'stays', ...changes }
}

/** The head with further lines, and lines taken out, for requests that no sender would write. */
export function rewriteHead(head: Buffer, rewrite: (lines: string[]) => string[], newline = '\r\n'): Buffer {
  const lines = head.toString('latin1').split('\r\n').slice(0, -2)
  return Buffer.from(rewrite(lines).join(newline) + newline + newline, 'latin1')
}
