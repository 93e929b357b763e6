import { createHash } from 'node:crypto'
import type { DiagnosisCode } from '#shared/model/diagnosis.ts'
import { hmacHex, nowMs, secret } from './sender.ts'

export const oldSecret = 'whsec_J3q0pUu1RkW8yXhBvTzGm5cLdEaNsQfO7iZ2wPrKtY4'
export const otherSecret = 'whsec_b7HnVx2KcRzTqWmEfYdLpAoJgUsIi9k4M1tQ0ZyX8eD'
export const inboundToken = 'h4Xr0bqkZk3WgJ9y2sVdT1uNfLmPcEoAiRzQxYwBtKc'

const timestamp = String(nowMs)
const seconds = '1700000000'
const compact =
  '{"event":"order.created","data":{"url":"https://shop.example/a?b=1&c=2","name":"café","total":12.5,"ids":[1,2]}}'
const spaced =
  '{"event": "order.created", "data": {"url": "https://shop.example/a?b=1&c=2", "name": "café", "total": 12.5, "ids": [1, 2]}}'

type Sent = { timestamp?: string | undefined; signature: string; body: string | Buffer }
export type SendersMistake = {
  readonly code: DiagnosisCode
  readonly sender: string
  readonly sent: Sent
  /** A word that the message must have, where one code covers mistakes that differ. */
  readonly says?: string
}

/** A request of which the signed text, the key, or the bytes sent are not what they should be. */
function request(change: {
  signed?: string | Buffer
  key?: string | Buffer
  body?: string | Buffer
  timestamp?: string
}): Sent {
  const { body = compact, key = secret } = change
  const signed = change.signed ?? `${change.timestamp ?? timestamp}.${compact}`
  return { timestamp: change.timestamp ?? timestamp, signature: `sha256=${hmacHex(key, signed)}`, body }
}

const digest = hmacHex(secret, `${timestamp}.${compact}`)
const base64 = Buffer.from(digest, 'hex').toString('base64')
const bare = secret.slice('whsec_'.length)
const joined = (left: string, right: Buffer) => Buffer.concat([Buffer.from(left), right])

