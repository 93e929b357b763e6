import { describe, expect, test } from 'vitest'
import { readKeys } from '#main/inbound/read-keys.ts'
import { verifySender } from '#main/inbound/verify-sender.ts'
import { recognizeScheme } from '#main/signing/recognize.ts'
import { eventTextOf } from '#shared/model/sender/reading.ts'
import { Sender, templatesOf } from '#shared/model/sender/sender.ts'
import { presetNames } from '#shared/model/sender/templates.ts'
import { type InboundFixture, startInbound } from '../support/inbound-fixture.ts'
import type { RawAnswer } from '../support/raw-http.ts'
import { type Answer, type Recorded, recordedPresets } from '../support/recorded-presets.ts'

const hourMs = 3_600_000

/** Returns the scheme's error that a request was refused with. */
const refusedWith = (code: string) => ({ kind: 'event.rejected', code })

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

function expectAnswer(answer: RawAnswer, expected: Answer): void {
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

/** Verifies a request without a listener, as the command line and the page do. */
function verify(recorded: Recorded, sent: Sent, changes: Partial<Parameters<typeof verifySender>[0]> = {}) {
  const { sender, secret = '', time, fetched = {} } = recorded
  const { method, target, headers, body } = sent
  return verifySender({
    ...{ sender, secrets: [{ secret, expiresAt: null }], method, url: `https://in.example${target}` },
    ...{ rawHeaders: headers.flat(), body: Buffer.from(body), nowMs: Date.parse(time) },
    fetchedKeys: ({ url, as }) => ({
      ...{ keys: readKeys(Buffer.from(fetched[url] ?? ''), as), isFresh: true, mayFetch: false },
    }),
    ...changes,
  })
}

test('each preset has a recorded request', () => {
  expect(new Set(recordedPresets.map(({ recorded }) => recorded.sender.scheme))).toEqual(
    new Set(['slack', ...presetNames]),
  )
})

test.each(recordedPresets)(
  'a recorded request of $name comes in as the right event',
  async ({ recorded }) => {
    const fixture = await open(recorded)
    const answer = await send(fixture, recorded)
    expect(answer.status, answer.body).toBe(200)
    if (recorded.answer !== undefined) expectAnswer(answer, recorded.answer)
    expect(await eventsOf(fixture)).toEqual(recorded.events)
    const { code, steps } = verify(recorded, recorded)
    const [{ eventName } = { eventName: '' }] = recorded.events
    expect(code).toBeNull()
    expect(steps).toContainEqual(expect.objectContaining({ step: 'event_name', value: eventName }))
  },
)

const refused = recordedPresets.flatMap(({ name, recorded }) =>
  refusedOf(recorded).map(one => ({ name, ...one })),
)

test.each(refused)(
  'a request of $name is refused with $why',
  async ({ code, recorded, request, laterMs }) => {
    const fixture = await open(recorded)
    fixture.clock.now += laterMs ?? 0
    const answer = await send(fixture, request ?? recorded)
    expect(answer.status, answer.body).toBe(401)
    expect(fixture.outcomes).toMatchObject([refusedWith(code)])
    const nowMs = Date.parse(recorded.time) + (laterMs ?? 0)
    expect(verify(recorded, request ?? recorded, { nowMs })).toMatchObject({ ok: false, code })
  },
)

const isGuessed = ({ recorded: { sender } }: (typeof recordedPresets)[number]) =>
  ['token', 'basic', 'jwt', 'none'].includes(templatesOf(sender)[0].verify)

test.each(recordedPresets.filter(row => !isGuessed(row)))(
  'a request of $name is recognized',
  ({ recorded }) => {
    const { headers, body, sender } = recorded
    const found = recognizeScheme(headers, 'custom-connection', 'x-service-signature', Buffer.from(body))
    expect(found).toMatchObject({ code: 'other_scheme', recognized: sender.scheme })
  },
)

test.each(recordedPresets.filter(isGuessed))(
  'a request of $name is not guessed',
  ({ recorded: { headers, body } }) => {
    const found = recognizeScheme(headers, 'custom-connection', 'x-service-signature', Buffer.from(body))
    expect(found).toBeNull()
  },
)

const asked = recordedPresets.flatMap(({ name, recorded }) =>
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

const verifyAsked = ({ recorded, question: { verifyToken, isHandshake } }: Asked, sent: Sent) =>
  verify(recorded, sent, {
    verifyToken,
    ...(isHandshake === true && { secrets: [{ secret: '', expiresAt: null }] }),
  })

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
  expect(verifyAsked(row, requestOf(row))).toMatchObject({ ok: true, code: null, challenge })
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
  expect(verifyAsked(row, wrongOf(row))).toMatchObject({
    ok: false,
    code: 'invalid_signature',
    challenge: null,
  })
})

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
