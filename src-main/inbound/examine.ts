import type { FetchedKeys } from '#main/signing/fetched-keys.ts'
import { headProblemOf, identityOf, matchHead } from '#main/signing/read-sender.ts'
import type { SenderHead } from '#main/signing/sender-head.ts'
import { matchKey } from '#main/signing/verify.ts'
import { questionEventName } from '#shared/model/sender/challenge.ts'
import { readingOf, wholeBody } from '#shared/model/sender/reading.ts'
import { schemes } from '#shared/model/sender/templates.ts'
import { type Admitted, type Refusal, readSender, refuse, type SenderRead } from './admit.ts'
import { nothing, parseBody } from './body.ts'
import { type Question, type RefusedQuestion, signedQuestion, unsignedQuestion } from './challenges.ts'
import type { Directory, InboundConnection, InboundSender } from './directory.ts'
import { bodyProblemOf, type ListedEvent, readSenderBody } from './sender-body.ts'

/** A request that passed all checks: an event. */
export type Examined = {
  readonly ok: true
  readonly connection: InboundConnection
  readonly eventName: string
  readonly data: Record<string, unknown>
  readonly bodyText: string
  /**
   * Identifies the request: `sha256=` and the hexadecimal digits of its digest, also for another scheme. Empty if nothing
   * does: no request is its repeat.
   */
  readonly signature: string
  /** Signed with an earlier secret within its grace period. */
  readonly previousSecret: boolean
  /** The time of its signature, in milliseconds since 1970; null for a scheme without one. */
  readonly sentAt: number | null
  /** Null for the default scheme. */
  readonly otherScheme: OtherSchemeFacts | null
}

/** The facts that only an event of another scheme has. */
export type OtherSchemeFacts = {
  /** See LoggedEvent. */
  readonly reading: string
  /** The events of a list, each of which is one of its own; null where the request is one event. */
  readonly events: readonly ListedEvent[] | null
  /** Whether `bodyText` is the body as it was sent. */
  readonly keepsBody: boolean
  /** In lower case. */
  readonly signatureHeader: string
  /** How far the timestamp may be from the clock, in milliseconds; null for a scheme without one. */
  readonly windowMs: number | null
  /** Whether its bytes must not be accepted twice, because not all that makes them this event is signed. */
  readonly isOnce: boolean
  /** The header whose value is the same when the sender delivers an event again, and wants that to start it again; else null. */
  readonly deliveryHeader: string | null
  /** Present for a request that is not an event, and starts nothing. */
  readonly noEvent: NoEvent | null
}

/** A request that only checks the URL: a question with its answer, or an event without a name, which has none. */
type NoEvent = { readonly question: Question | null }

/**
 * Checks what needs the whole body: the signature, then the body. Also checks again that the connection exists and is
 * enabled, because this can change while the body arrives. Pure.
 *
 * @param nowMs milliseconds since 1970.
 * @param hasWaited whether its public keys were asked for, so that old ones are used if that failed.
 */
export function examine(
  admitted: Admitted,
  body: Buffer,
  directory: Pick<Directory, 'byToken'>,
  nowMs: number,
  hasWaited = false,
): Examined | Refusal {
  const { token, timestamp, signature, sender } = admitted
  const connection = directory.byToken(token)
  if (connection === undefined) return refuse('unknown_token', null, true)
  if (sender !== null || connection.sender !== null) {
    // The scheme was changed while the body arrived.
    if (sender === null || connection.sender === null) return refuse('invalid_signature', connection, true)
    return examineOtherScheme(connection, connection.sender, sender, body, nowMs, hasWaited)
  }
  const key = matchKey(connection.keys, timestamp, signature, body, nowMs)
  if (key === null) return refuse('invalid_signature', connection, true)
  const parsed = parseBody(body)
  if (!parsed.ok) return refuse(parsed.code, connection, true, parsed.detail)
  if (!connection.record.enabled) return refuse('connection_disabled', connection, true)
  return {
    ok: true,
    connection,
    eventName: parsed.eventName,
    data: parsed.data,
    bodyText: parsed.bodyText,
    signature,
    previousSecret: key.kind === 'previous',
    sentAt: Number(timestamp),
    otherScheme: null,
  }
}

/** The name of the record of a request without an event. */
const emptyName = '(no event)'

