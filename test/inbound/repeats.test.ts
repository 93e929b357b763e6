import { describe, expect, test } from 'vitest'
import { createReceiver } from '#main/inbound/receive.ts'
import { createRepeats, type Repeats } from '#main/inbound/repeats.ts'
import { createSequence, eventIdOf } from '#main/lib/sequence.ts'
import { countOf } from '../storage/event-log-events.ts'
import { startOfTests } from '../support/connection-records.ts'
import { eventually } from '../support/eventually.ts'
import { heldLog } from '../support/held-log.ts'
import { type InboundFixture, startInbound } from '../support/inbound-fixture.ts'
import { signatureFor, signedRequest } from '../support/sender.ts'

const minute = 60_000

test('an exact repeat raises a second trigger, and is marked everywhere', async () => {
  const fixture = await startInbound()
  await fixture.post()
  fixture.clock.now += minute
  const repeat = signedRequest(fixture.connection, startOfTests).bytes
  const client = await fixture.open()
  await client.write(repeat)
  expect((await client.read()).status).toBe(200)
  expect(fixture.triggers.map(({ repeat }) => repeat)).toEqual([false, true])
  expect((await fixture.stored(fixture.connection.connectionId)).map(({ repeat }) => repeat)).toEqual([
    true,
    false,
  ])
  const [first, second] = fixture.triggers
  expect(second?.eventId).not.toBe(first?.eventId)
})

test('the same event with a new signature is not a repeat', async () => {
  const fixture = await startInbound()
  await fixture.post()
  fixture.clock.now += 1
  await fixture.post()
  expect(fixture.triggers.map(({ repeat }) => repeat)).toEqual([false, false])
})

test('a request is known for as long as its timestamp can be fresh', async () => {
  const fixture = await startInbound()
  const timestamp = String(startOfTests + 5 * minute)
  expect((await fixture.post({ timestamp })).status).toBe(200)
  fixture.clock.now += 10 * minute
  expect((await fixture.post({ timestamp })).status).toBe(200)
  expect(fixture.triggers.map(({ repeat }) => repeat)).toEqual([false, true])
  fixture.clock.now += 1
  expect((await fixture.post({ timestamp })).status).toBe(401)
})

test('a refused request is not remembered', async () => {
  const fixture = await startInbound({ connection: { enabled: false } })
  expect((await fixture.post()).status).toBe(403)
  await fixture.change({ enabled: true })
  expect((await fixture.post()).status).toBe(200)
  expect(fixture.triggers.map(({ repeat }) => repeat)).toEqual([false])
})

