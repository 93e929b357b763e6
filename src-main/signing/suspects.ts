import type { Diagnosis, TemplateChange } from '#shared/model/diagnosis.ts'
import type { Sender } from '#shared/model/sender/sender.ts'
import { secretProblem } from '#shared/model/sender/sender-secret.ts'
import type { SenderTemplate } from '#shared/model/sender/sender-template.ts'
import {
  type Bytes,
  type Framing,
  framingOf,
  type Guess,
  guessFramings,
  guessKeys,
  guessTimestamps,
  type KeyClues,
  neighbouringTimestamps,
  right,
  type SignedValues,
  type TimestampTerms,
  writtenOf,
  wrong,
} from './guess.ts'
import { guessBodies } from './guess-bodies.ts'
import { guessRewritten } from './guess-rewritten.ts'
import { keyOf } from './prepare-sender.ts'

export type OtherConnection = {
  readonly connectionId?: string | undefined
  readonly name?: string | undefined
  readonly secret: string
}

export type SuspectClues = KeyClues & {
  readonly sender: Sender
  readonly template: SenderTemplate
  readonly isDefault: boolean
  readonly otherConnections?: Iterable<OtherConnection> | undefined
  /** The text of the timestamp that the request carries. */
  readonly timestamp: string | undefined
  /** The name of the header that carries it; undefined if the request has none. */
  readonly timestampName: string | undefined
  readonly values: SignedValues
  readonly rawBody: Buffer
}

/** One possible way in which the sender computed the digest, with the mistakes in it. The correct way has no mistakes. */
export type Suspect = {
  readonly mistakes: readonly Diagnosis[]
  /** The HMAC key in pieces; null for a SHA-256 without key. */
  readonly key: readonly Bytes[] | null
  readonly message: readonly Bytes[]
  /** The signed body, if it differs from the received one. */
  readonly body?: Uint8Array
  /** The fields of the scheme with which there would be no mistake; undefined if it is not a matter of the scheme. */
  readonly change?: TemplateChange | undefined
}

/** The four parts of a signature; each is right, or wrong in one way. */
type Parts = {
  readonly framing: Guess<Framing>
  readonly key: Guess<Bytes>
  readonly body: Guess<Uint8Array>
  readonly timestamp: Guess<string>
}

export const maxOtherConnections = 1000
const maxReachMs = 500
const maxReachSeconds = 5
/** Bytes hashed for each of the two long lists: other connections and neighbouring timestamps. */
const maxListBytes = 2 * 1024 * 1024
/** Rewritten bodies of each kind that are also tried together with a second mistake. */
const maxPairedRewrites = 12

/**
 * Generates every suspect: the right way first, then single mistakes (likely ones before long lists), then pairs of
 * mistakes. Lazy.
 */
export function* suspectsOf(clues: SuspectClues): Generator<Suspect> {
  const { template, isDefault, secret, rawBody, timestamp = '', timestampName, values } = clues
  const { signed, key: form, timestampUnit: unit } = template
  const framing = framingOf(signed, values)
  const terms: TimestampTerms = { name: timestampName ?? 'the header', unit }
  const framings = guessFramings(signed, timestampName !== undefined, values)
  // A request that lacks a value of the signed text is still looked at, in every other way.
  if (framing === null && framings.length === 0) return
  const parts: Parts = {
    framing: right(framing ?? (() => [])),
    key: right(keyOf(secret, template)),
    body: right(rawBody),
    timestamp: right(timestamp),
  }
  const keys = guessKeys(clues, form, isDefault)
  const timestamps = timestampName === undefined ? [] : guessTimestamps(timestamp, terms)
  const bodies = guessBodies(rawBody)
  const affordable = Math.floor(maxListBytes / (rawBody.length + 1))
  const reach = unit === 's' ? maxReachSeconds : Math.min(maxReachMs, affordable / 2)
  const others = otherKeys(clues, Math.min(maxOtherConnections, affordable))

  if (framing !== null) yield suspect(parts)
  for (const framing of framings) yield suspect({ ...parts, framing })
  if (framing !== null) {
    for (const key of keys) yield suspect({ ...parts, key })
    for (const timestamp of timestamps) yield suspect({ ...parts, timestamp })
    for (const body of bodies) yield suspect({ ...parts, body })
    yield* withoutKey(clues, framing, timestamp)
    yield* swapped(clues, framing, timestamp)
    for (const key of others) yield suspect({ ...parts, key })
    const { dataOnly, whole } = guessRewritten(rawBody)
    for (const rewritten of [dataOnly, whole]) {
      let count = 0
      for (const body of rewritten) {
        if (count++ < maxPairedRewrites) bodies.push(body)
        yield suspect({ ...parts, body })
      }
    }
    if (timestampName !== undefined)
      for (const neighbour of neighbouringTimestamps(timestamp, reach))
        yield suspect({ ...parts, timestamp: neighbour })
  }

  for (const framing of framings) {
    for (const key of keys) yield suspect({ ...parts, framing, key })
    for (const body of bodies) yield suspect({ ...parts, framing, body })
    for (const timestamp of timestamps) yield suspect({ ...parts, framing, timestamp })
  }
  if (framing === null) return
  for (const key of keys) {
    for (const body of bodies) yield suspect({ ...parts, key, body })
    for (const timestamp of timestamps) yield suspect({ ...parts, key, timestamp })
  }
  for (const body of bodies) {
    for (const timestamp of timestamps) yield suspect({ ...parts, body, timestamp })
  }
}

