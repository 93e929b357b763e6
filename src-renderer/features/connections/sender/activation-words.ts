import { inboundErrorOf } from '#shared/errors/inbound.ts'
import type { ListedOccurrence } from '#shared/model/activity.ts'
import { type Challenge, questionEventName } from '#shared/model/sender/challenge.ts'
import type { Sender } from '#shared/model/sender/sender.ts'
import { templatesOf } from '#shared/model/sender/sender.ts'
import type { Place } from '#shared/model/sender/sender-template.ts'
import { schemes } from '#shared/model/sender/templates.ts'
import { rejectionTitle } from '../../../entities/snippet/explanations.ts'

/** A request that arrived: an event, a repeat or a refused one. */
export type Arrival = Extract<
  ListedOccurrence,
  { type: 'event.accepted' | 'event.repeated' | 'event.rejected' }
>

/** The `kinds` of them. */
export const arrivalKinds = 'event.accepted,event.repeated,event.rejected'

export const isArrival = (item: ListedOccurrence): item is Arrival =>
  arrivalKinds.split(',').includes(item.type)

/** Returns the name of a provider without what it has beside: “Meta”. */
export const shortTitle = ({ scheme }: Sender) => schemes[scheme].title.replace(/ \(.*$/, '')

export const challengesOf = ({ scheme }: Sender): readonly Challenge[] => schemes[scheme].challenges ?? []

const placeText = (place: Place) => Object.values(place)[0] ?? ''

/** Returns the place by which a question is known, for its title; null where its method alone makes it one. */
export function questionName({ has }: Challenge): string | null {
  const named = has.find(({ equals }) => equals === undefined) ?? has[0]
  return named === undefined ? null : placeText(named.place)
}

/** Whether a sender signs its requests: not with a token, a password or nothing. */
export function isSigning(sender: Sender): boolean {
  const { verify } = templatesOf(sender)[0]
  return verify !== 'token' && verify !== 'basic' && verify !== 'none'
}

/** Returns what a question has and how it is answered, in a sentence with code between backticks. */
export function questionWords(challenge: Challenge, isOfSigner: boolean): string {
  const { method = 'POST', has, isSigned, token, keeps, answer, confirm } = challenge
  const fixed = has.filter(({ equals }) => equals !== undefined)
  const parts = [
    ...fixed.map(({ place, equals }) => `\`${placeText(place)}=${equals}\``),
    ...(token === undefined ? [] : ['your verify token']),
    ...(keeps === undefined
      ? []
      : [keeps.as === 'secret' ? 'the secret, which is kept' : 'a token, which is kept']),
    ...(confirm === undefined ? [] : ['an address to confirm']),
    ...('text' in answer ? ['a text of at most 4 KiB, sent back as it is'] : []),
    ...('json' in answer ? ['a text of at most 4 KiB, sent back as JSON'] : []),
    ...('header' in answer && keeps === undefined ? ['a text, sent back as it is'] : []),
  ]
  const start = `A ${isSigned && isOfSigner ? 'signed ' : ''}${method}`
  const last = parts.pop()
  if (last === undefined) return `${start}, answered with 200.`
  return `${start} with ${parts.length === 0 ? last : `${parts.join(', ')} and ${last}`}.`
}

/** Returns the request of a question as far as it is known: what it brought is not kept. */
export function questionRequest({ method = 'POST', has, token }: Challenge, path: string): string[] {
  const given = [
    ...has.map(({ place, equals = '…' }) => ({ place, value: equals })),
    ...(token === undefined ? [] : [{ place: token, value: '••••••••' }]),
  ]
  const query = given.flatMap(({ place, value }) => ('query' in place ? [`${place.query}=${value}`] : []))
  const headers = given.flatMap(({ place, value }) =>
    'header' in place ? [`${place.header}: ${value}`] : [],
  )
  const fields = given.flatMap(({ place, value }) => ('path' in place ? [`${place.path}: ${value}`] : []))
  const [first = ''] = query
  return [
    `${method} ${path}${first === '' ? '' : `?${first}`}`,
    ...query.slice(1).map(one => `    &${one}`),
    ...headers,
    ...(fields.length === 0 ? [] : ['', ...fields]),
  ]
}

/** Returns how a question was answered, in a few words. */
export function answerWords({ answer, confirm }: Challenge): string {
  if ('text' in answer) return `200 text/plain, ${placeText(answer.text)} sent back`
  if ('json' in answer) return `200 application/json with ${Object.keys(answer.json).join(' and ')}`
  if ('header' in answer) return `200, ${answer.header} sent back`
  if ('constant' in answer) return `200 ${answer.constant}`
  return `${answer.empty}${confirm?.by === 'service' ? ', once the address was fetched' : ', without a body'}`
}

/** Whether a request was a question of its sender, answered or refused. */
export function isQuestion(item: Arrival): boolean {
  return item.type === 'event.rejected' ? isRefusedQuestion(item) : item.eventName === questionEventName
}

const refusedQuestions: ReadonlySet<string | undefined> = new Set(['other_verify_token', 'other_handshake'])
export const isRefusedQuestion = (item: Arrival) =>
  item.type === 'event.rejected' && refusedQuestions.has(item.diagnosis?.code)

/** Whether a request was an event, whose proof was right. */
export const isEvent = (item: Arrival): item is Extract<Arrival, { type: 'event.accepted' }> =>
  item.type === 'event.accepted' && !isQuestion(item)

/** Returns the method of a request; null where it is not known. */
export function methodOf(item: Arrival, sender: Sender): 'GET' | 'HEAD' | 'POST' | null {
  const [challenge] = challengesOf(sender)
  if (isQuestion(item)) return challenge?.method ?? 'POST'
  // Recorded before it is known that a GET is a question.
  const isOpen =
    item.type === 'event.rejected' && ['method_not_allowed', 'connection_disabled'].includes(item.code)
  return isOpen ? null : 'POST'
}

/** Returns the status of the answer to a request. */
export function statusOf(item: Arrival, sender: Sender): number {
  if (item.type === 'event.rejected') return inboundErrorOf(item.code)?.status ?? 400
  return !isQuestion(item) && schemes[sender.scheme].answer === 'empty' ? 204 : 200
}

/** The words for a request: some words, the name of an event, and the mistake. */
export type ArrivalWords = { readonly words: string; readonly name?: string; readonly wrong?: string }

/** Returns the words for a request, for its row. */
export function arrivalWords(item: Arrival, sender: Sender): ArrivalWords {
  if (item.type === 'event.rejected') {
    const { code, diagnosis } = item
    if (diagnosis?.code === 'other_verify_token') return { words: 'challenge, ', wrong: 'token differs' }
    if (diagnosis?.code === 'other_handshake') return { words: 'challenge, ', wrong: 'secret differs' }
    return { words: '', wrong: rejectionTitle(code, diagnosis?.code ?? null) }
  }
  if (isQuestion(item)) {
    const hasToken = challengesOf(sender).some(({ token }) => token !== undefined)
    return { words: hasToken ? 'challenge, token right' : 'challenge, answered' }
  }
  if (item.eventName === '(no event)') return { words: 'request without an event' }
  if (item.type === 'event.repeated') return { words: 'repeat of ', name: item.eventName }
  return { words: isSigning(sender) ? 'signed event ' : 'event ', name: item.eventName }
}