describe('a connection that ignores repeats', () => {
  const options = { connection: { ignoreRepeats: true } }

  test.each([true, false])('answers 200 without a second trigger (persistEvents %s)', async persistEvents => {
    const fixture = await startInbound({ connection: { ignoreRepeats: true, persistEvents } })
    const answers = [await fixture.post(), await fixture.post(), await fixture.post()]
    expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(3).fill([200, '{"ok":true}']))
    expect(fixture.triggers).toHaveLength(1)
    expect(await countOf(fixture.log, fixture.connection.connectionId)).toBe(persistEvents ? 1 : 0)
    expect(fixture.outcomes.map(({ kind }) => kind)).toEqual([
      'event.accepted',
      'event.repeated',
      'event.repeated',
    ])
  })

  test('switched on, knows what came before', async () => {
    const fixture = await startInbound()
    await fixture.post()
    await fixture.change({ ignoreRepeats: true })
    await fixture.post()
    expect(fixture.triggers).toHaveLength(1)
  })

  test.each(['one socket', 'sockets of their own'])(
    'raises one trigger for repeats that come while the first is being stored, over %s',
    async over => {
      const slow = heldLog()
      const fixture = await startInbound({ ...options, wrapLog: slow.wrapLog })
      slow.hold()
      const { bytes } = signedRequest(fixture.connection, fixture.clock.now)
      const socketsNeeded = over === 'one socket' ? 1 : 5
      const clients = await Promise.all(Array.from({ length: socketsNeeded }, () => fixture.open()))
      const perClient = 5 / socketsNeeded
      for (const client of clients) await client.write(Buffer.concat(Array(perClient).fill(bytes)))
      await fixture.post({ signature: null })
      expect(slow.waiting).toBe(1)
      slow.release()
      for (const client of clients)
        for (let count = 0; count < perClient; count++) expect((await client.read()).status).toBe(200)
      expect(fixture.triggers).toHaveLength(1)
      expect(await countOf(fixture.log, fixture.connection.connectionId)).toBe(1)
    },
  )

  /** Returns an event of the first connection as the checks leave it; `post` sends the same one with this body. */
  function examinedOf({ inbound, connection, clock }: InboundFixture, bodyText: string) {
    const known = inbound.directory.byId(connection.connectionId)
    if (known === undefined) throw new Error('There is the first connection.')
    return {
      ok: true,
      connection: known,
      eventName: 'a',
      data: {},
      bodyText,
      signature: signatureFor(connection.secret, String(clock.now), bodyText),
      previousSecret: false,
      sentAt: null,
      otherScheme: null,
    } as const
  }

  test('raises one trigger for two that are accepted in one go', async () => {
    const fixture = await startInbound(options)
    const examined = examinedOf(fixture, '{"event":"a"}')
    const { receiver } = fixture.inbound
    await Promise.all([receiver.accept(examined, [], 0), receiver.accept(examined, [], 0)])
    expect(fixture.triggers).toHaveLength(1)
  })

  // Owners of senders choose their secrets, and may choose one for several connections.
  test('does not wait for another connection with the same signature', async () => {
    const slow = heldLog()
    const fixture = await startInbound({ ...options, wrapLog: slow.wrapLog })
    const { inbound, other } = fixture
    const examined = examinedOf(fixture, '{"event":"a"}')
    const known = inbound.directory.byId(other.connectionId)
    if (known === undefined) throw new Error('There is the other connection.')
    const connection = { ...known, record: { ...known.record, ignoreRepeats: true } }
    slow.hold()
    const both = [examined, { ...examined, connection }].map(one => inbound.receiver.accept(one, [], 0))
    await fixture.post({ signature: null })
    expect(slow.waiting).toBe(2)
    slow.release()
    await Promise.all(both)
  })

  test('refuses the repeats with the first one when that cannot be stored, and takes the next try', async () => {
    const slow = heldLog()
    const fixture = await startInbound({ ...options, wrapLog: slow.wrapLog })
    const body = '{"event":"a"}'
    slow.hold()
    const first = fixture.post({ body })
    await eventually(() => expect(slow.waiting).toBe(1))
    // Not sent: it must have arrived before the first one fails.
    const repeat = fixture.inbound.receiver.accept(examinedOf(fixture, body), [], 0)
    const refused = expect(repeat).rejects.toMatchObject({ code: 'unavailable' })
    slow.fail()
    await refused
    expect((await first).status).toBe(503)
    expect(fixture.triggers).toEqual([])
    expect((await fixture.post({ body })).status).toBe(200)
    expect((await fixture.post({ body })).status).toBe(200)
    expect(fixture.triggers.map(({ repeat }) => repeat)).toEqual([false])
  })
})

test('an event that was not durable is not remembered', async () => {
  const slow = heldLog()
  const fixture = await startInbound({ wrapLog: slow.wrapLog })
  slow.hold()
  const lost = fixture.post()
  await eventually(() => expect(slow.waiting).toBe(1))
  slow.fail()
  expect((await lost).status).toBe(503)
  expect((await fixture.post()).status).toBe(200)
  expect(fixture.triggers.map(({ repeat }) => repeat)).toEqual([false])
})

test('a repeat is known though another connection has sent any number of events since', async () => {
  const fixture = await startInbound({ connection: { ignoreRepeats: true, persistEvents: false } })
  expect((await fixture.post()).status).toBe(200)
  const { inbound, other, clock } = fixture
  const known = inbound.directory.byId(other.connectionId)
  if (known === undefined) throw new Error('There is the other connection.')
  const connection = { ...known, record: { ...known.record, persistEvents: false } }
  for (let index = 0; index < 60_000; index++) {
    const signature = `sha256=${index.toString(16).padStart(16, '0').padEnd(64, 'a')}`
    const event = { ok: true, connection, eventName: 'a', data: {}, bodyText: '{}', signature } as const
    inbound.receiver.accept({ ...event, previousSecret: false, sentAt: null, otherScheme: null }, [], 0)
  }
  fixture.triggers.length = 0
  expect(clock.now).toBe(startOfTests)
  expect((await fixture.post()).status).toBe(200)
  expect(fixture.triggers).toEqual([])
})

