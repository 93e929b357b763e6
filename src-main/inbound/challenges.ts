import { timingSafeEqual } from 'node:crypto'
import { queryValuesOf, valuesOf } from '#main/signing/places.ts'
import { fieldText, proofBodyOf } from '#main/signing/proof-body.ts'
import { isHost } from '#main/signing/proofs/public-keys.ts'
import type { ConnectionRecord } from '#main/storage/config.ts'
import type { Diagnosis } from '#shared/model/diagnosis.ts'
import type { AnswerValue, Challenge } from '#shared/model/sender/challenge.ts'
import type { Place } from '#shared/model/sender/sender-template.ts'
import { schemes } from '#shared/model/sender/templates.ts'
import { parsePath } from '#shared/model/variable-path.ts'
import { type Answer, bareAnswer, jsonAnswer, textAnswer } from './answers.ts'
import type { InboundSender } from './directory.ts'

/** A question that a sender asks to learn whether the owner of a URL wants its events, with its answer. */
export type Question = {
  readonly answer: Answer
  /** The secret that it brings, which verifies from now on; null for none, and if it is kept already. */
  readonly secret: string | null
  /** The address that the service fetches to confirm the URL; null for none. */
  readonly confirmUrl: string | null
  /** The address that the owner can open to confirm the URL; null for none. */
  readonly openUrl: string | null
}

/** A connection that a question may be asked of, with what its answer takes. */
type Asked = {
  readonly record: Pick<ConnectionRecord, 'verifyToken' | 'senderSecret'>
  readonly sender: Pick<InboundSender, 'scheme' | 'prepared'> | null
}

/** A question that is refused, with a sentence for its sender. */
export type RefusedQuestion = {
  readonly refused: string
  /**
   * Returns the mistake, for the owner of the connection. Called after the answer, whose time would else tell how much of
   * a token is right.
   */
  readonly diagnose?: () => Diagnosis
}

/** A body of an unsigned question has a few hundred bytes. */
export const maxUnsignedBody = 16 * 1024

const maxText = 4096
const printable = /^[\x20-\x7e]+$/

/** See RequestHead. */
type Head = { readonly method: string; readonly target: string; readonly rawHeaders: readonly string[] }
type Read = { readonly head: Head; readonly root: unknown }

/** Returns the questions of the scheme of a connection. */
function challengesOf({ sender }: Asked): readonly Challenge[] {
  return sender === null ? [] : (schemes[sender.scheme].challenges ?? [])
}

const isInBody = ({ place }: Challenge['has'][number]) => 'path' in place
const methodOf = ({ method = 'POST' }: Challenge) => method

/** Returns whether the head of a request without a right proof may be that of a question that needs none. */
export function mayAskUnsigned(connection: Asked, head: Head): boolean {
  return possibleQuestions(connection, head).length > 0
}

/** Returns whether the head of a request may be that of a handshake, which brings a secret. */
export function mayBringSecret(connection: Asked, head: Head): boolean {
  return possibleQuestions(connection, head).some(({ keeps }) => keeps !== undefined)
}

function possibleQuestions(connection: Asked, head: Head): Challenge[] {
  return challengesOf(connection).filter(
    challenge =>
      !challenge.isSigned &&
      methodOf(challenge) === head.method &&
      (challenge.token === undefined || connection.record.verifyToken !== undefined) &&
      hasAll(challenge, { head, root: undefined }, true),
  )
}

/**
 * Returns the question that a request asks before its proof is verified; null if it asks none.
 *
 * @param hasProof whether the request has a proof. Its body is an event then.
 */
export function unsignedQuestion(
  connection: Asked,
  head: Head,
  body: Buffer,
  hasProof: boolean,
): Question | RefusedQuestion | null {
  const unsigned = challengesOf(connection).filter(
    ({ isSigned, has }) => !isSigned && !(hasProof && has.some(isInBody)),
  )
  if (unsigned.length === 0) return null
  const needsBody = unsigned.some(({ has }) => has.some(isInBody))
  const root = needsBody && body.length <= maxUnsignedBody ? proofBodyOf(body).root() : undefined
  return find(unsigned, connection, { head, root })
}

/** Returns the question that a request with a right proof asks; null if it is none. @param root of its body. */
export function signedQuestion(
  connection: Asked,
  head: Head,
  root: unknown,
): Question | RefusedQuestion | null {
  const signed = challengesOf(connection).filter(({ isSigned }) => isSigned)
  return signed.length === 0 ? null : find(signed, connection, { head, root })
}

function find(all: readonly Challenge[], connection: Asked, read: Read) {
  const asked = all.find(one => methodOf(one) === read.head.method && hasAll(one, read, false))
  return asked === undefined ? null : answerTo(asked, connection, read)
}

function hasAll({ has }: Challenge, read: Read, isHeadAlone: boolean): boolean {
  return has.every(one => {
    if (isHeadAlone && isInBody(one)) return true
    const value = valueAt(one.place, read)
    return one.equals === undefined ? value !== null && value !== '' : value === one.equals
  })
}

/** Returns the value at a place; null for none, and for several. */
function valueAt(place: Place, { head, root }: Read): string | null {
  if ('path' in place) return fieldText(root, parsePath(place.path) ?? []) ?? null
  const values =
    'header' in place
      ? valuesOf(head.rawHeaders, place.header.toLowerCase())
      : queryValuesOf(head.target, place.query)
  return values.length === 1 ? (values[0] ?? null) : null
}

