import type { Diagnosis, DiagnosisCode } from '#shared/model/diagnosis.ts'

/** Bytes, or text that stands for its UTF-8 bytes. */
export type Bytes = Uint8Array | string

/** A value that the sender may have used, and the mistake it means; null for the right value. */
export type Guess<Value> = { readonly mistake: Diagnosis | null; readonly value: Value }

export function right<Value>(value: Value): Guess<Value> {
  return { mistake: null, value }
}

/** @param message one sentence: the mistake, then what to do instead; without secrets */
export function wrong<Value>(code: DiagnosisCode, message: string, value: Value): Guess<Value> {
  return { mistake: { code, message }, value }
}

/** Joins timestamp and body to the signed message; returns its pieces in order. */
export type Framing = (timestamp: string, body: Bytes) => readonly Bytes[]

const framingMessages = {
  bodyOnly: 'You signed the body alone; sign `timestamp.body`, the timestamp being the text of the header.',
  noDot: 'You joined timestamp and body without the dot; sign `timestamp.body`.',
  otherJoint: 'You joined timestamp and body with something other than a dot; sign `timestamp.body`.',
  reversed: 'You put the body before the timestamp; sign `timestamp.body`.',
}

/** `timestamp.body` (specification: Signing scheme, 3). */
export const rightFraming = right<Framing>((timestamp, body) => [timestamp, '.', body])

export const wrongFramings: readonly Guess<Framing>[] = [
  wrong('signed_body_only', framingMessages.bodyOnly, (_timestamp, body) => [body]),
  wrong('missing_dot', framingMessages.noDot, (timestamp, body) => [timestamp, body]),
  wrong('body_before_timestamp', framingMessages.reversed, (timestamp, body) => [body, '.', timestamp]),
  wrong('body_before_timestamp', framingMessages.reversed, (timestamp, body) => [body, timestamp]),
  ...[':', '\n', '|', ' '].map(joint =>
    wrong<Framing>('missing_dot', framingMessages.otherJoint, (timestamp, body) => [timestamp, joint, body]),
  ),
  wrong('missing_dot', framingMessages.otherJoint, (timestamp, body) => ['v0:', timestamp, ':', body]),
]

const timestampMessages = {
  seconds:
    'You signed the timestamp in seconds but sent another text in the header; sign exactly the text that x-service-timestamp carries, in milliseconds.',
  format:
    'You signed the timestamp written in another way than in the header; sign exactly the text that x-service-timestamp carries.',
  neighbour:
    'You took the time twice, once for the signature and once for the header; take it once and use the same text for both.',
}

const decimal = /^[0-9]{1,15}$/

/** Returns at most 8 timestamps that the sender may have signed instead of the header's; none for a non-number. */
export function guessTimestamps(header: string): Guess<string>[] {
  if (!decimal.test(header)) return []
  const ms = Number(header)
  const iso = new Date(ms).toISOString()
  const guesses = [
    wrong('timestamp_mismatch', timestampMessages.seconds, String(Math.floor(ms / 1000))),
    wrong('timestamp_mismatch', timestampMessages.seconds, String(Math.ceil(ms / 1000))),
    wrong('timestamp_mismatch', timestampMessages.seconds, String(ms / 1000)),
    wrong('timestamp_mismatch', timestampMessages.format, String(ms)),
    wrong('timestamp_mismatch', timestampMessages.format, `${ms}.0`),
    wrong('timestamp_mismatch', timestampMessages.format, `${ms}000`),
    wrong('timestamp_mismatch', timestampMessages.format, iso),
    wrong('timestamp_mismatch', timestampMessages.format, iso.replace(/\.\d+Z$/, 'Z')),
  ]
  return guesses.filter(({ value }) => value !== header)
}

/** Generates the timestamps within `reach` ms of the header's, nearest first: twice `reach` guesses. */
export function* neighbouringTimestamps(header: string, reach: number): Generator<Guess<string>> {
  if (!decimal.test(header)) return
  const ms = Number(header)
  for (let distance = 1; distance <= reach; distance++) {
    // Senders usually sign first and take the header's time later.
    yield wrong('timestamp_mismatch', timestampMessages.neighbour, String(ms - distance))
    yield wrong('timestamp_mismatch', timestampMessages.neighbour, String(ms + distance))
  }
}
