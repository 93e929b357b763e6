import { maxDateMs } from '#shared/durations.ts'
import type { Diagnosis, DiagnosisCode, TemplateChange } from '#shared/model/diagnosis.ts'
import { keyPrefix } from '#shared/model/sender/sender-secret.ts'
import type { SenderTemplate } from '#shared/model/sender/sender-template.ts'
import { parseSignedText } from '#shared/model/sender/signed-text.ts'
import { keyOf } from './prepare-sender.ts'

/** Bytes, or text that stands for its UTF-8 bytes. */
export type Bytes = Uint8Array | string

/** A value that the sender may have used, and the mistake it means; null for the right value. */
export type Guess<Value> = {
  readonly mistake: Diagnosis | null
  readonly value: Value
  /** The scheme in which it would not be a mistake, if there is one. */
  readonly change?: TemplateChange
}

export function right<Value>(value: Value): Guess<Value> {
  return { mistake: null, value }
}

/** @param message one sentence: the mistake, then what to do instead; without secrets */
export function wrong<Value>(code: DiagnosisCode, message: string, value: Value): Guess<Value> {
  return { mistake: { code, message }, value }
}

/** Joins timestamp and body to the signed message; returns its pieces in order. */
export type Framing = (timestamp: string, body: Bytes) => readonly Bytes[]

/** The values that a signed text may contain besides the timestamp and the body. */
export type SignedValues = {
  readonly id: string | undefined
  /** The header with the id. */
  readonly idName: string
  readonly url: string | undefined
  readonly header: (name: string) => string | undefined
}

/** Returns how a signed text such as `{{timestamp}}.{{body}}` is joined; null if the request lacks a value of it. */
export function framingOf(signed: string, values: SignedValues): Framing | null {
  const parts = parseSignedText(signed)
  const pieces = parts.map(part => {
    if (part.kind === 'text') return part.text
    if (part.kind === 'id') return values.id
    if (part.kind === 'url') return values.url
    if (part.kind === 'header') return values.header(part.name)
    return part.kind
  })
  if (pieces.includes(undefined)) return null
  return (timestamp, body) =>
    parts.map((part, index) =>
      part.kind === 'timestamp' ? timestamp : part.kind === 'body' ? body : (pieces[index] ?? ''),
    )
}

const byDefault = '{{timestamp}}.{{body}}'
const framingMessages = {
  noDot: 'You joined timestamp and body without the dot; sign `timestamp.body`.',
  otherJoint: 'You joined timestamp and body with something other than a dot; sign `timestamp.body`.',
  reversed: 'You put the body before the timestamp; sign `timestamp.body`.',
}

/** The mistakes that have a code of their own where the default scheme is right. */
const mistakenForDefault: Readonly<Record<string, Diagnosis>> = {
  '{{timestamp}}{{body}}': { code: 'missing_dot', message: framingMessages.noDot },
  '{{body}}.{{timestamp}}': { code: 'body_before_timestamp', message: framingMessages.reversed },
  '{{body}}{{timestamp}}': { code: 'body_before_timestamp', message: framingMessages.reversed },
  ...Object.fromEntries(
    ['{{timestamp}}:{{body}}', '{{timestamp}}\n{{body}}', '{{timestamp}}|{{body}}', '{{timestamp}} {{body}}']
      .concat('v0:{{timestamp}}:{{body}}')
      .map(signed => [signed, { code: 'missing_dot', message: framingMessages.otherJoint }]),
  ),
}

/** The texts that senders sign. */
const knownTexts: readonly string[] = [
  '{{body}}',
  byDefault,
  ...Object.keys(mistakenForDefault),
  '{{id}}.{{timestamp}}.{{body}}',
  '{{url}}{{body}}',
  '{{url}}.{{body}}',
  '{{url}}{{timestamp}}{{body}}',
  '{{timestamp}}{{url}}{{body}}',
  '{{timestamp}}.{{url}}.{{body}}',
]

