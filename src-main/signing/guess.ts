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

/** `timestamp.body`, the documented form. */
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

export type KeyClues = {
  /** The connection's signing secret as displayed. */
  readonly secret: string
  /** Secrets that a rotation replaced, newest first; at most 10 are tried. */
  readonly oldSecrets?: readonly string[] | undefined
  readonly inboundToken?: string | null | undefined
}

const prefix = 'whsec_'
const maxOldSecrets = 10

const keyMessages = {
  prefix: 'You cut the prefix off the signing secret; the HMAC key is the whole string, `whsec_` included.',
  base64:
    'You base64-decoded the signing secret, as Svix and Standard Webhooks do; here the HMAC key is the displayed string itself, `whsec_` included.',
  space:
    'The HMAC key had white space or quotes around the signing secret; trim what you read from the file or environment variable.',
  token:
    'You used the inbound token of the webhook URL as HMAC key; use the signing secret, which begins with `whsec_`.',
  old: 'You signed with a secret that has been replaced; copy the current signing secret into the sender.',
  absent:
    'The HMAC key was empty, or the word for an absent value: the signing secret did not reach the code that signs. Copy the secret and set it where the sender reads it.',
}

/** Returns at most 28 HMAC keys that the sender may have used instead of the secret. */
export function guessKeys({ secret, oldSecrets = [], inboundToken }: KeyClues): Guess<Bytes>[] {
  const bare = secret.startsWith(prefix) ? secret.slice(prefix.length) : secret
  const decoded = Buffer.from(bare, 'base64')
  const around: [before: string, after: string][] = [
    ['', '\n'],
    ['', '\r\n'],
    ['', ' '],
    [' ', ''],
    ['', '\t'],
    ['"', '"'],
    ["'", "'"],
  ]
  const guesses = [
    wrong<Bytes>('key_without_prefix', keyMessages.prefix, bare),
    wrong('key_base64_decoded', keyMessages.base64, decoded),
    ...oldSecrets
      .slice(0, maxOldSecrets)
      .filter(old => old !== '')
      .map(old => wrong('old_secret', keyMessages.old, old)),
    // PHP and Python skip the two characters that only the URL-safe alphabet has.
    wrong('key_base64_decoded', keyMessages.base64, Buffer.from(bare.replace(/[-_]/g, ''), 'base64')),
    wrong('key_base64_decoded', keyMessages.base64, Buffer.from(secret, 'base64')),
    // The decoded bytes as text: atob(), or toString() on a Buffer.
    wrong('key_base64_decoded', keyMessages.base64, decoded.toString('latin1')),
    wrong('key_base64_decoded', keyMessages.base64, decoded.toString('utf8')),
    ...around.map(([before, after]) =>
      wrong('secret_with_whitespace', keyMessages.space, `${before}${secret}${after}`),
    ),
    ...(inboundToken ? [wrong('token_as_key', keyMessages.token, inboundToken)] : []),
    ...['', 'undefined', 'null', 'None'].map(word => wrong('key_empty', keyMessages.absent, word)),
  ]
  // A guess that equals the secret would report a correct key as a mistake.
  return guesses.filter(({ value }) => !Buffer.from(secret).equals(Buffer.from(value)))
}
