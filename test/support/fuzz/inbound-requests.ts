import { signatureFor } from '../sender.ts'
import type { FuzzedRequest } from './inbound-oracle.ts'
import type { Random } from './random.ts'

export type FuzzedAccount = { readonly token: string; readonly secret: string }

/**
 * Makes one request: a good one, changed in none to three ways that senders get wrong or attackers try. All of
 * them are well-formed HTTP/1.1; framing has tests of its own.
 */
export function fuzzRequest(random: Random, account: FuzzedAccount, nowMs: number): FuzzedRequest {
  const draft: Draft = {
    method: 'POST',
    target: `/api/connect/${account.token}/events`,
    timestamp: String(nowMs - random.int(200_000) + random.int(200_000)),
    body: Buffer.from(JSON.stringify({ event: 'order.created', data: { id: random.int(1e9) } })),
    headers: [],
    secret: account.secret,
    afterSigning: [],
  }
  const changes = random.chance(0.25) ? 0 : 1 + random.int(3)
  for (let count = 0; count < changes; count++) random.pick(mutations)(draft, random, nowMs)
  const signature = signatureFor(draft.secret, draft.timestamp, draft.body)
  const signed: Signed = {
    method: draft.method,
    target: draft.target,
    body: draft.body,
    headers: [['x-service-timestamp', draft.timestamp], ['x-service-signature', signature], ...draft.headers],
  }
  for (const change of draft.afterSigning) change(signed)
  return { ...signed, headers: shuffle(signed.headers, random) }
}

/** The bytes of a request, Host and Content-Length included. */
export function requestBytes({ method, target, headers, body }: FuzzedRequest): Buffer {
  const lines = headers.map(([name, value]) => `${name}:${value === '' ? '' : ` ${value}`}\r\n`).join('')
  const head = `${method} ${target} HTTP/1.1\r\nHost: fuzz\r\n${lines}Content-Length: ${body.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head, 'latin1'), body])
}

type Header = readonly [string, string]
type Signed = { method: string; target: string; body: Buffer; headers: Header[] }
type Draft = {
  method: string
  target: string
  timestamp: string
  body: Buffer
  headers: Header[]
  secret: string
  /** Changes to the signed request, by a sender or an attacker. */
  afterSigning: ((signed: Signed) => void)[]
}
type Mutation = (draft: Draft, random: Random, nowMs: number) => void

const mutations: readonly [Mutation, ...Mutation[]] = [
  changeMethod,
  changeTarget,
  changeTimestamp,
  changeBody,
  changeBody,
  changeSecret,
  changeSignature,
  changeSignature,
  changeSentBody,
  dropOrRepeatHeader,
  addHeaders,
]

function changeMethod(draft: Draft, random: Random): void {
  draft.method = random.pick(['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'PROPFIND'])
}

function changeTarget(draft: Draft, random: Random): void {
  const { target } = draft
  const token = target.slice('/api/connect/'.length, -'/events'.length)
  draft.target = random.pick([
    `${target}?at=1`,
    `${target}/`,
    `${target};x`,
    `/${target}`,
    `/x/..${target}`,
    '/',
    '/api/connect//events',
    '/api/connect/events',
    '/healthz',
    '/api/v1/connections',
    `http://127.0.0.1${target}`,
    target.replace('/events', '/event'),
    target.replace('/api', '/API'),
    `/api/connect/${token.toUpperCase()}/events`,
    `/api/connect/${token.slice(0, -1)}/events`,
    `/api/connect/${token}A/events`,
    `/api/connect/%41${token.slice(1)}/events`,
    `/api/connect/${token}/events/events`,
    `/api/connect/${token}%00/events`,
    `/api/connect/__proto__/events`,
    `/api/connect/${'x'.repeat(1 + random.int(4000))}/events`,
  ])
}

function changeTimestamp(draft: Draft, random: Random, nowMs: number): void {
  const good = draft.timestamp
  draft.timestamp = random.pick([
    String(Math.floor(nowMs / 1000)),
    `${good}000`,
    `+${good}`,
    `-${good}`,
    `${good}.0`,
    `${Number(good).toExponential()}`,
    `0x${Number(good).toString(16)}`,
    new Date(nowMs).toISOString(),
    `0${good}`,
    `00${good}`,
    `000${good}`,
    `${good}abc`,
    `${good.slice(0, 5)} ${good.slice(5)}`,
    String(nowMs - 310_000 - random.int(1e9)),
    String(nowMs + 310_000 + random.int(1e9)),
    String(nowMs - 290_000),
    String(nowMs + 290_000),
    '0',
    '',
    'NaN',
    '9'.repeat(1 + random.int(30)),
  ])
}

