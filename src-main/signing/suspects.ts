import type { Diagnosis } from '#shared/model/diagnosis.ts'
import {
  type Bytes,
  type Framing,
  type Guess,
  guessKeys,
  guessTimestamps,
  type KeyClues,
  neighbouringTimestamps,
  right,
  rightFraming,
  wrong,
  wrongFramings,
} from './guess.ts'
import { guessBodies } from './guess-bodies.ts'
import { guessRewritten } from './guess-rewritten.ts'

export type OtherConnection = {
  readonly connectionId?: string | undefined
  readonly name?: string | undefined
  readonly secret: string
}

export type SuspectClues = KeyClues & {
  readonly otherConnections?: Iterable<OtherConnection> | undefined
  readonly timestampHeader: string | undefined
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
/** Bytes hashed for each of the two long lists: other connections and neighbouring timestamps. */
const maxListBytes = 2 * 1024 * 1024
/** Rewritten bodies of each kind that are also tried together with a second mistake. */
const maxPairedRewrites = 12

/**
 * Generates every suspect: the right way first, then single mistakes (likely ones before long lists), then pairs of
 * mistakes. Lazy.
 */
export function* suspectsOf(clues: SuspectClues): Generator<Suspect> {
  const { secret, rawBody, timestampHeader = '' } = clues
  const parts: Parts = {
    framing: rightFraming,
    key: right(secret),
    body: right(rawBody),
    timestamp: right(timestampHeader),
  }
  const keys = guessKeys(clues)
  const timestamps = guessTimestamps(timestampHeader)
  const bodies = guessBodies(rawBody)
  const affordable = Math.floor(maxListBytes / (rawBody.length + 1))
  const reachMs = Math.min(maxReachMs, affordable / 2)
  const others = otherKeys(clues, Math.min(maxOtherConnections, affordable))

  yield suspect(parts)
  for (const framing of wrongFramings) yield suspect({ ...parts, framing })
  for (const key of keys) yield suspect({ ...parts, key })
  for (const timestamp of timestamps) yield suspect({ ...parts, timestamp })
  for (const body of bodies) yield suspect({ ...parts, body })
  yield* withoutKey(secret, timestampHeader, rawBody)
  yield* swapped(secret, timestampHeader, rawBody)
  for (const key of others) yield suspect({ ...parts, key })
  const { dataOnly, whole } = guessRewritten(rawBody)
  for (const rewritten of [dataOnly, whole]) {
    let count = 0
    for (const body of rewritten) {
      if (count++ < maxPairedRewrites) bodies.push(body)
      yield suspect({ ...parts, body })
    }
  }
  for (const timestamp of neighbouringTimestamps(timestampHeader, reachMs))
    yield suspect({ ...parts, timestamp })

  for (const framing of wrongFramings) {
    for (const key of keys) yield suspect({ ...parts, framing, key })
    for (const body of bodies) yield suspect({ ...parts, framing, body })
    for (const timestamp of timestamps) yield suspect({ ...parts, framing, timestamp })
  }
  for (const key of keys) {
    for (const body of bodies) yield suspect({ ...parts, key, body })
    for (const timestamp of timestamps) yield suspect({ ...parts, key, timestamp })
  }
  for (const body of bodies) {
    for (const timestamp of timestamps) yield suspect({ ...parts, body, timestamp })
  }
}

function suspect({ framing, key, body, timestamp }: Parts): Suspect {
  const mistakes = [framing.mistake, key.mistake, body.mistake, timestamp.mistake]
  return {
    mistakes: mistakes.filter(mistake => mistake !== null),
    key: [key.value],
    message: framing.value(timestamp.value, body.value),
    ...(body.mistake === null ? {} : { body: body.value }),
  }
}

/** Generates the secrets of at most `limit` other connections. */
function* otherKeys({ secret, otherConnections = [] }: SuspectClues, limit: number): Generator<Guess<Bytes>> {
  let tried = 0
  for (const other of otherConnections) {
    if (tried++ >= limit) return
    if (other.secret === '' || other.secret === secret) continue
    const name = other.name ?? other.connectionId
    const whose = name === undefined ? 'another connection' : `another connection, "${name}"`
    const message = `You signed with the signing secret of ${whose}; use this connection's own, or the other's URL.`
    yield wrong('other_connection', message, other.secret)
  }
}

/** Generates SHA-256 without HMAC, over the message alone or joined with the secret. */
function* withoutKey(secret: string, timestamp: string, body: Bytes): Generator<Suspect> {
  const message = 'You made a plain SHA-256 digest; make an HMAC-SHA256 with the signing secret as key.'
  const mistakes: Diagnosis[] = [{ code: 'plain_sha256', message }]
  for (const signed of [[timestamp, '.', body], [body], [timestamp, body]]) {
    yield { mistakes, key: null, message: signed }
    for (const joint of ['', '.']) {
      yield { mistakes, key: null, message: [secret, joint, ...signed] }
      yield { mistakes, key: null, message: [...signed, joint, secret] }
    }
  }
}

/** Generates HMACs with key and message swapped. */
function* swapped(secret: string, timestamp: string, body: Bytes): Generator<Suspect> {
  const message =
    'You passed key and message to the HMAC the wrong way round; the signing secret is the key, `timestamp.body` the message.'
  const mistakes: Diagnosis[] = [{ code: 'key_message_swapped', message }]
  for (const signed of [[timestamp, '.', body], [body], [timestamp, body]]) {
    yield { mistakes, key: signed, message: [secret] }
  }
  yield { mistakes, key: [timestamp], message: [body] }
}
