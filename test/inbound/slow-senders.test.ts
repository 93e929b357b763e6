import { once } from 'node:events'
import { connect } from 'node:net'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { connectionsWithin, descriptorLimit } from '#main/lib/descriptor-limit.ts'
import { Sender } from '#shared/model/sender/sender.ts'
import { eventually } from '../support/eventually.ts'
import { heldLog } from '../support/held-log.ts'
import { type InboundFixture, startInbound } from '../support/inbound-fixture.ts'
import { pathOf, signedRequest } from '../support/sender.ts'
import { acceptedSockets } from '../support/sockets.ts'

const cap = 16
const settings = { maxConnections: cap }

const request = ({ connection, clock }: InboundFixture) => signedRequest(connection, clock.now)

/** Opens connections that send a little and then nothing; each is older than the next. */
async function crowd(fixture: InboundFixture, size: number, start: string | Uint8Array = '') {
  const clients = []
  for (let count = 0; count < size; count++) {
    fixture.clock.now += 1
    const client = await fixture.open()
    await client.write(start)
    clients.push(client)
  }
  return clients
}

test.each([
  ['idle', ''],
  ['dripping heads', 'POST /api'],
])('a crowd of %s connections shuts nobody out', async (_name, start) => {
  const fixture = await startInbound({ settings })
  const clients = await crowd(fixture, 3 * cap, start)
  expect((await fixture.post()).status).toBe(200)
  // Those that waited longest made room: for the rest of the crowd, and for the honest one.
  const isOpen = () => clients.map(({ isClosed }) => !isClosed)
  await eventually(() => expect(isOpen().indexOf(true)).toBe(2 * cap + 1))
  expect(isOpen().filter(Boolean)).toHaveLength(cap - 1)
})

test('a crowd that connects while the listener is busy leaves room to connect', async () => {
  const fixture = await startInbound()
  const connected = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(connectMany, {
    eval: true,
    workerData: { port: fixture.port, host: fixture.host, connected, count: 700 },
  })
  onTestFinished(async () => void (await worker.terminate()))
  // This thread accepts nothing meanwhile, so that the system holds all of them.
  for (let count = 0; count < 700; count = Atomics.load(connected, 0))
    if (Atomics.wait(connected, 0, count, 20_000) === 'timed-out') break
  expect(connected[0]).toBe(700)
})

const connectMany = `
  const { workerData: { port, host, connected, count } } = require('node:worker_threads')
  for (let opened = 0; opened < count; opened++)
    require('node:net').connect(port, host).on('error', () => {}).on('connect', () => {
      Atomics.add(connected, 0, 1)
      Atomics.notify(connected, 0)
    })`

test('honest senders that come in one burst, more than may stay open, are all served', async () => {
  const fixture = await startInbound({ settings })
  const accepted = acceptedSockets()
  const count = cap + cap / 2
  const sent = new Int32Array(new SharedArrayBuffer(4))
  const requests = Array.from({ length: count }, () => request(fixture).bytes)
  const worker = new Worker(sendAtOnce, {
    eval: true,
    workerData: { port: fixture.port, host: fixture.host, sent, requests },
  })
  onTestFinished(async () => void (await worker.terminate()))
  const answers = once(worker, 'message')
  // This thread accepts nothing meanwhile, so that all of them come in one turn.
  for (let waiting = 0; waiting < count; waiting = Atomics.load(sent, 0))
    if (Atomics.wait(sent, 0, waiting, 20_000) === 'timed-out') break
  expect(await answers).toEqual([Array.from({ length: count }, () => 'HTTP/1.1 200')])
  const isOpen = () => accepted.filter(({ destroyed }) => !destroyed)
  await eventually(() => expect(isOpen()).toHaveLength(cap))
})

const sendAtOnce = `
  const { workerData: { port, host, sent, requests }, parentPort } = require('node:worker_threads')
  const answer = bytes => new Promise(resolve => {
    const socket = require('node:net').connect(port, host)
    socket.on('error', error => resolve(error.message)).on('close', () => resolve('closed'))
    socket.on('data', answer => resolve(answer.toString().slice(0, 12)))
    socket.on('connect', () => socket.write(bytes, () => {
      Atomics.add(sent, 0, 1)
      Atomics.notify(sent, 0)
    }))
  })
  Promise.all(requests.map(answer)).then(answers => parentPort.postMessage(answers))`

test('a crowd that waits with its bodies shuts nobody out', async () => {
  const fixture = await startInbound({ settings })
  await crowd(fixture, 3 * cap, request(fixture).head)
  expect((await fixture.post()).status).toBe(200)
})

test.each([true, false])(
  'a sender that is busy keeps its connection (persistEvents %s)',
  async persistEvents => {
    const fixture = await startInbound({ settings, connection: { persistEvents } })
    const client = await fixture.open()
    for (let round = 0; round < 5; round++) {
      await crowd(fixture, cap - 1)
      fixture.clock.now += 1
      await client.write(request(fixture).bytes)
      expect((await client.read()).status).toBe(200)
    }
  },
)

