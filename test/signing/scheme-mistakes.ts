import { createHmac } from 'node:crypto'
import type { DiagnosisCode, TemplateChange } from '#shared/model/diagnosis.ts'
import { Sender } from '#shared/model/sender/sender.ts'
import { hmacHex, nowMs, secret } from './sender.ts'

export const connectionSecret = 'whsec_own0pUu1RkW8yXhBvTzGm5cLdEaNsQfO7iZ2wPrKtY4'
export const oldSenderSecret = 'old-secret-of-the-sender'
const ofSender = 'It is a Secret to Everybody'
/** `whsec_` and the base64 of 32 bytes. */
const encoded = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const seconds = String(Math.floor(nowMs / 1000))
const body = '{"type":"parcel.delivered","data":{"parcel":"PKT-7"}}'

const hmac = (key: string | Uint8Array, text: string, encoding: 'hex' | 'base64' = 'hex', hash = 'sha256') =>
  createHmac(hash, key).update(text).digest(encoding)

const other = Sender.parse({
  scheme: 'template',
  signatureHeader: 'x-pakket-signature',
  prefix: 'v1=',
  encoding: 'hex',
  signed: '{{timestamp}}.{{body}}',
  timestampHeader: 'x-pakket-time',
  eventName: { path: 'type' },
})
const bodyAlone = Sender.parse({
  scheme: 'template',
  signatureHeader: 'x-pakket-signature',
  prefix: 'v1=',
  encoding: 'hex',
  signed: '{{body}}',
  eventName: { path: 'type' },
})
const preset = (scheme: string) => Sender.parse({ scheme })
const pakket = (signature: string, time = seconds): [string, string][] => [
  ['X-Pakket-Time', time],
  ['X-Pakket-Signature', signature],
]
const standard = (key: string | Uint8Array, signed = `msg_1.${seconds}.${body}`): [string, string][] => [
  ['webhook-id', 'msg_1'],
  ['webhook-timestamp', seconds],
  ['webhook-signature', `v1a,xyz v1,${hmac(key, signed, 'base64')}`],
]

export type SchemeMistake = {
  readonly sender: Sender
  readonly what: string
  readonly secret: string
  readonly headers: [string, string][]
  readonly code: DiagnosisCode
  readonly says: string
  readonly change?: TemplateChange
}

const row = (
  sender: Sender,
  what: string,
  headers: [string, string][],
  code: DiagnosisCode,
  says: string,
  more: { readonly change?: TemplateChange; readonly secret?: string } = {},
): SchemeMistake => ({ sender, what, headers, code, says, secret: ofSender, ...more })

