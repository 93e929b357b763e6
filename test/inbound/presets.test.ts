import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
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
  /** Whether it is refused later, with another code than `stale_timestamp` if that is given. */
  isTimed: z.union([z.literal(true), z.string()]).optional(),
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

const names = readdirSync(folder).map(file => file.replace('.json', ''))

function read(name: string): Recorded | null {
  const text = readFileSync(join(folder, `${name}.json`), 'utf8')
  const { sender } = z.object({ sender: z.object({ scheme: z.string() }) }).parse(JSON.parse(text))
  return presetNames.some(preset => preset === sender.scheme) ? Recorded.parse(JSON.parse(text)) : null
}

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

/** Returns the scheme's error that a request was refused with. */
const refusedWith = (code: string) => ({ kind: 'event.rejected', code })

const rows = names.flatMap(name => {
  const recorded = read(name)
  return recorded === null ? [] : [{ name, recorded }]
})

describe.each(rows)('a recorded request of $name', ({ recorded }) => {
  test('comes in as the right event', async () => {
    const fixture = await open(recorded)
    const answer = await send(fixture, recorded)
    expect(answer.status, answer.body).toBe(200)
    if (recorded.answer !== undefined) expectAnswer(answer, recorded.answer)
    expect(await eventsOf(fixture)).toEqual(recorded.events)
  })

  const { change, changeHeader, isTimed, wrongKey } = recorded
  test.runIf(change ?? changeHeader)('is refused with a changed byte', async () => {
    const fixture = await open(recorded)
    const [from, to] = change ?? ['', '']
    const changed = changeHeader ?? ['', '']
    expect(recorded.body).toContain(from)
    const answer = await send(fixture, {
      ...recorded,
      body: recorded.body.replaceAll(from, to),
      headers: recorded.headers.map(header => (header[0] === changed[0] ? changed : header)),
    })
    expect(answer.status).toBe(401)
    expect(fixture.outcomes).toMatchObject([refusedWith('invalid_signature')])
  })

  test.runIf(wrongKey)('is refused with another public key', async () => {
    const sender = { ...recorded.sender, publicKey: wrongKey }
    const fixture = await open({ ...recorded, sender: Sender.parse(sender) })
    expect(await send(fixture, recorded)).toMatchObject({ status: 401 })
    expect(fixture.outcomes).toMatchObject([refusedWith('invalid_signature')])
  })

  test.runIf(recorded.wrongFetched)('is refused with another fetched key', async () => {
    const fixture = await open({ ...recorded, fetched: recorded.wrongFetched })
    expect(await send(fixture, recorded)).toMatchObject({ status: 401 })
    expect(fixture.outcomes).toMatchObject([refusedWith('invalid_signature')])
  })

  test.each(recorded.refuses)('is refused with $why', async ({ headers }) => {
    const fixture = await open(recorded)
    expect(await send(fixture, { ...recorded, headers })).toMatchObject({ status: 401 })
    expect(fixture.outcomes).toMatchObject([refusedWith('invalid_signature')])
  })

  test.runIf(isTimed)('is refused when it is old', async () => {
    const fixture = await open(recorded)
    const [{ windowMs }] = templatesOf(recorded.sender)
    fixture.clock.now += windowMs + 1000 + (isTimed === true ? 0 : hourMs)
    expect(await send(fixture, recorded)).toMatchObject({ status: 401 })
    const code = typeof isTimed === 'string' ? isTimed : 'stale_timestamp'
    expect(fixture.outcomes).toMatchObject([refusedWith(code)])
  })

  test.runIf(recorded.secret !== undefined)('is refused with another secret', async () => {
    const fixture = await open({ ...recorded, secret: 'ab'.repeat(16) })
    expect(await send(fixture, recorded)).toMatchObject({ status: 401 })
    expect(fixture.outcomes).toMatchObject([refusedWith('invalid_signature')])
  })

  test.runIf(recorded.secret !== undefined)('is refused without a secret', async () => {
    const { secret: _, ...others } = recorded
    expect(await send(await open(others), recorded)).toMatchObject({ status: 401 })
  })

  test('is refused without its proof', async () => {
    const fixture = await open(recorded)
    expect(await send(fixture, withoutProof(recorded))).toMatchObject({ status: 401 })
    expect(fixture.outcomes).toMatchObject([refusedWith('missing_signature')])
  })
})

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

describe.each(asked)('a question of $name ($question.method $body)', ({ recorded, question }) => {
  const { isHandshake = false, verifyToken, answer: expected, refuses } = question
  const { target = recorded.target, method, headers, body } = question
  const request: Sent = { method, target, headers, body }
  const wrong: Sent = {
    ...request,
    ...Object.fromEntries(Object.entries(refuses ?? {}).filter(([, value]) => value !== undefined)),
  }
  const start = async (asked?: string[]) => {
    const fixture = await open(recorded, asked)
    await fixture.change({ verifyToken, ...(isHandshake && { senderSecret: undefined }) })
    return fixture
  }
  const recordOf = (fixture: InboundFixture) =>
    fixture.store.snapshot().connections.get(fixture.connection.connectionId)

  test('is answered as the provider wants it, and again', async () => {
    const fetched: string[] = []
    const fixture = await start(fetched)
    expectAnswer(await send(fixture, request), expected)
    expectAnswer(await send(fixture, request), expected)
    if (question.confirms !== undefined) expect(fetched).toContain(question.confirms)
    expect(await eventsOf(fixture)).toEqual([])
    expect(fixture.outcomes).toMatchObject([{ kind: 'event.accepted' }, { kind: 'event.accepted' }])
    expect(JSON.stringify(fixture.outcomes)).not.toContain(recorded.secret)
    if (question.opens !== undefined) expect(recordOf(fixture)?.activation?.openUrl).toBe(question.opens)
  })

  test.runIf(isHandshake)('brings the secret, once', async () => {
    const fixture = await start()
    expect(await send(fixture, recorded)).toMatchObject({ status: 401 })
    expectAnswer(await send(fixture, request), expected)
    expect(recordOf(fixture)?.senderSecret).toBe(recorded.secret)
    expect(await send(fixture, recorded)).toMatchObject({ status: 200 })
    expect(await send(fixture, wrong)).toMatchObject({ status: 401 })
    expect(recordOf(fixture)?.senderSecret).toBe(recorded.secret)
  })

  test.runIf(refuses && !isHandshake)('is refused if it is wrong', async () => {
    const fixture = await start()
    const answer = await send(fixture, wrong)
    expect(answer.status).toBe(401)
    expect(JSON.parse(answer.body)).toMatchObject({ ok: false, error: 'invalid_signature' })
  })

  test('is answered by no connection of another scheme', async () => {
    const fixture = await start()
    await fixture.change({ sender: Sender.parse({ scheme: 'github' }) })
    const status = request.method === 'POST' ? 401 : 405
    expect(await send(fixture, request)).toMatchObject({ status })
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