function answerTo(
  { answer, token, keeps, confirm }: Challenge,
  connection: Asked,
  read: Read,
): Question | RefusedQuestion {
  if (token !== undefined) {
    const [sent, own] = [valueAt(token, read) ?? '', connection.record.verifyToken ?? '']
    if (!isSame(sent, own))
      return {
        refused: wrongToken,
        diagnose: () => diagnosisOf('other_verify_token', tokenMistake(sent, own)),
      }
  }
  const secret = keeps === undefined ? null : valueAt(keeps.place, read)
  const known = connection.record.senderSecret ?? ''
  if (secret !== null && !isText(secret, maxSecret)) return { refused: unusable }
  if (secret !== null && known !== '' && !isSame(secret, known))
    return { refused: otherSecret, diagnose: () => diagnosisOf('other_handshake', handshakeMistake) }
  const reply = answerOf(answer, connection, read)
  if (reply === null) return { refused: unusable }
  const url = confirm === undefined ? null : confirmedUrl(valueAt(confirm.place, read), confirm.hosts)
  if (confirm?.by === 'service' && url === null)
    return { refused: `The address to confirm must be an https address of ${confirm.hosts.join(' or ')}.` }
  return {
    answer: reply,
    secret: known === '' ? secret : null,
    confirmUrl: confirm?.by === 'service' ? url : null,
    openUrl: confirm?.by === 'owner' ? url : null,
  }
}

const wrongToken = 'The verify token is not that of this connection.'
const otherSecret = 'This connection has another secret. Its owner can reset the activation.'
const handshakeMistake =
  'A handshake has brought the secret of this connection already, and this one brings another. If you have set the webhook up again at the sender, reset the activation, and let it ask again.'

const diagnosisOf = (code: Diagnosis['code'], message: string): Diagnosis => ({ code, message })

/** Returns how the verify token of a question differs from that of its connection. It contains neither. */
function tokenMistake(sent: string, own: string): string {
  const missing = own.length - sent.length
  const characters = (count: number) => (count === 1 ? 'one character' : `${count} characters`)
  const again = 'Paste the token again.'
  if (sent === '') return `The question has no verify token, or has it twice. ${again}`
  if (sent.trim() === own) return `The token has white space around it. ${again}`
  if (own.startsWith(sent)) return `The token lacks ${characters(missing)} at its end. ${again}`
  if (own.endsWith(sent)) return `The token lacks ${characters(missing)} at its start. ${again}`
  if (sent.startsWith(own)) return `The token has ${characters(-missing)} too many at its end. ${again}`
  if (sent.toLowerCase() === own.toLowerCase())
    return `The token differs in upper and lower case only. ${again}`
  return `The token is another one, not that of this connection. ${again}`
}

/** As for a secret that is entered. */
const maxSecret = 1000
const unusable = 'The text to answer with must be at most 4 KiB of printable ASCII characters.'
const isText = (text: string, most = maxText) => text.length <= most && printable.test(text)

/** Returns whether two texts are the same, in constant time for texts of one length. An empty one is like no other. */
function isSame(sent: string, own: string): boolean {
  const [one, other] = [Buffer.from(sent), Buffer.from(own)]
  return own !== '' && one.length === other.length && timingSafeEqual(one, other)
}

function answerOf(answer: Challenge['answer'], connection: Asked, read: Read): Answer | null {
  if ('constant' in answer)
    return answer.type === 'application/json' ? jsonAnswer(answer.constant) : textAnswer(answer.constant)
  if ('empty' in answer) return bareAnswer(answer.empty)
  if ('header' in answer) {
    const value = valueAt({ header: answer.header }, read)
    return value !== null && isText(value) ? bareAnswer(200, [answer.header, value]) : null
  }
  if ('text' in answer) {
    const text = valueAt(answer.text, read)
    return text !== null && isText(text) ? textAnswer(text) : null
  }
  const fields: [string, string][] = []
  for (const [name, value] of Object.entries(answer.json)) {
    const text = jsonValue(value, connection, read)
    if (text === null) return null
    fields.push([name, text])
  }
  return jsonAnswer(JSON.stringify(Object.fromEntries(fields)))
}

function jsonValue(value: AnswerValue, { sender }: Asked, read: Read): string | null {
  const text = valueAt('hmac' in value ? value.hmac : value, read)
  if (text === null || !isText(text)) return null
  if (!('hmac' in value)) return text
  const key = sender?.prepared[0].keys.find(({ kind }) => kind === 'current')
  if (key === undefined) return null
  return Buffer.from(key.key.digest(text, new Uint8Array(0)), 'hex').toString(value.encoding)
}

/** Returns an https address of one of the hosts, without credentials; null for another text. */
function confirmedUrl(text: string | null, hosts: readonly string[]): string | null {
  if (text === null || !isText(text) || !URL.canParse(text)) return null
  const { protocol, hostname, username, password, href } = new URL(text)
  const isOwn = hosts.some(pattern => isHost(hostname, pattern))
  return protocol === 'https:' && username === '' && password === '' && isOwn ? href : null
}
