import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { readKeys } from '#main/inbound/read-keys.ts'
import { verifySender } from '#main/inbound/verify-sender.ts'
import { recognizeScheme } from '#main/signing/recognize.ts'
import { eventTextOf } from '#shared/model/sender/reading.ts'
import { Sender, templatesOf } from '#shared/model/sender/sender.ts'
import { presetNames } from '#shared/model/sender/templates.ts'
import { type InboundFixture, startInbound } from '../support/inbound-fixture.ts'
import type { RawAnswer } from '../support/raw-http.ts'

const folder = join(import.meta.dirname, '../fixtures/senders/presets')

const Header = z.tuple([z.string(), z.string()])
const Answer = z.object({
  status: z.int(),
  type: z.string().nullable(),
  body: z.string(),
  header: Header.optional(),
})

/** A recorded request of a provider and what becomes of it. */
const Recorded = z.object({
  /** The provider's own library that accepts the request and refuses the changed one, else the page that describes it. */
  verifiedBy: z.union([z.url(), z.string().regex(/^\S+ \d+\.\d+\.\d+$/)]),
  sender: Sender,
  secret: z.string().optional(),
  time: z.iso.datetime(),
  method: z.string(),
  target: z.string(),
  headers: z.array(Header),
  body: z.string(),
  events: z.array(z.object({ eventName: z.string(), data: z.unknown() })),
  /** Where the proof is: the name of a header, or how to remove it elsewhere. */
  proof: z.union([
    z.string(),
    z.object({ query: z.string() }),
    z.object({ path: z.string(), remove: z.string() }),
  ]),
  /** The text that is replaced in the body to break the proof; missing where it does not cover the body. */
  change: z.tuple([z.string(), z.string()]).optional(),
  /** Instead: the header that breaks the proof. */
  changeHeader: Header.optional(),
  /** Another public key. */
  wrongKey: z.string().optional(),
  /** The keys or certificates at the addresses that the service fetches them from. */
  fetched: z.record(z.string(), z.string()).optional(),
  wrongFetched: z.record(z.string(), z.string()).optional(),
  /** Requests with other headers that are refused, and why. */
  refuses: z.array(z.object({ why: z.string(), headers: z.array(Header) })).default([]),
  answer: Answer.optional(),
  /** A question of the provider, with the answer, and what is changed for a question that is refused. */
  questions: z
    .array(
      z.object({
        method: z.string(),
        target: z.string().optional(),
        headers: z.array(Header),
        body: z.string(),
        verifyToken: z.string().optional(),
        /** Whether the connection has no secret yet. */
        isHandshake: z.literal(true).optional(),
        answer: Answer,
        /** The name of its record, if it is that of a request without an event. */
        eventName: z.string().default('url_verification'),
        confirms: z.string().optional(),
        opens: z.string().optional(),
        refuses: z
          .object({ target: z.string(), headers: z.array(Header), body: z.string() })
          .partial()
          .optional(),
      }),
    )
    .default([]),
})
type Recorded = z.infer<typeof Recorded>

const hourMs = 3_600_000

/** Returns the scheme's error that a request was refused with. */
const refusedWith = (code: string) => ({ kind: 'event.rejected', code })

const names = readdirSync(folder).map(file => file.replace('.json', ''))