/** Returns a signed text as a sentence names it: `timestamp.body`. */
export function writtenOf(signed: string): string {
  return signed.replaceAll('{{', '').replaceAll('}}', '').replaceAll('\n', '\\n')
}

/** Returns the usual ways to join the signed message, without the right one and those whose values the request lacks. */
export function guessFramings(right: string, hasTimestamp: boolean, values: SignedValues): Guess<Framing>[] {
  return knownTexts.flatMap(signed => {
    if (signed === right || (!hasTimestamp && signed.includes('{{timestamp}}'))) return []
    const framing = framingOf(signed, values)
    return framing === null
      ? []
      : [{ mistake: framingMistake(signed, right), value: framing, change: { signed } }]
  })
}

function framingMistake(signed: string, right: string): Diagnosis {
  const must = writtenOf(right)
  if (signed === '{{body}}') {
    const clause = right.includes('{{timestamp}}') ? ', the timestamp being the text of the header' : ''
    return { code: 'signed_body_only', message: `You signed the body alone; sign \`${must}\`${clause}.` }
  }
  const known = right === byDefault ? mistakenForDefault[signed] : undefined
  return (
    known ?? { code: 'other_signed_text', message: `You signed \`${writtenOf(signed)}\`; sign \`${must}\`.` }
  )
}

const decimal = /^[0-9]{1,15}$/

/** Returns at most 8 timestamps that the sender may have signed instead of the header's; none for a non-number. */
export function guessTimestamps(header: string, { name, unit }: TimestampTerms): Guess<string>[] {
  if (!decimal.test(header)) return []
  const number = Number(header)
  const ms = unit === 's' ? number * 1000 : number
  if (ms > maxDateMs) return []
  const same = `sign exactly the text that ${name} carries`
  const otherUnit = unit === 's' ? 'milliseconds' : 'seconds'
  const unitMessage = `You signed the timestamp in ${otherUnit} but sent another text in the header; ${same}, in ${unit === 's' ? 'seconds' : 'milliseconds'}.`
  const formatMessage = `You signed the timestamp written in another way than in the header; ${same}.`
  const iso = new Date(ms).toISOString()
  const seconds = Math.floor(ms / 1000)
  // The next second too: the time may have been taken again, or rounded up.
  const otherUnits = unit === 's' ? [String(ms)] : [String(seconds), String(seconds + 1), String(ms / 1000)]
  const guesses = [
    ...otherUnits.map(text => wrong('timestamp_mismatch', unitMessage, text)),
    ...[String(number), `${number}.0`, `${number}000`, iso, iso.replace(/\.\d+Z$/, 'Z')].map(text =>
      wrong('timestamp_mismatch', formatMessage, text),
    ),
  ]
  return guesses.filter(({ value }) => value !== header)
}

/** The name and the unit of a timestamp header. */
export type TimestampTerms = { readonly name: string; readonly unit: SenderTemplate['timestampUnit'] }

const neighbourMessage =
  'You took the time twice, once for the signature and once for the header; take it once and use the same text for both.'

/** Generates the timestamps within `reach` units of the header's, nearest first: twice `reach` guesses. */
export function* neighbouringTimestamps(header: string, reach: number): Generator<Guess<string>> {
  if (!decimal.test(header)) return
  const time = Number(header)
  for (let distance = 1; distance <= reach; distance++) {
    // Senders usually sign first and take the header's time later.
    yield wrong('timestamp_mismatch', neighbourMessage, String(time - distance))
    yield wrong('timestamp_mismatch', neighbourMessage, String(time + distance))
  }
}

export type KeyClues = {
  /** The secret as displayed, or as the sender's system displays it. */
  readonly secret: string
  /** Secrets that were replaced, newest first; at most 10 are tried. */
  readonly oldSecrets?: readonly string[] | undefined
  readonly inboundToken?: string | null | undefined
  /** The connection's own signing secret, where its senders have another one. */
  readonly ownSecret?: string | undefined
}

const maxOldSecrets = 10