test('a sender that is idle after an event outlives a crowd that comes later', async () => {
  const fixture = await startInbound({ settings })
  const client = await fixture.open()
  await client.write(request(fixture).bytes)
  expect((await client.read()).status).toBe(200)
  await crowd(fixture, 3 * cap)
  await client.write(request(fixture).bytes)
  expect((await client.read()).status).toBe(200)
})

test('refused requests do not keep a connection', async () => {
  const fixture = await startInbound({ settings })
  const client = await fixture.open()
  fixture.clock.now += 1
  await crowd(fixture, cap - 1)
  await client.write(signedRequest(fixture.connection, fixture.clock.now, { signedBody: 'x' }).bytes)
  expect((await client.read()).status).toBe(401)
  await fixture.post()
  expect(await client.closed()).toBe('')
})

test('a connection whose event is being stored is not closed for another', async () => {
  const slow = heldLog()
  const fixture = await startInbound({ settings, wrapLog: slow.wrapLog })
  slow.hold()
  const client = await fixture.open()
  await client.write(request(fixture).bytes)
  await eventually(() => expect(slow.waiting).toBe(1))
  await crowd(fixture, 3 * cap)
  slow.release()
  expect((await client.read()).status).toBe(200)
})

test('when all of them are being stored, a new one is closed', async () => {
  const slow = heldLog()
  const fixture = await startInbound({ settings, wrapLog: slow.wrapLog })
  slow.hold()
  const clients = await crowd(fixture, cap, request(fixture).bytes)
  await eventually(() => expect(slow.waiting).toBe(cap))
  const late = await fixture.open()
  expect(await late.closed()).toBe('')
  slow.release()
  for (const client of clients) expect((await client.read()).status).toBe(200)
  expect((await fixture.post()).status).toBe(200)
})

test('honest senders are served while slow ones time out', async () => {
  const timeouts = { headers: 200, request: 200, checkInterval: 20 }
  const fixture = await startInbound({ timeouts })
  const slow = await crowd(fixture, 30, request(fixture).head)
  for (let count = 0; count < 20; count++) {
    fixture.clock.now += 1
    expect((await fixture.post()).status).toBe(200)
  }
  for (const client of slow) expect((await client.read()).status).toBe(408)
  expect(fixture.triggers).toHaveLength(20)
})

test('a connection that is idle after an answer is closed', async () => {
  const fixture = await startInbound({ timeouts: { keepAlive: 20 } })
  const client = await fixture.open()
  await client.write(request(fixture).bytes)
  expect((await client.read()).status).toBe(200)
  expect(await client.closed()).toBe('')
})

test('closes the connection of a refused sender that neither ends its body nor leaves', async () => {
  const fixture = await startInbound({ timeouts: { linger: 100 } })
  const large = signedRequest(fixture.connection, fixture.clock.now, { contentLength: 2 ** 30 })
  const client = await fixture.open()
  await client.write(large.bytes)
  expect((await client.read()).status).toBe(413)
  expect(await client.closed()).toBe('')
})

test('a sender that leaves its answers unread is closed', async () => {
  const fixture = await startInbound({ timeouts: { unread: 200 }, connection: { persistEvents: false } })
  const accepted = acceptedSockets()
  const socket = connect(fixture.port, fixture.host)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  // Some 8 MB of answers, which no socket's own buffers hold. Events, since refused requests would be throttled.
  const { bytes } = request(fixture)
  for (let count = 0; count < 60; count++) socket.write(Buffer.concat(Array(1000).fill(bytes)))
  await eventually(() => expect(accepted[0]?.destroyed).toBe(true))
  expect((await fixture.post()).status).toBe(200)
})

test('a sender that ends its side within the body of a request with Upgrade is refused at once', async () => {
  const fixture = await startInbound()
  const { bytes } = signedRequest(fixture.connection, fixture.clock.now, {
    headers: ['Connection: Upgrade', 'Upgrade: h2c'],
  })
  const client = await fixture.open()
  await client.write(bytes.subarray(0, -1))
  client.end()
  expect((await client.read()).status).toBe(400)
  expect(await client.closed()).toBe('')
})

test('descriptors are left for the stores, the dashboard and calls, whatever the setting says', () => {
  expect(connectionsWithin(null, 65_536)).toBe(65_536)
  expect(connectionsWithin(1024, 1024)).toBe(512)
  expect(connectionsWithin(524_288, 1024)).toBe(1024)
  expect(connectionsWithin(256, 1024)).toBe(128)
  expect(descriptorLimit()).toSatisfy(limit => limit === null || limit > 0)
})

/** A channel whose throttled senders have their turns when the test calls them. */
async function startThrottled() {
  const turns: (() => void)[] = []
  const throttle = { wait: (goOn: () => void) => void turns.push(goOn), stop() {} }
  const fixture = await startInbound({ throttle })
  return { fixture, turns, accepted: acceptedSockets() }
}