const read = (name: string) => Recorded.parse(JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')))

type Sent = Pick<Recorded, 'method' | 'target' | 'headers' | 'body'>

async function send(fixture: InboundFixture, { method, target, headers, body }: Sent) {
  const length = Buffer.byteLength(body)
  const lines = [
    ...[`${method} ${target} HTTP/1.1`, 'Host: connect.example'],
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(length > 0 || method === 'POST' ? [`Content-Length: ${length}`] : []),
  ]
  const client = await fixture.open()
  await client.write(`${lines.join('\r\n')}\r\n\r\n${body}`)
  return await client.read({ toHead: method === 'HEAD' })
}

/** @param asked gets the addresses that are fetched. */
async function open({ sender, secret, time, fetched = {} }: Recorded, asked: string[] = []) {
  const connection = { inboundToken: 'preset', sender, ...(secret !== undefined && { senderSecret: secret }) }
  const keyFetcher = {
    fetch: async (url: string) => {
      asked.push(url)
      return { bytes: Buffer.from(fetched[url] ?? ''), maxAgeMs: hourMs }
    },
    close: () => {},
  }
  const fixture = await startInbound({ connection, keyFetcher })
  fixture.clock.now = Date.parse(time)
  return fixture
}

function expectAnswer(answer: RawAnswer, expected: z.infer<typeof Answer>): void {
  expect(answer.status, answer.body).toBe(expected.status)
  expect(answer.body).toBe(expected.body)
  expect(answer.headers.get('content-type') ?? null).toBe(expected.type)
  if (expected.header !== undefined) expect(answer.headers.get(expected.header[0])).toBe(expected.header[1])
  if (expected.type?.startsWith('text/plain') === true)
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
}

async function eventsOf(fixture: InboundFixture) {
  const events = await fixture.stored(fixture.connection.connectionId)
  return events.toReversed().map(event => {
    const { event: eventName, data } = JSON.parse(eventTextOf(event))
    return { eventName, data }
  })
}

function withoutProof({ proof, ...request }: Recorded): Sent {
  const { headers, target, body } = request
  if (typeof proof === 'string') return { ...request, headers: headers.filter(([name]) => name !== proof) }
  if ('query' in proof) return { ...request, target: target.replace(/\?.*/, '') }
  expect(body).toContain(proof.remove)
  return { ...request, body: body.replace(proof.remove, '') }
}

/** A way to send a recorded request that is refused. */
type Refused = {
  readonly why: string
  readonly code: string
  readonly recorded: Recorded
  readonly request?: Sent
  readonly laterMs?: number
}

const invalid = (why: string, recorded: Recorded, request?: Sent): Refused => ({
  ...{ why, code: 'invalid_signature', recorded },
  ...(request !== undefined && { request }),
})

/** Returns the sender of a recorded request with each of its settings changed. */
function othersSettings({ sender }: Recorded) {
  if (!('settings' in sender)) return []
  const { settings = {} } = sender
  return Object.keys(settings).map(name => ({
    name,
    sender: Sender.parse({ ...sender, settings: { ...settings, [name]: 'another' } }),
  }))
}

/** Returns what the scheme of a recorded request has to refuse: a scheme with a time has to refuse an old request. */
function refusedOf(recorded: Recorded): Refused[] {
  const [{ verify, signed, timestamp, windowMs }] = templatesOf(recorded.sender)
  const { secret: _, ...withoutSecret } = recorded
  const isJwt = verify === 'jwt'
  const usesSecret = ['hmac', 'token', 'basic'].includes(verify)
  return [
    { why: 'no proof', code: 'missing_signature', recorded, request: withoutProof(recorded) },
    ...(signed !== '' || isJwt ? [invalid('a changed byte', recorded, changed(recorded))] : []),
    ...(timestamp === null
      ? []
      : [{ why: 'an old time', code: 'stale_timestamp', recorded, laterMs: windowMs + 1000 }]),
    ...(isJwt
      ? [{ why: 'an old token', code: 'token_expired', recorded, laterMs: windowMs + hourMs + 1000 }]
      : []),
    ...othersSettings(recorded).map(({ name, sender }) =>
      invalid(`another ${name}`, { ...recorded, sender }),
    ),
    ...(usesSecret
      ? [
          invalid('another secret', { ...recorded, secret: 'ab'.repeat(16) }),
          invalid('no secret at the connection', withoutSecret),
        ]
      : [invalid('another public key', withWrongKey(recorded))]),
    ...recorded.refuses.map(({ why, headers }) => invalid(why, recorded, { ...recorded, headers })),
  ]
}

function changed({ change, changeHeader, ...request }: Recorded): Sent {
  const [from, to] = change ?? ['', '']
  const sent = {
    ...request,
    body: request.body.replaceAll(from, to),
    headers: request.headers.map(header => (header[0] === changeHeader?.[0] ? changeHeader : header)),
  }
  expect(sent).not.toEqual(request)
  return sent
}

function withWrongKey({ wrongKey, wrongFetched, ...recorded }: Recorded): Recorded {
  if (wrongFetched !== undefined) return { ...recorded, fetched: wrongFetched }
  expect(wrongKey).toBeDefined()
  return { ...recorded, sender: Sender.parse({ ...recorded.sender, publicKey: wrongKey }) }
}

const rows = names.map(name => ({ name, recorded: read(name) }))

test('each preset has a recorded request', () => {
  expect(new Set(rows.map(({ recorded }) => recorded.sender.scheme))).toEqual(
    new Set(['slack', ...presetNames]),
  )
})

test.each(rows)('a recorded request of $name comes in as the right event', async ({ recorded }) => {
  const fixture = await open(recorded)
  const answer = await send(fixture, recorded)
  expect(answer.status, answer.body).toBe(200)
  if (recorded.answer !== undefined) expectAnswer(answer, recorded.answer)
  expect(await eventsOf(fixture)).toEqual(recorded.events)
})

const refused = rows.flatMap(({ name, recorded }) => refusedOf(recorded).map(one => ({ name, ...one })))

test.each(refused)(
  'a request of $name is refused with $why',
  async ({ code, recorded, request, laterMs }) => {
    const fixture = await open(recorded)
    fixture.clock.now += laterMs ?? 0
    const answer = await send(fixture, request ?? recorded)
    expect(answer.status, answer.body).toBe(401)
    expect(fixture.outcomes).toMatchObject([refusedWith(code)])
  },
)

const isGuessed = ({ recorded: { sender } }: (typeof rows)[number]) =>
  ['token', 'basic', 'jwt', 'none'].includes(templatesOf(sender)[0].verify)

test.each(rows.filter(row => !isGuessed(row)))('a request of $name is recognized', ({ recorded }) => {
  const { headers, body, sender } = recorded
  const found = recognizeScheme(headers, 'custom-connection', 'x-service-signature', Buffer.from(body))
  expect(found).toMatchObject({ code: 'other_scheme', recognized: sender.scheme })
})

test.each(rows.filter(isGuessed))('a request of $name is not guessed', ({ recorded: { headers, body } }) => {
  const found = recognizeScheme(headers, 'custom-connection', 'x-service-signature', Buffer.from(body))
  expect(found).toBeNull()
})

const asked = rows.flatMap(({ name, recorded }) =>
  recorded.questions.map(question => ({ name, recorded, question, body: question.body.slice(0, 40) })),
)

type Asked = (typeof asked)[number]

const requestOf = ({
  recorded,
  question: { target = recorded.target, method, headers, body },
}: Asked): Sent => ({
  ...{ method, target, headers, body },
})

const wrongOf = (row: Asked): Sent => ({
  ...requestOf(row),
  ...Object.fromEntries(
    Object.entries(row.question.refuses ?? {}).filter(([, value]) => value !== undefined),
  ),
})

async function startAsked({ recorded, question }: Asked, fetched?: string[]) {
  const fixture = await open(recorded, fetched)
  const { verifyToken, isHandshake } = question
  await fixture.change({ verifyToken, ...(isHandshake === true && { senderSecret: undefined }) })
  return fixture
}

const recordOf = (fixture: InboundFixture) =>
  fixture.store.snapshot().connections.get(fixture.connection.connectionId)

const titled = 'a question of $name ($question.method $body)'

test.each(asked)(`${titled} is answered as the provider wants it, and again`, async row => {
  const { recorded, question } = row
  const fetched: string[] = []
  const fixture = await startAsked(row, fetched)
  expectAnswer(await send(fixture, requestOf(row)), question.answer)
  expectAnswer(await send(fixture, requestOf(row)), question.answer)
  if (question.confirms !== undefined) expect(fetched).toContain(question.confirms)
  expect(await eventsOf(fixture)).toEqual([])
  const record = { kind: 'event.accepted', eventName: question.eventName }
  expect(fixture.outcomes).toMatchObject([record, record])
  expect(JSON.stringify(fixture.outcomes)).not.toContain(recorded.secret)
  if (question.opens !== undefined) expect(recordOf(fixture)?.activation?.openUrl).toBe(question.opens)
})

test.each(asked)(`${titled} is answered by no connection of another scheme`, async row => {
  const fixture = await startAsked(row)
  await fixture.change({ sender: Sender.parse({ scheme: 'github' }) })
  const status = row.question.method === 'POST' ? 401 : 405
  expect(await send(fixture, requestOf(row))).toMatchObject({ status })
})

test.each(asked)(`${titled} is known to verify`, row => {
  const { eventName, answer } = row.question
  const challenge = eventName === '(no event)' ? null : answer.body
  expect(verify(row, requestOf(row))).toMatchObject({ ok: true, code: null, challenge })
})

test.each(asked.filter(({ question }) => question.isHandshake))(
  `${titled} brings the secret, once`,
  async row => {
    const { recorded, question } = row
    const fixture = await startAsked(row)
    expect(await send(fixture, recorded)).toMatchObject({ status: 401 })
    expectAnswer(await send(fixture, requestOf(row)), question.answer)
    expect(recordOf(fixture)?.senderSecret).toBe(recorded.secret)
    expect(await send(fixture, recorded)).toMatchObject({ status: 200 })
    expect(await send(fixture, wrongOf(row))).toMatchObject({ status: 401 })
    expect(recordOf(fixture)?.senderSecret).toBe(recorded.secret)
  },
)

const wronglyAsked = asked.filter(({ question: { refuses, isHandshake } }) => refuses && !isHandshake)

test.each(wronglyAsked)(`${titled} is refused if it is wrong`, async row => {
  const fixture = await startAsked(row)
  const answer = await send(fixture, wrongOf(row))
  expect(answer.status).toBe(401)
  expect(JSON.parse(answer.body)).toMatchObject({ ok: false, error: 'invalid_signature' })
  expect(verify(row, wrongOf(row))).toMatchObject({ ok: false, code: 'invalid_signature', challenge: null })
})

/** Verifies a question without a listener, as the command line and the page do. */
function verify({ recorded, question }: Asked, { method, target, headers, body }: Sent) {
  const { sender, secret = '', fetched = {} } = recorded
  return verifySender({
    ...{ sender, method, url: `https://connect.example${target}`, verifyToken: question.verifyToken },
    secrets: [{ secret: question.isHandshake === true ? '' : secret, expiresAt: null }],
    ...{ rawHeaders: headers.flat(), body: Buffer.from(body), nowMs: Date.parse(recorded.time) },
    fetchedKeys: ({ url, as }) => ({
      ...{ keys: readKeys(Buffer.from(fetched[url] ?? ''), as), isFresh: true, mayFetch: false },
    }),
  })
}

describe('a text to send back', () => {
  const ask = async (challenge: string, scheme = 'dropbox') => {
    const fixture = await startInbound({
      connection: { inboundToken: 'preset', sender: Sender.parse({ scheme }) },
    })
    const target = `/api/connect/preset/events?challenge=${challenge}`
    return { fixture, answer: await send(fixture, { method: 'GET', target, headers: [], body: '' }) }
  }

  test.each([
    ['5 KiB', 'a'.repeat(5 * 1024)],
    ['a line feed', 'a%0D%0ASet-Cookie:%20b'],
    ['a byte outside ASCII', '%C3%A9'],
  ])('is refused with %s', async (_what, challenge) => {
    const { fixture, answer } = await ask(challenge)
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([401, { error: 'invalid_signature' }])
    expect(fixture.outcomes).toMatchObject([refusedWith('invalid_signature')])
  })

  test('is plain text, also with markup', async () => {
    const { answer } = await ask('%3Cscript%3E')
    expectAnswer(answer, { status: 200, type: 'text/plain; charset=utf-8', body: '<script>' })
  })

  test('is not answered twice from one query', async () => {
    expect((await ask('a&challenge=b')).answer.status).toBe(405)
  })

  test.each(['custom-connection', 'github'])('is not answered by %s', async scheme => {
    expect((await ask('a', scheme)).answer.status).toBe(405)
  })
})
