import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { heldLog } from '../support/held-log.ts'
import { startInbound } from '../support/inbound-fixture.ts'
import { signedRequest } from '../support/sender.ts'

/** Whether nobody listens there any more. */
async function isRefused(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port })
  try {
    await once(socket, 'connect')
    return false
  } catch {
    return true
  } finally {
    socket.destroy()
  }
}

test('what is being stored is answered first, and then the connection ends', async () => {
  const slow = heldLog()
  const fixture = await startInbound({ wrapLog: slow.wrapLog })
  slow.hold()
  const client = await fixture.open()
  await client.write(signedRequest(fixture.connection, fixture.clock.now).bytes)
  await eventually(() => expect(slow.waiting).toBe(1))
  const stopped = fixture.stop()
  expect(await isRefused(fixture.port)).toBe(true)
  slow.release()
  const answer = await client.read()
  expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close'])
  expect(await client.closed()).toBe('')
  await stopped
  expect(fixture.triggers).toHaveLength(1)
})

test('stopping answers all requests that came in one piece', async () => {
  const slow = heldLog()
  const fixture = await startInbound({ wrapLog: slow.wrapLog })
  slow.hold()
  const client = await fixture.open()
  const events = ['a', 'b', 'c'].map(event =>
    signedRequest(fixture.connection, fixture.clock.now, { body: `{"event":"${event}"}` }),
  )
  await client.write(Buffer.concat(events.map(({ bytes }) => bytes)))
  await eventually(() => expect(slow.waiting).toBe(3))
  const stopped = fixture.stop()
  slow.release()
  const answers = [await client.read(), await client.read(), await client.read()]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(answers.map(({ headers }) => headers.get('connection'))).toEqual([
    'keep-alive',
    'keep-alive',
    'close',
  ])
  await stopped
  expect(fixture.triggers.map(({ eventName }) => eventName)).toEqual(['a', 'b', 'c'])
})

test('a body that is under way may arrive', async () => {
  const fixture = await startInbound()
  const { head, body } = signedRequest(fixture.connection, fixture.clock.now)
  const client = await fixture.open()
  await client.write(head, body.subarray(0, 10))
  const stopped = fixture.stop()
  await client.write(body.subarray(10))
  const answer = await client.read()
  expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close'])
  await stopped
})

test('while it drains, it serves new connections too, and ends each with its answer', async () => {
  const fixture = await startInbound()
  const { connection, clock, inbound } = fixture
  const event = () => signedRequest(connection, clock.now).bytes
  const refused = signedRequest(connection, clock.now, { signature: 'sha256=00' }).bytes
  const before = await fixture.open()
  await before.write(event())
  expect((await before.read()).headers.get('connection')).toBe('keep-alive')
  inbound.listener.drain()
  for (const [client, bytes, status] of [
    [before, event(), 200],
    [await fixture.open(), event(), 200],
    [await fixture.open(), refused, 401],
  ] as const) {
    await client.write(bytes)
    const answer = await client.read()
    expect([answer.status, answer.headers.get('connection')]).toEqual([status, 'close'])
    expect(await client.closed()).toBe('')
  }
})

test('a request that has arrived on an idle or a new connection is answered', async () => {
  // node:http closes its own idle connections at once.
  const fixture = await startInbound({ fastPath: true })
  const event = () => signedRequest(fixture.connection, fixture.clock.now).bytes
  const idle = await fixture.open()
  await idle.write(event())
  await idle.read()
  const fresh = await fixture.open()
  // It is in the system's memory when this returns, and has not been read.
  for (const client of [idle, fresh]) void client.write(event())
  const stopped = fixture.stop()
  for (const client of [idle, fresh]) {
    const answer = await client.read()
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close'])
  }
  await stopped
})

test('idle connections are closed at once', async () => {
  const fixture = await startInbound({ timeouts: { stopGrace: 60_000 } })
  const idle = [await fixture.open(), await fixture.open(), await fixture.open()]
  for (const client of idle) {
    await client.write(signedRequest(fixture.connection, fixture.clock.now).bytes)
    await client.read()
  }
  await fixture.stop()
  for (const client of idle) expect(await client.closed()).toBe('')
})

test('connections on which nothing has come yet are closed at once', async () => {
  const fixture = await startInbound({ timeouts: { stopGrace: 60_000 } })
  const unused = [await fixture.open(), await fixture.open()]
  // Those that were opened before it are known to the listener by now.
  const client = await fixture.open()
  await client.write(signedRequest(fixture.connection, fixture.clock.now).bytes)
  await client.read()
  await fixture.stop()
  for (const idle of unused) expect(await idle.closed()).toBe('')
})

test.each([
  ['half a head', 'POST /api'],
  ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\n\r\n'],
  ['nonsense', 'nonsense\r\n\r\n'],
])('a sender that sends %s and then nothing does not hold it up for long', async (_name, bytes) => {
  const fixture = await startInbound({ timeouts: { stopGrace: 50 } })
  const client = await fixture.open()
  await client.write(bytes)
  await fixture.stop()
  await client.closed()
})

test('it ends twice as well as once, and before it was used', async () => {
  const fixture = await startInbound()
  await Promise.all([fixture.stop(), fixture.stop()])
  expect(await isRefused(fixture.port)).toBe(true)
})