test('senders of many tiny chunks take turns, and other senders need none', async () => {
  const { fixture, turns, accepted } = await startThrottled()
  const socket = connect(fixture.port, fixture.host)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  socket.resume()
  socket.write(`POST /refused HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(240_000)}`)
  await eventually(() => expect(turns).toHaveLength(1))
  for (let count = 0; count < 3; count++) expect((await fixture.post()).status).toBe(200)
  const read = accepted[0]?.bytesRead ?? 0
  expect(read).toBeLessThanOrEqual(2 * 64 * 1024)
  turns.shift()?.()
  await eventually(() => expect(turns).toHaveLength(1))
  expect(accepted[0]?.bytesRead).toBeGreaterThan(read)
})

test.each([
  ['unsigned', { signature: null }],
  ['forged', { signature: `sha256=${'0'.repeat(64)}` }],
])('of many %s requests in one read few are answered, the last in its turn', async (_name, changes) => {
  const { fixture, turns, accepted } = await startThrottled()
  const client = await fixture.open()
  const { bytes } = signedRequest(fixture.connection, fixture.clock.now, changes)
  client.socket.write(Buffer.concat(Array(20_000).fill(bytes)))
  await eventually(() => expect(turns).toHaveLength(1))
  expect(fixture.outcomes.length).toBeLessThanOrEqual(33)
  expect((await fixture.post()).status).toBe(200)
  for (let count = 0; count < 32; count++) expect((await client.read()).status).toBe(401)
  expect(accepted[0]?.bytesRead).toBeLessThanOrEqual(2 * 64 * 1024)
  turns.shift()?.()
  const last = await client.read()
  expect([last.status, last.headers.get('connection')]).toEqual([401, 'close'])
  await eventually(() => expect(accepted[0]?.destroyed).toBe(true))
  expect(fixture.outcomes.filter(({ kind }) => kind === 'event.rejected')).toHaveLength(33)
})

test('of many questions without a proof in one read few are answered', async () => {
  const { fixture, turns } = await startThrottled()
  await fixture.change({ sender: Sender.parse({ scheme: 'dropbox' }) })
  const client = await fixture.open()
  const path = pathOf(fixture.connection.token)
  const question = `GET ${path}?challenge=abc HTTP/1.1\r\nHost: in.example\r\n\r\n`
  await client.write(question)
  expect((await client.read()).status).toBe(200)
  client.socket.write(question.repeat(10_000))
  await eventually(() => expect(turns).toHaveLength(1))
  expect(fixture.outcomes.length).toBeLessThanOrEqual(162)
  expect((await fixture.post({}, fixture.other)).status).toBe(200)
  turns.shift()?.()
  await client.closed()
  expect(fixture.outcomes.length).toBeLessThanOrEqual(163)
})

test('a sender of large bodies with forged signatures is read again in its turn', async () => {
  const { fixture, turns } = await startThrottled()
  const client = await fixture.open()
  const { bytes } = signedRequest(fixture.connection, fixture.clock.now, {
    signature: `sha256=${'0'.repeat(64)}`,
    body: `{"event":"${'x'.repeat(200_000)}"}`,
  })
  for (let round = 1; round <= 3; round++) {
    client.socket.write(bytes)
    expect((await client.read()).status).toBe(401)
    await eventually(() => expect(turns).toHaveLength(1))
    client.socket.write(bytes)
    for (let count = 0; count < 3; count++) expect((await fixture.post()).status).toBe(200)
    expect(fixture.outcomes.filter(({ kind }) => kind === 'event.rejected')).toHaveLength(2 * round - 1)
    turns.shift()?.()
    expect((await client.read()).status).toBe(401)
    await eventually(() => expect(turns).toHaveLength(1))
    turns.shift()?.()
  }
})

test('refused requests among events end no connection', async () => {
  const { fixture, turns } = await startThrottled()
  const client = await fixture.open()
  const event = request(fixture).bytes
  const { bytes } = signedRequest(fixture.connection, fixture.clock.now, { signature: null })
  await client.write(
    Buffer.concat(
      Array(4)
        .fill([...Array(20).fill(bytes), event])
        .flat(),
    ),
  )
  const statuses: number[] = []
  while (statuses.length < 84) statuses.push((await client.read()).status)
  expect(statuses.filter(status => status === 200)).toHaveLength(4)
  expect(turns).toHaveLength(0)
})

test('what follows the last request of a connection is not even parsed', async () => {
  const { fixture, accepted } = await startThrottled()
  const client = await fixture.open()
  client.socket.write(`POST / HTTP/1.1\r\nExpect: x\r\n\r\n${'GET / HTTP/1.1\r\n\r\n'.repeat(200_000)}`)
  expect((await client.read()).status).toBe(417)
  await eventually(() => expect(accepted[0]?.destroyed).toBe(true))
  expect(accepted[0]?.bytesRead).toBeLessThanOrEqual(2 * 64 * 1024)
})