function suspect(parts: Parts): Suspect {
  const { framing, key, body, timestamp } = parts
  const wrong = [framing, key, body, timestamp].filter(({ mistake }) => mistake !== null)
  return {
    mistakes: wrong.flatMap(({ mistake }) => mistake ?? []),
    key: [key.value],
    message: framing.value(timestamp.value, body.value),
    ...(body.mistake === null ? {} : { body: body.value }),
    ...(wrong.every(({ change }) => change !== undefined) && {
      change: Object.assign({}, ...wrong.map(({ change }) => change)),
    }),
  }
}

/** Generates the secrets of at most `limit` other connections that can be keys of this scheme. */
function* otherKeys(
  { sender, secret, template, otherConnections = [] }: SuspectClues,
  limit: number,
): Generator<Guess<Bytes>> {
  let tried = 0
  for (const other of otherConnections) {
    if (tried++ >= limit) return
    if (other.secret === '' || other.secret === secret || secretProblem(other.secret, sender) !== null)
      continue
    const name = other.name ?? other.connectionId
    const whose = name === undefined ? 'another connection' : `another connection, "${name}"`
    const message = `You signed with the signing secret of ${whose}; use this connection's own, or the other's URL.`
    yield wrong('other_connection', message, keyOf(other.secret, template))
  }
}

const hashNames = { sha1: 'SHA-1', sha256: 'SHA-256', sha512: 'SHA-512' } as const

/** Returns the right message, the body alone, and timestamp and body joined without anything; each once. */
function usualMessages({ rawBody }: SuspectClues, framing: Framing, timestamp: string) {
  const messages = [framing(timestamp, rawBody), [rawBody], [timestamp, rawBody]]
  return timestamp === '' ? messages.slice(0, 2) : messages
}

/** Generates a hash without HMAC, over the message alone or joined with the secret. */
function* withoutKey(clues: SuspectClues, framing: Framing, timestamp: string): Generator<Suspect> {
  const { secret, template } = clues
  const { algorithm } = template
  const message = `You made a plain ${hashNames[algorithm]} digest; make an HMAC-${algorithm.toUpperCase()} with the signing secret as key.`
  const mistakes: Diagnosis[] = [{ code: 'plain_sha256', message }]
  for (const signed of usualMessages(clues, framing, timestamp)) {
    yield { mistakes, key: null, message: signed }
    for (const joint of ['', '.']) {
      yield { mistakes, key: null, message: [secret, joint, ...signed] }
      yield { mistakes, key: null, message: [...signed, joint, secret] }
    }
  }
}

/** Generates HMACs with key and message swapped. */
function* swapped(clues: SuspectClues, framing: Framing, timestamp: string): Generator<Suspect> {
  const { secret, rawBody, template } = clues
  const message = `You passed key and message to the HMAC the wrong way round; the signing secret is the key, \`${writtenOf(template.signed)}\` the message.`
  const mistakes: Diagnosis[] = [{ code: 'key_message_swapped', message }]
  for (const signed of usualMessages(clues, framing, timestamp)) {
    yield { mistakes, key: signed, message: [secret] }
  }
  yield { mistakes, key: [timestamp], message: [rawBody] }
}
