import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { eventTextOf } from '#shared/model/sender/reading.ts'
import { Sender, templatesOf } from '#shared/model/sender/sender.ts'
import { presetNames } from '#shared/model/sender/templates.ts'
import { type InboundFixture, startInbound } from '../support/inbound-fixture.ts'
import { exchange } from '../support/raw-http.ts'

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
  /** What is replaced in the body to break the proof; missing where it does not cover the body. */
  change: z.tuple([z.string(), z.string()]).optional(),
  /** Instead: the header that breaks the proof. */
  changeHeader: Header.optional(),
  /** Whether it is refused later, with another code than `stale_timestamp` if that is given. */
  isTimed: z.union([z.literal(true), z.string()]).optional(),
  /** Another public key. */
  wrongKey: z.string().optional(),
  /** The keys or certificates at the addresses that the service fetches them from. */
  fetched: z.record(z.string(), z.string()).optional(),
  answer: Answer.optional(),
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
  const [answer] = await exchange(fixture, [Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`)])
  if (answer === undefined) throw new Error('There was no answer.')
  return answer
}

async function open({ sender, secret, time }: Recorded): Promise<InboundFixture> {
  const connection = { inboundToken: 'preset', sender, ...(secret !== undefined && { senderSecret: secret }) }
  const fixture = await startInbound({ connection })
  fixture.clock.now = Date.parse(time)
  return fixture
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
  return recorded === null || recorded.fetched !== undefined ? [] : [{ name, recorded }]
})

describe.each(rows)('a recorded request of $name', ({ recorded }) => {
  test.skipIf(recorded.answer)('comes in as the right event', async () => {
    const fixture = await open(recorded)
    const answer = await send(fixture, recorded)
    expect(answer.status, answer.body).toBe(200)
    if (recorded.answer !== undefined) {
      expect(answer.body).toBe(recorded.answer.body)
      expect(answer.headers.get('content-type')).toBe(recorded.answer.type)
    }
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