function changeBody(draft: Draft, random: Random): void {
  const number = random.pick(['1e400', '-0', '9007199254740993', '1.10', '0.1e-7', '1'])
  const text = random.pick([
    '',
    ' ',
    'null',
    'true',
    '[]',
    '[{"event":"a"}]',
    '"event"',
    '42',
    'NaN',
    '{}',
    '{"event":""}',
    '{"event":null}',
    '{"event":7}',
    '{"event":["a"]}',
    '{"Event":"a"}',
    '{"__proto__":{"event":"a"}}',
    '{"event":"a","data":[]}',
    '{"event":"a","data":"x"}',
    '{"event":"a","data":0}',
    '{"event":"a","data":false}',
    '{"event":"a","data":null}',
    '{"event":"a"}',
    '{"event":"a","event":"b"}',
    '{"event":"a","event":1}',
    '{"event":"a","data":1,"data":{}}',
    '{"event":"a",}',
    "{'event':'a'}",
    '{"event":"a"}//',
    '{"event":"a"} {"event":"b"}',
    '\ufeff{"event":"a"}',
    ' \t\r\n{"event":"a"}\n',
    '{"event":"\\ud800","data":{"x":"\\u0000"}}',
    '{"event":"a\u0000b"}',
    '{"event":"line\u2028","data":{}}',
    `{"event":"${'e'.repeat(254 + random.int(3))}"}`,
    `{"event":"${'😀'.repeat(254 + random.int(3))}"}`,
    `{"event":"a","data":{"n":${number}}}`,
    `{"event":"a","data":{"eventName":"x","connectionId":${number}}}`,
    `{"event":"a","data":{"__proto__":{"a":1},"constructor":1,"toString":${number}}}`,
    nested(random.pick([10, 997, 998, 999, 1000, 1001, 5000, 100_000])),
    `{"event":"a","data":{"text":"${'x'.repeat(random.int(20_000))}"}}`,
  ])
  draft.body = Buffer.from(text)
  if (random.chance(0.05)) draft.body = Buffer.from(text, 'utf16le')
  if (random.chance(0.05)) draft.body = Buffer.concat([draft.body, Buffer.from([0xff])])
}

function nested(levels: number): string {
  return `{"event":"a","data":{"x":${'['.repeat(levels)}${']'.repeat(levels)}}}`
}

function changeSecret(draft: Draft, random: Random): void {
  const { secret } = draft
  draft.secret = random.pick([
    'wrong',
    `${secret} `,
    secret.slice('whsec_'.length),
    secret.toLowerCase(),
    secret.slice(0, -1),
    'whsec_',
  ])
}

function changeSignature(draft: Draft, random: Random): void {
  const change = random.pick<(signature: string) => string>([
    signature => signature.toUpperCase(),
    signature => signature.replace('sha256=', 'SHA256='),
    signature => signature.replace('sha256=', ''),
    signature => `sha256=${Buffer.from(signature.slice(7), 'hex').toString('base64')}`,
    signature => signature.slice(0, -1),
    signature => `${signature}0`,
    signature => `${signature},${signature}`,
    signature => `${signature} ${signature}`,
    signature => `sha512=${signature.slice(7)}`,
    () => 'sha256=',
    () => `sha256=${'é'.repeat(64)}`,
    () => 'x'.repeat(3000),
    signature => flip(signature, 7 + random.int(64)),
    // Optional white space around a value does not belong to it.
    signature => `\t ${signature} \t`,
  ])
  draft.afterSigning.push(signed => {
    signed.headers = signed.headers.map(([name, value]) =>
      name.toLowerCase() === 'x-service-signature' ? [name, change(value)] : [name, value],
    )
  })
}

/** Another hexadecimal digit at this place. */
function flip(text: string, index: number): string {
  return text.slice(0, index) + (text[index] === '0' ? '1' : '0') + text.slice(index + 1)
}

function changeSentBody(draft: Draft, random: Random): void {
  const how = random.int(3)
  const at = random.next()
  draft.afterSigning.push(signed => {
    const { body } = signed
    if (how === 0) signed.body = Buffer.concat([body, Buffer.from('\n')])
    else if (how === 1) signed.body = body.subarray(0, Math.floor(body.length * at))
    else {
      signed.body = Buffer.from(body)
      const index = Math.floor(body.length * at)
      if (body.length > 0) signed.body[index] = (body[index] ?? 0) ^ 1
    }
  })
}

function dropOrRepeatHeader(draft: Draft, random: Random): void {
  const wanted = random.pick(['x-service-signature', 'x-service-timestamp'])
  const how = random.pick(['drop', 'empty', 'repeat', 'repeat differently', 'rename'])
  draft.afterSigning.push(signed => {
    signed.headers = signed.headers.flatMap(([name, value]): Header[] => {
      if (name.toLowerCase() !== wanted) return [[name, value]]
      if (how === 'drop') return []
      if (how === 'empty') return [[name, '']]
      if (how === 'rename') return [[name.replace('x-', 'X-').toUpperCase(), value]]
      return [
        [name, value],
        [name, how === 'repeat' ? value : `${value}0`],
      ]
    })
  })
}

function addHeaders(draft: Draft, random: Random): void {
  draft.headers.push(
    random.pick<Header>([
      ['Content-Encoding', 'gzip'],
      ['Content-Encoding', 'identity'],
      ['content-encoding', ' IDENTITY '],
      ['Content-Encoding', 'br, gzip'],
      ['Content-Type', 'text/plain'],
      ['Content-Type', 'application/json; charset=utf-16'],
      ['X-Forwarded-For', '127.0.0.1'],
      ['X-Forwarded-Host', 'evil.example'],
      ['X-HTTP-Method-Override', 'GET'],
      ['Authorization', 'Bearer x'],
      ['x-service-signature2', 'sha256=00'],
      ['Accept-Encoding', 'gzip'],
      ['Cookie', `a=${'b'.repeat(random.int(2000))}`],
    ]),
  )
}

function shuffle(headers: readonly Header[], random: Random): Header[] {
  return headers
    .map(header => ({ header, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ header }) => header)
}