const keyMessages = {
  prefix: 'You cut the prefix off the signing secret; the HMAC key is the whole string, `whsec_` included.',
  base64:
    'You base64-decoded the signing secret, as Svix and Standard Webhooks do; here the HMAC key is the displayed string itself, `whsec_` included.',
  decoded: 'You base64-decoded the secret; here the HMAC key is the text of the secret itself.',
  notDecoded:
    'You used the text of the secret as HMAC key; the key is what follows `whsec_`, decoded from base64.',
  space:
    'The HMAC key had white space or quotes around the signing secret; trim what you read from the file or environment variable.',
  token:
    'You used the inbound token of the webhook URL as HMAC key; use the signing secret, which begins with `whsec_`.',
  old: 'You signed with a secret that has been replaced; copy the current signing secret into the sender.',
  oldOfSender:
    'You signed with a secret that has been replaced here; sign with the current one of this sender.',
  own: "You signed with the connection's own signing secret, which is for calls to you; sign with the secret of this sender.",
  absent:
    'The HMAC key was empty, or the word for an absent value: the signing secret did not reach the code that signs. Copy the secret and set it where the sender reads it.',
}

/** Returns at most 32 HMAC keys that the sender may have used instead of the secret. */
export function guessKeys(clues: KeyClues, form: SenderTemplate['key'], isDefault: boolean): Guess<Bytes>[] {
  const { secret, oldSecrets = [], inboundToken, ownSecret = '' } = clues
  const bare = secret.startsWith(keyPrefix) ? secret.slice(keyPrefix.length) : secret
  const decoded = Buffer.from(bare, 'base64')
  const key = keyOf(secret, { key: form })
  const around: [before: string, after: string][] = [
    ['', '\n'],
    ['', '\r\n'],
    ['', ' '],
    [' ', ''],
    ['', '\t'],
    ['"', '"'],
    ["'", "'"],
  ]
  const decodedKey = (value: Bytes): Guess<Bytes> => ({
    ...wrong('key_base64_decoded', isDefault ? keyMessages.base64 : keyMessages.decoded, value),
    ...(value === decoded && { change: { key: 'base64' } }),
  })
  const asText = (value: string): Guess<Bytes> => ({
    ...wrong('key_not_decoded', keyMessages.notDecoded, value),
    ...(value === secret && { change: { key: 'text' } }),
  })
  const forms =
    form === 'base64'
      ? [asText(secret), asText(bare), asText(bare.trim())]
      : [wrong<Bytes>('key_without_prefix', keyMessages.prefix, bare), decodedKey(decoded)]
  const others =
    form === 'base64'
      ? []
      : [
          // PHP and Python skip the two characters that only the URL-safe alphabet has.
          decodedKey(Buffer.from(bare.replace(/[-_]/g, ''), 'base64')),
          decodedKey(Buffer.from(secret, 'base64')),
          // The decoded bytes as text: atob(), or toString() on a Buffer.
          decodedKey(decoded.toString('latin1')),
          decodedKey(decoded.toString('utf8')),
        ]
  const guesses = [
    ...forms,
    ...oldSecrets
      .slice(0, maxOldSecrets)
      .filter(old => old !== '')
      .map(old =>
        wrong('old_secret', isDefault ? keyMessages.old : keyMessages.oldOfSender, keyOf(old, { key: form })),
      ),
    ...(ownSecret === '' ? [] : [wrong<Bytes>('connection_secret', keyMessages.own, ownSecret)]),
    ...others,
    ...around.map(([before, after]) =>
      wrong<Bytes>('secret_with_whitespace', keyMessages.space, `${before}${secret}${after}`),
    ),
    wrong<Bytes>('secret_with_whitespace', keyMessages.space, keyOf(secret.trim(), { key: form })),
    ...(inboundToken ? [wrong<Bytes>('token_as_key', keyMessages.token, inboundToken)] : []),
    ...['', 'undefined', 'null', 'None'].map(word => wrong<Bytes>('key_empty', keyMessages.absent, word)),
  ]
  // A guess that equals the key would report a correct one as a mistake.
  return guesses.filter(({ value }) => !Buffer.from(key).equals(Buffer.from(value)))
}