test('a repeat that only the log knows is looked up there once a minute, until it expires', async () => {
  const fixture = await startInbound({ ownLog: true })
  const { log, clock } = fixture
  let lookedUp = 0
  const outcomes: string[] = []
  const nextNumber = createSequence(() => clock.now)
  /** A receiver of a service that has just started. */
  const start = () =>
    createReceiver({
      log: {
        ...heldLog().wrapLog(log),
        append: (...event) => {
          lookedUp++
          return log.append(...event)
        },
      },
      isShared: false,
      confirmCurrent: null,
      decidesBy: () => 0,
      isPresent: () => true,
      workflows: {
        ...{ runsFor: () => [], start: () => Promise.reject(new Error('No run.')) },
        ...{ redeliver: async () => 0, stored: () => {} },
      },
      record: ({ kind }) => void outcomes.push(kind),
      repeats: createRepeats(),
      ...{ nextEventId: () => eventIdOf(nextNumber()), nextId: prefix => `${prefix}${nextNumber()}` },
      ...{ clock: () => clock.now, stopwatch: () => 0 },
    })
  const known = fixture.inbound.directory.byId(fixture.connection.connectionId)
  if (known === undefined) throw new Error('There is the first connection.')
  const otherScheme = {
    reading: '{"data":"body"}',
    signatureHeader: 'x-sig',
    windowMs: null,
    isOnce: true,
    noEvent: null,
    events: null,
    keepsBody: true,
    deliveryHeader: null,
  } as const
  const examined = {
    ...({ ok: true, connection: known, eventName: 'a', data: {}, bodyText: '{}', otherScheme } as const),
    ...{ signature: signatureFor('whsec_x', '', '{}'), previousSecret: false, sentAt: null },
  }
  await start().accept(examined, [], 0)
  expect([lookedUp, outcomes]).toEqual([1, ['event.accepted']])

  const { accept } = start()
  const posts = async (count: number) => {
    for (let post = 0; post < count; post++) await accept(examined, [], 0)
    return lookedUp
  }
  expect(await posts(5)).toBe(2)
  clock.now += minute
  expect(await posts(5)).toBe(2)
  clock.now += 1
  expect(await posts(5)).toBe(3)
  expect(outcomes.slice(1)).toEqual(Array(15).fill('event.repeated'))
  // 24 hours after the first one.
  clock.now = startOfTests + 24 * 60 * minute + 1
  expect(await posts(5)).toBe(4)
  expect(outcomes.slice(16)).toEqual(['event.accepted', ...Array(4).fill('event.repeated')])
})

describe('what is remembered', () => {
  const signature = (n: number) => signatureFor('whsec_x', String(n), '')
  const seen = (repeats: Repeats, connectionId: string, numbers: readonly number[], at = startOfTests) =>
    numbers.map(n => repeats.has(connectionId, signature(n), at))

  test('is gone 10 minutes later', () => {
    const repeats = createRepeats()
    repeats.remember('a', signature(1), startOfTests)
    expect(seen(repeats, 'a', [1], startOfTests + 10 * minute)).toEqual([true])
    expect(seen(repeats, 'a', [1], startOfTests + 10 * minute + 1)).toEqual([false])
  })

  test('is bounded for each connection: its own oldest go first', () => {
    const repeats = createRepeats({ first: 1, perConnection: 3, total: 100 })
    repeats.remember('b', signature(1), startOfTests)
    for (const n of [1, 2, 3, 4]) repeats.remember('a', signature(n), startOfTests)
    expect(seen(repeats, 'a', [1, 2, 3, 4])).toEqual([false, true, true, true])
    expect(seen(repeats, 'b', [1, 2])).toEqual([true, false])
  })

  test('is bounded in all: a connection that finds no room left forgets its own, and takes that of a quiet one', () => {
    const repeats = createRepeats({ first: 2, perConnection: 8, total: 6 })
    for (const n of [1, 2, 3, 4]) repeats.remember('a', signature(n), startOfTests)
    for (const n of [1, 2, 3]) repeats.remember('b', signature(n), startOfTests)
    expect(seen(repeats, 'a', [1, 2, 3, 4])).toEqual([true, true, true, true])
    expect(seen(repeats, 'b', [1, 2, 3])).toEqual([false, true, true])
    const later = startOfTests + 11 * minute
    for (const n of [4, 5, 6, 7]) repeats.remember('b', signature(n), later)
    expect(seen(repeats, 'b', [4, 5, 6, 7], later)).toEqual([true, true, true, true])
  })

  test('goes with its connection', () => {
    const repeats = createRepeats()
    repeats.remember('a', signature(1), startOfTests)
    repeats.forget('a')
    expect(seen(repeats, 'a', [1])).toEqual([false])
  })

  test('is told apart by a signature alone', () => {
    const repeats = createRepeats()
    for (let n = 0; n < 3000; n++) repeats.remember('a', signature(n), startOfTests)
    for (let n = 0; n < 6000; n++) expect(repeats.has('a', signature(n), startOfTests)).toBe(n < 3000)
  })
})