/** The same for another scheme. Each check is one of those that `verifySender` explains. */
function examineOtherScheme(
  connection: InboundConnection,
  sender: InboundSender,
  admitted: SenderRead,
  body: Buffer,
  nowMs: number,
  hasWaited: boolean,
): Examined | Refusal {
  const asked = unsignedQuestion(connection, admitted.head, body, admitted.problem === null)
  if (asked !== null) return answered(connection, asked)
  if (admitted.head.method !== 'POST') return refuse('method_not_allowed', connection, true)
  if (admitted.problem !== null)
    return refuse(admitted.problem.code, connection, true, admitted.problem.detail)
  const isInBody = sender.prepared.some(({ needsBody }) => needsBody)
  // The scheme or its secret may have been changed while the body arrived.
  const isRead = !isInBody && sender.prepared.includes(admitted.read.prepared)
  const head = isRead ? admitted.read : readSender(sender, admitted.head, nowMs, isInBody ? body : undefined)
  const problem = isRead ? null : headProblemOf(head)
  if (problem !== null) return refuse(problem.code, connection, true, problem.detail)
  const match = matchHead(hasWaited ? withKeptKeys(head) : head, body, nowMs)
  if (match.problem !== null) {
    const { code, detail } = match.problem
    return { ...refuse(code, connection, true, detail), needs: match.needs }
  }
  const { template, signatureHeader, isAmbiguous } = head.prepared
  const content = match.content ?? body
  const read = readSenderBody(head.prepared, admitted.head, content)
  const question = signedQuestion(connection, admitted.head, read.json.root)
  if (question !== null) return answered(connection, question)
  const bodyProblem = bodyProblemOf(read)
  if (bodyProblem !== null) {
    const { code, detail, index } = bodyProblem
    return { ...refuse(code, connection, true, detail), index }
  }
  if (!connection.record.enabled) return refuse('connection_disabled', connection, true)
  const noEvent = read.isEmpty ? { question: null } : null
  const identity = identityOf(head, match.digest, body)
  const { data, decodesData } = template
  const isTimeless = template.timestamp === null
  return {
    ok: true,
    connection,
    eventName: read.isEmpty ? emptyName : read.eventName.value,
    data: read.data.value,
    bodyText: read.text ?? content.toString('utf8'),
    signature: identity === '' ? '' : `sha256=${identity}`,
    previousSecret: match.secret === 'previous',
    sentAt: head.time?.atMs ?? null,
    otherScheme: {
      reading:
        noEvent !== null
          ? readingOf('body', read.isForm)
          : read.events === null
            ? readingOf(data, read.isForm, decodesData)
            : wholeBody,
      events: read.events,
      keepsBody: read.text === null && content === body,
      signatureHeader,
      windowMs: isTimeless ? null : template.windowMs,
      isOnce: identity !== '' && (isTimeless || isAmbiguous),
      deliveryHeader: isTimeless && template.redelivery === 'start' ? deliveryHeaderOf(sender, head) : null,
      noEvent,
    },
  }
}

/** Returns a head whose known keys count as new. */
function withKeptKeys(head: SenderHead): SenderHead {
  const { fetchedKeys } = head.request
  if (fetchedKeys === undefined) return head
  const kept: FetchedKeys = source => ({ ...fetchedKeys(source), isFresh: true })
  return { ...head, request: { ...head.request, fetchedKeys: kept } }
}

const deliveryHeaderOf = ({ scheme }: InboundSender, { prepared }: SenderHead) =>
  schemes[scheme].deliveryHeader ?? prepared.idHeader

/** Returns what becomes of a question. Its body is not recorded, because it may have a secret. */
function answered(connection: InboundConnection, question: Question | RefusedQuestion): Examined | Refusal {
  if ('refused' in question)
    return { ...refuse('invalid_signature', connection, true, question.refused), question }
  if (!connection.record.enabled) return refuse('connection_disabled', connection, true)
  return {
    ...{ ok: true, connection, eventName: questionEventName, data: nothing, bodyText: '{}' },
    ...{ signature: '', previousSecret: false, sentAt: null },
    otherScheme: {
      ...{ reading: wholeBody, events: null, keepsBody: false, signatureHeader: '' },
      ...{ windowMs: null, isOnce: false, deliveryHeader: null, noEvent: { question } },
    },
  }
}