/** Each usual mistake as senders in various languages make it, with texts written out rather than computed. */
export const sendersMistakes: readonly SendersMistake[] = [
  { code: 'timestamp_in_seconds', sender: 'Python, int(time.time())', sent: request({ timestamp: seconds }) },
  {
    code: 'timestamp_in_seconds',
    sender: 'Python, str(time.time())',
    sent: request({ timestamp: '1700000000.1234567' }),
  },
  {
    code: 'timestamp_in_seconds',
    sender: 'Go, time.Now().Unix(), refused before the body is read',
    sent: { timestamp: seconds, signature: `sha256=${'ab'.repeat(32)}`, body: '' },
  },
  {
    code: 'timestamp_in_seconds',
    sender: 'PHP, time(), and the body alone',
    sent: request({ timestamp: seconds, signed: compact }),
    says: 'body alone',
  },
  { code: 'signed_body_only', sender: 'as for GitHub', sent: request({ signed: compact }) },
  {
    code: 'signed_body_only',
    sender: 'as for GitHub, without a timestamp',
    sent: { signature: `sha256=${hmacHex(secret, compact)}`, body: compact },
  },
  {
    code: 'signed_body_only',
    sender: 'Python, json.dumps signed, json= sent by another library',
    sent: request({ signed: spaced, body: compact }),
  },
  { code: 'missing_dot', sender: 'any, timestamp + body', sent: request({ signed: timestamp + compact }) },
  {
    code: 'missing_dot',
    sender: 'any, timestamp:body',
    sent: request({ signed: `${timestamp}:${compact}` }),
  },
  { code: 'missing_dot', sender: 'as for Slack', sent: request({ signed: `v0:${timestamp}:${compact}` }) },
  { code: 'key_without_prefix', sender: 'any, prefix cut off', sent: request({ key: bare }) },
  {
    code: 'key_base64_decoded',
    sender: 'as for Svix, Node',
    sent: request({ key: Buffer.from(bare, 'base64') }),
  },
  {
    code: 'key_base64_decoded',
    sender: 'browser-like JavaScript, atob()',
    sent: request({ key: Buffer.from(bare, 'base64').toString('latin1') }),
  },
  {
    code: 'digest_base64',
    sender: "Node, digest('base64')",
    sent: { timestamp, signature: `sha256=${base64}`, body: compact },
  },
  { code: 'digest_base64', sender: 'as for Shopify', sent: { timestamp, signature: base64, body: compact } },
  {
    code: 'digest_base64',
    sender: 'Go, base64.RawURLEncoding',
    sent: {
      timestamp,
      signature: `sha256=${Buffer.from(digest, 'hex').toString('base64url')}`,
      body: compact,
    },
  },
  {
    code: 'digest_base64',
    sender: 'PHP, base64_encode(hash_hmac(…))',
    sent: { timestamp, signature: `sha256=${Buffer.from(digest).toString('base64')}`, body: compact },
  },
  {
    code: 'digest_uppercase',
    sender: '.NET, Convert.ToHexString',
    sent: { timestamp, signature: `sha256=${digest.toUpperCase()}`, body: compact },
  },
  {
    code: 'missing_scheme',
    sender: 'any, digest alone',
    sent: { timestamp, signature: digest, body: compact },
  },
  {
    code: 'missing_scheme',
    sender: 'any, SHA256=',
    sent: { timestamp, signature: `SHA256=${digest}`, body: compact },
  },
  {
    code: 'missing_scheme',
    sender: 'as for Stripe, v1=',
    sent: { timestamp, signature: `v1=${digest}`, body: compact },
  },
  {
    code: 'body_reserialized',
    sender: 'Python, json.dumps signed, compact sent',
    sent: request({
      signed: `${timestamp}.{"event": "order.created", "data": {"url": "https://shop.example/a?b=1&c=2", "name": "caf\\u00e9", "total": 12.5, "ids": [1, 2]}}`,
    }),
    says: 'a space after commas',
  },
  {
    code: 'body_reserialized',
    sender: 'Node, JSON.stringify signed, spaced sent',
    sent: request({ body: spaced }),
    says: 'without spaces',
  },
  {
    code: 'body_reserialized',
    sender: 'PHP, json_encode signed, unescaped sent',
    sent: request({
      signed: `${timestamp}.{"event":"order.created","data":{"url":"https:\\/\\/shop.example\\/a?b=1&c=2","name":"caf\\u00e9","total":12.5,"ids":[1,2]}}`,
    }),
  },
  {
    code: 'body_reserialized',
    sender: 'PHP, JSON_PRETTY_PRINT | JSON_UNESCAPED_UNICODE signed',
    sent: request({
      signed: `${timestamp}.{
    "event": "order.created",
    "data": {
        "url": "https:\\/\\/shop.example\\/a?b=1&c=2",
        "name": "café",
        "total": 12.5,
        "ids": [
            1,
            2
        ]
    }
}`,
    }),
  },
  {
    code: 'body_reserialized',
    sender: 'Node, JSON.stringify(…, null, 2) signed',
    sent: request({
      signed: `${timestamp}.{\n  "event": "x",\n  "data": {\n    "a": [],\n    "b": {}\n  }\n}`,
      body: '{"event":"x","data":{"a":[],"b":{}}}',
    }),
  },
  {
    code: 'body_reserialized',
    sender: 'Go, json.Marshal of a map signed, keys sorted and & escaped',
    sent: request({
      signed: `${timestamp}.{"data":{"ids":[1,2],"name":"café","total":12.5,"url":"https://shop.example/a?b=1\\u0026c=2"},"event":"order.created"}`,
    }),
    says: 'sorted keys',
  },
  {
    code: 'body_reserialized',
    sender: 'Go, json.Encoder sent, its final newline not signed',
    sent: request({ body: `${compact}\n` }),
    says: 'line break',
  },
  {
    code: 'body_reserialized',
    sender: 'shell, echo signed, its newline not sent',
    sent: request({ signed: `${timestamp}.${compact}\n` }),
  },
  {
    code: 'body_reserialized',
    sender: '.NET, System.Text.Json signed',
    sent: request({
      signed: `${timestamp}.{"event":"order.created","data":{"url":"https://shop.example/a?b=1\\u0026c=2","name":"caf\\u00E9","total":12.5,"ids":[1,2]}}`,
    }),
  },
  {
    code: 'body_reserialized',
    sender: 'Node, an object in a template',
    sent: request({ signed: `${timestamp}.[object Object]` }),
  },
  {
    code: 'body_reserialized',
    sender: 'Python, bytes in an f-string',
    sent: request({
      signed: `${timestamp}.b'{"event":"caf\\xc3\\xa9 it\\'s"}'`,
      body: '{"event":"café it\'s"}',
    }),
  },
  {
    code: 'body_reserialized',
    sender: 'Python, a dict in an f-string',
    sent: request({
      signed: `${timestamp}.{'event': "it's", 'data': {'ok': True, 'none': None, 'name': 'café'}}`,
      body: '{"event":"it\'s","data":{"ok":true,"none":null,"name":"café"}}',
    }),
  },
  {
    code: 'body_reserialized',
    sender: 'Java, a Map joined to a String',
    sent: request({
      signed: `${timestamp}.{event=x, data={a=[1, 2]}}`,
      body: '{"event":"x","data":{"a":[1,2]}}',
    }),
  },
  {
    code: 'body_reserialized',
    sender: 'Python, requests.post(json=text)',
    sent: request({ body: JSON.stringify(compact) }),
  },
  {
    code: 'body_reserialized',
    sender: 'Node, numbers rewritten',
    sent: request({
      signed: `${timestamp}.{"event":"x","data":{"total":1}}`,
      body: '{"event":"x","data":{"total":1.0}}',
    }),
  },
  ...[
    [
      'Python, json.loads then json.dumps',
      '{"event": "x", "data": {"total": 1.1, "paid": 1.0, "big": 12345678901234567890}}',
    ],
    [
      'Python, compact and sorted',
      '{"data":{"big":12345678901234567890,"paid":1.0,"total":1.1},"event":"x"}',
    ],
    ['Go, through a map', '{"data":{"big":12345678901234567000,"paid":1,"total":1.1},"event":"x"}'],
  ].map(([sender = '', signed]) => ({
    code: 'body_reserialized' as const,
    sender: `${sender}, numbers rewritten`,
    sent: request({
      signed: `${timestamp}.${signed}`,
      body: '{"event":"x","data":{"total":1.10,"paid":1.0,"big":12345678901234567890}}',
    }),
  })),
  {
    code: 'key_without_prefix',
    sender: 'Python, prefix cut off and json.dumps signed',
    sent: request({ key: bare, signed: `${timestamp}.${spaced}` }),
    says: 'in another format',
  },
  { code: 'old_secret', sender: 'any, after a rotation', sent: request({ key: oldSecret }) },
  {
    code: 'other_connection',
    sender: 'any, with two connections',
    sent: request({ key: otherSecret }),
    says: 'Billing',
  },
  {
    code: 'secret_with_whitespace',
    sender: 'shell, secret read with its newline',
    sent: request({ key: `${secret}\n` }),
  },
  {
    code: 'secret_with_whitespace',
    sender: 'Java, secret pasted after a space',
    sent: request({ key: ` ${secret}` }),
  },
  {
    code: 'secret_with_whitespace',
    sender: 'Docker, quotes kept from .env',
    sent: request({ key: `"${secret}"` }),
  },
  {
    code: 'empty_body',
    sender: 'Node, body stream already read',
    sent: request({ signed: `${timestamp}.` }),
  },
  { code: 'empty_body', sender: 'any, body lost in a redirect', sent: request({ body: '' }) },
  {
    code: 'body_bom',
    sender: '.NET, a mark sent and not signed',
    sent: request({ body: `\ufeff${compact}` }),
  },
  {
    code: 'body_bom',
    sender: '.NET, a mark signed and not sent',
    sent: request({ signed: `${timestamp}.\ufeff${compact}` }),
  },
  {
    code: 'body_crlf',
    sender: 'Windows, a file changed on its way out',
    sent: request({ signed: `${timestamp}.{\n "event": "x"\n}\n`, body: '{\r\n "event": "x"\r\n}\r\n' }),
  },
  {
    code: 'body_crlf',
    sender: 'Windows, a file changed on its way into the signature',
    sent: request({ signed: `${timestamp}.{\r\n "event": "x"\r\n}`, body: '{\n "event": "x"\n}' }),
  },
  {
    code: 'body_latin1',
    sender: "Node, update(body, 'latin1')",
    sent: request({ signed: Buffer.from(`${timestamp}.${compact}`, 'latin1') }),
  },
  {
    code: 'body_latin1',
    sender: 'Java, getBytes(ISO_8859_1) of a text with an emoji',
    sent: request({
      signed: Buffer.from(`${timestamp}.{"event":"café ?"}`, 'latin1'),
      body: '{"event":"café 😀"}',
    }),
  },
  {
    code: 'body_latin1',
    sender: '.NET, Encoding.ASCII.GetBytes',
    sent: request({ signed: `${timestamp}.${compact.replace('é', '?')}` }),
  },
  {
    code: 'body_latin1',
    sender: 'PHP, utf8_encode of UTF-8',
    sent: request({ signed: `${timestamp}.${compact.replace('é', 'Ã©')}` }),
  },
  {
    code: 'body_latin1',
    sender: 'Perl, signed as UTF-8 and sent as Latin-1',
    sent: request({ body: Buffer.from(compact, 'latin1') }),
  },
  {
    code: 'timestamp_mismatch',
    sender: 'Node, Date.now() twice',
    sent: request({ signed: `${nowMs - 3}.${compact}` }),
    says: 'twice',
  },
  {
    code: 'timestamp_mismatch',
    sender: 'Python, header in ms and seconds signed',
    sent: request({ signed: `${seconds}.${compact}` }),
    says: 'seconds',
  },
  {
    code: 'timestamp_mismatch',
    sender: 'a shell, date +%s called again in the next second',
    sent: request({ timestamp: `${seconds}000`, signed: `${Number(seconds) + 1}.${compact}` }),
    says: 'seconds',
  },
  {
    code: 'timestamp_mismatch',
    sender: 'JavaScript, ISO date signed',
    sent: request({ signed: `2023-11-14T22:13:20.123Z.${compact}` }),
  },
  {
    code: 'timestamp_mismatch',
    sender: 'Go, leading zeros not signed',
    sent: { ...request({}), timestamp: `00${timestamp}` },
  },
  {
    code: 'body_before_timestamp',
    sender: 'any, body.timestamp',
    sent: request({ signed: `${compact}.${timestamp}` }),
  },
  {
    code: 'signed_data_only',
    sender: 'Node, JSON.stringify(data)',
    sent: request({
      signed: `${timestamp}.{"url":"https://shop.example/a?b=1&c=2","name":"café","total":12.5,"ids":[1,2]}`,
    }),
  },
  {
    code: 'signed_data_only',
    sender: 'Python, json.dumps(data)',
    sent: request({
      signed: `${timestamp}.{"url": "https://shop.example/a?b=1&c=2", "name": "caf\\u00e9", "total": 12.5, "ids": [1, 2]}`,
    }),
  },
  {
    code: 'plain_sha256',
    sender: 'Python, hashlib.sha256',
    sent: {
      timestamp,
      signature: `sha256=${createHash('sha256').update(`${timestamp}.${compact}`).digest('hex')}`,
      body: compact,
    },
  },
  {
    code: 'plain_sha256',
    sender: 'any, secret + message',
    sent: {
      timestamp,
      signature: `sha256=${createHash('sha256').update(`${secret}${timestamp}.${compact}`).digest('hex')}`,
      body: compact,
    },
  },
  {
    code: 'key_message_swapped',
    sender: 'PHP, hash_hmac with its arguments swapped',
    sent: request({ key: `${timestamp}.${compact}`, signed: secret }),
  },
  { code: 'token_as_key', sender: 'any, token out of the URL', sent: request({ key: inboundToken }) },
  {
    code: 'unknown',
    sender: 'any, a secret nobody knows',
    sent: request({ key: 'whsec_0000000000000000000000000000000000000000000' }),
    says: 'any common mistake',
  },
  {
    code: 'key_empty',
    sender: 'any, environment variable not set',
    sent: request({ key: '' }),
    says: 'did not reach',
  },
  {
    code: 'key_empty',
    sender: 'Node, an environment variable that is not set made text',
    sent: request({ key: 'undefined' }),
  },
  {
    code: 'unknown',
    sender: 'any, right signature sent 10 minutes late',
    sent: request({ timestamp: String(nowMs - 600_000) }),
    says: '600 seconds behind',
  },
  {
    code: 'unknown',
    sender: 'any, ISO date',
    sent: request({ timestamp: '2023-11-14T22:13:20Z' }),
    says: 'a date',
  },
  {
    code: 'unknown',
    sender: 'Go, UnixMicro()',
    sent: request({ timestamp: '1700000000123000' }),
    says: 'microseconds',
  },
  { code: 'unknown', sender: 'any, nothing wrong', sent: request({}), says: 'Nothing is wrong' },
  {
    code: 'other_algorithm',
    sender: 'any, HMAC-SHA512',
    sent: { timestamp, signature: `sha512=${'ab'.repeat(64)}`, body: compact },
    says: 'SHA-512',
  },
  {
    code: 'unknown',
    sender: 'any, header sent twice',
    sent: { timestamp, signature: `sha256=${digest}, sha256=${digest}`, body: compact },
    says: 'more than one',
  },
  {
    code: 'unknown',
    sender: 'any, bytes that are not UTF-8 under another key',
    sent: request({ key: 'x', body: joined(compact, Buffer.from([0xff])) }),
  },
]