export const requestBody = body
/** Mistakes of senders in schemes other than that of the service, and what names them. */
export const schemeMistakes: readonly SchemeMistake[] = [
  row(
    preset('custom-connection'),
    'signed by GitHub',
    [['X-Hub-Signature-256', `sha256=${hmac(ofSender, body)}`]],
    'other_scheme',
    'signs as GitHub',
    { secret },
  ),
  row(
    preset('github'),
    'signed by Stripe',
    [['Stripe-Signature', `t=${seconds},v1=${hmac(ofSender, `${seconds}.${body}`)}`]],
    'other_scheme',
    'signs as Stripe',
  ),
  row(
    preset('custom-connection'),
    'signed in an unknown header',
    pakket(`v1=${hmac(ofSender, body)}`),
    'other_header',
    'x-pakket-signature',
    { secret, change: { signatureHeader: 'x-pakket-signature' } },
  ),
  row(
    preset('github'),
    'without a secret',
    [['X-Hub-Signature-256', `sha256=${hmac('', body)}`]],
    'no_secret',
    'No secret',
    { secret: '' },
  ),
  row(
    preset('github'),
    'the timestamp signed too',
    [
      ['X-Hub-Signature-256', `sha256=${hmac(ofSender, `${seconds}.${body}`)}`],
      ['X-Hub-Timestamp', seconds],
    ],
    'other_signed_text',
    'You signed `timestamp.body`; sign `body`',
    { change: { signed: '{{timestamp}}.{{body}}', timestampHeader: 'x-hub-timestamp' } },
  ),
  row(
    bodyAlone,
    'the timestamp signed too',
    pakket(`v1=${hmac(ofSender, `${seconds}.${body}`)}`),
    'other_signed_text',
    'sign `body`',
    { change: { signed: '{{timestamp}}.{{body}}', timestampHeader: 'x-pakket-time' } },
  ),
  row(
    other,
    'milliseconds',
    pakket(`v1=${hmac(ofSender, `${nowMs}.${body}`)}`, String(nowMs)),
    'timestamp_in_milliseconds',
    'milliseconds',
    { change: { timestampUnit: 'ms' } },
  ),
  row(
    other,
    'another prefix',
    pakket(`sha256=${hmac(ofSender, `${seconds}.${body}`)}`),
    'other_prefix',
    'must begin with `v1=`',
    { change: { prefix: 'sha256=' } },
  ),
  row(
    other,
    'base64',
    pakket(`v1=${hmac(ofSender, `${seconds}.${body}`, 'base64')}`),
    'digest_base64',
    '64 hexadecimal digits',
    { change: { encoding: 'base64' } },
  ),
  row(
    other,
    'SHA-1',
    pakket(`v1=${hmac(ofSender, `${seconds}.${body}`, 'hex', 'sha1')}`),
    'other_algorithm',
    'as SHA-1 gives',
    { change: { algorithm: 'sha1' } },
  ),
  row(
    other,
    'the body alone',
    pakket(`v1=${hmac(ofSender, body)}`),
    'signed_body_only',
    'sign `timestamp.body`',
    { change: { signed: '{{body}}' } },
  ),
  row(
    other,
    'a space after the secret',
    pakket(`v1=${hmac(`${ofSender} `, `${seconds}.${body}`)}`),
    'secret_with_whitespace',
    'white space',
  ),
  row(
    other,
    'the secret decoded',
    pakket(`v1=${hmac(Buffer.alloc(32, 7), `${seconds}.${body}`)}`),
    'key_base64_decoded',
    'the text of the secret',
    { secret: encoded, change: { key: 'base64' } },
  ),
  row(
    other,
    "the connection's own secret",
    pakket(`v1=${hmac(connectionSecret, `${seconds}.${body}`)}`),
    'connection_secret',
    "connection's own",
  ),
  row(
    other,
    'a replaced secret',
    pakket(`v1=${hmac(oldSenderSecret, `${seconds}.${body}`)}`),
    'old_secret',
    'current one of this sender',
  ),
  row(
    other,
    'written again',
    pakket(`v1=${hmac(ofSender, `${seconds}.${JSON.stringify(JSON.parse(body), null, 2)}`)}`),
    'body_reserialized',
    'in another format',
  ),
  row(
    other,
    'ten minutes late',
    pakket(`v1=${hmac(ofSender, `${Number(seconds) - 600}.${body}`)}`, String(Number(seconds) - 600)),
    'unknown',
    '600 seconds behind',
  ),
  row(
    preset('shopify'),
    'hexadecimal digits',
    [['X-Shopify-Hmac-Sha256', hmac(ofSender, body)]],
    'digest_hex',
    'write it in base64',
    { change: { encoding: 'hex' } },
  ),
  row(
    preset('slack'),
    'the body alone',
    [
      ['X-Slack-Request-Timestamp', seconds],
      ['X-Slack-Signature', `v0=${hmac(ofSender, body)}`],
    ],
    'signed_body_only',
    'sign `v0:timestamp:body`',
    { change: { signed: '{{body}}' } },
  ),
  row(
    preset('standard-webhooks'),
    'the key as text',
    standard(encoded),
    'key_not_decoded',
    'decoded from base64',
    { secret: encoded, change: { key: 'text' } },
  ),
  row(
    preset('standard-webhooks'),
    'without the id',
    standard(Buffer.alloc(32, 7), `${seconds}.${body}`),
    'other_signed_text',
    'sign `id.timestamp.body`',
    { secret: encoded, change: { signed: '{{timestamp}}.{{body}}' } },
  ),
  row(
    preset('stripe'),
    'nothing wrong',
    [['Stripe-Signature', `t=${seconds},v0=00,v1=${hmacHex(ofSender, `${seconds}.${body}`)}`]],
    'unknown',
    'Nothing is wrong',
  ),
]
