import type { KeySource } from '#main/signing/fetched-keys.ts'
import { proofBodyOf } from '#main/signing/proof-body.ts'
import { headProblemOf, readHead } from '#main/signing/read-sender.ts'
import type { HeadProblem, SenderHead } from '#main/signing/sender-head.ts'
import { checkSignatureShape, checkTimestamp } from '#main/signing/verify.ts'
import type { InboundErrorCode } from '#shared/errors/inbound.ts'
import { maxUnsignedBody, mayAskUnsigned, mayBringSecret, type RefusedQuestion } from './challenges.ts'
import type { Directory, InboundConnection, InboundSender } from './directory.ts'
import { tokenOf } from './route.ts'
import { pickSignedHeaders } from './signed-headers.ts'

/** Header fields accepted in one request. */
const maxHeaderFields = 100

export type RequestHead = {
  readonly method: string
  /** The request target as sent. */
  readonly target: string
  readonly rawHeaders: readonly string[]
}

/** A request that passed all checks of its head, so its body may be read. */
export type Admitted = {
  readonly ok: true
  readonly token: string
  readonly connection: InboundConnection
  /** Both empty for another scheme than the default. */
  readonly timestamp: string
  readonly signature: string
  /** The head, and the parts of it that concern its signature; null for the default scheme. */
  readonly sender: SenderRead | null
  /** The value of Content-Length, if any. */
  readonly declaredLength: string | undefined
}
export type SenderRead = {
  readonly head: RequestHead
  readonly read: SenderHead
  /** Why it is refused, unless it is a question that needs no proof. */
  readonly problem: HeadProblem | null
}
export type Refusal = {
  readonly ok: false
  readonly code: InboundErrorCode
  /** A more specific message than the catalogue's. */
  readonly detail?: string | undefined
  /** The event of a list that is wrong. */
  readonly index?: number | undefined
  /** Null if the token is unknown or was not looked up. */
  readonly connection: InboundConnection | null
  /** Present for a question. Nothing of the request is kept, because it may have a secret. */
  readonly question?: Pick<RefusedQuestion, 'diagnose'> | undefined
  /** Whether the path contained a token: such refusals are kept as attempts. */
  readonly namedToken: boolean
  /** Present if the request may be right: the public keys of this address must be fetched first. */
  readonly needs?: KeySource | undefined
}

/**
 * Checks a request's head in this order: path, method, token, enabled, encoding, length, signature and timestamp
 * headers of its sender's scheme. Pure. Stops at the first failed check.
 *
 * @param nowMs milliseconds since 1970.
 */
export function admit(
  head: RequestHead,
  directory: Pick<Directory, 'byToken'>,
  maxBodyBytes: number,
  nowMs: number,
): Admitted | Refusal {
  if (head.rawHeaders.length > 2 * maxHeaderFields) return refuse('headers_too_large', null, false)
  const token = tokenOf(head.target)
  if (token === null) return refuse('not_found', null, false)
  const connection = directory.byToken(token)
  if (head.method !== 'POST' && (connection === undefined || !mayAskUnsigned(connection, head)))
    return refuse('method_not_allowed', connection ?? null, true)
  if (connection === undefined) return refuse('unknown_token', null, true)
  if (!connection.record.enabled)
    return {
      ...refuse('connection_disabled', connection, true),
      ...(mayBringSecret(connection, head) && { question: {} }),
    }

  const headers = pickSignedHeaders(head.rawHeaders)
  const encoding = headers.contentEncoding
  if (encoding !== undefined && encoding.trim() !== '' && encoding.trim().toLowerCase() !== 'identity')
    return refuse('unsupported_encoding', connection, true)
  if (headers.contentLength !== undefined && Number(headers.contentLength) > maxBodyBytes)
    return refuse('body_too_large', connection, true, tooLarge(maxBodyBytes))

  const declaredLength = headers.contentLength
  if (connection.sender !== null) {
    const read = readSender(connection.sender, head, nowMs)
    const problem = headProblemOf(read)
    if (problem !== null && !mayBeQuestion(connection, head, declaredLength))
      return refuse(problem.code, connection, true, problem.detail)
    const sender = { head, read, problem }
    return { ok: true, token, connection, timestamp: '', signature: '', sender, declaredLength }
  }
  if (headers.repeated === 'signature')
    return refuse('invalid_signature', connection, true, sentTwice('signature'))
  if (headers.repeated === 'timestamp')
    return refuse('invalid_timestamp', connection, true, sentTwice('timestamp'))
  const { timestamp, signature } = headers
  if (signature === undefined || signature === '') return refuse('missing_signature', connection, true)
  const problem = checkTimestamp(timestamp, nowMs) ?? checkSignatureShape(signature)
  if (problem !== null || timestamp === undefined)
    return refuse(
      problem ?? 'missing_timestamp',
      connection,
      true,
      problem === 'invalid_signature' ? shape : undefined,
    )
  return { ok: true, token, connection, timestamp, signature, sender: null, declaredLength }
}

/** Returns whether a request without a right proof may be a question that needs none. Its body must be short. */
function mayBeQuestion(
  connection: InboundConnection,
  head: RequestHead,
  declaredLength: string | undefined,
): boolean {
  // One that comes in chunks says its length last, and is read up to the limit of all bodies.
  const isShort = declaredLength === undefined || Number(declaredLength) <= maxUnsignedBody
  return (head.method !== 'POST' || isShort) && mayAskUnsigned(connection, head)
}

/** Reads the proof of a request with another scheme. @param body once it is read. */
export function readSender(
  { prepared, urlOf, fetchedKeys }: InboundSender,
  { method, target, rawHeaders }: RequestHead,
  nowMs: number,
  body?: Buffer,
): SenderHead {
  const url = () => urlOf(target)
  const read = body === undefined ? {} : { body: proofBodyOf(body) }
  return readHead(prepared, { method, rawHeaders, url, fetchedKeys, ...read }, nowMs)
}

const shape = 'The header x-service-signature must be "sha256=" followed by 64 lowercase hexadecimal digits.'

function sentTwice(what: 'signature' | 'timestamp'): string {
  return `The header x-service-${what} was sent more than once.`
}

export function tooLarge(maxBodyBytes: number): string {
  return `The body is larger than the limit of ${maxBodyBytes} bytes.`
}

export function refuse(
  code: InboundErrorCode,
  connection: InboundConnection | null,
  namedToken: boolean,
  detail?: string,
): Refusal {
  return { ok: false, code, connection, namedToken, detail }
}
