import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { heldLog } from '../support/held-log.ts'
import { type InboundFixture, startInbound } from '../support/inbound-fixture.ts'
import { bytesInUse, inSingleBytes } from '../support/memory.ts'
import type { RawClient } from '../support/raw-http.ts'
import { pathOf, type RequestOptions, signedRequest } from '../support/sender.ts'
import { acceptedSockets } from '../support/sockets.ts'

const kibibyte = 1024
const limit = 250 * kibibyte
const chunkedEnd = '0\r\n\r\n'
const chunkedHead = { contentLength: false, headers: ['Transfer-Encoding: chunked'] } as const

const body = Buffer.from(
  JSON.stringify({ event: 'order.created', data: { fill: 'x'.repeat(limit - 64) } }).padEnd(limit),
)

/** Gives senders of tiny chunks their turns at once: these tests are about memory, not about time. */
const unthrottled = { wait: (goOn: () => void) => void setImmediate(goOn), stop() {} }

/** Opens connections that each send a head and these bytes, and waits until the service has read all of them. */
async function openAll(fixture: InboundFixture, count: number, options: RequestOptions, rest: Buffer) {
  const accepted = acceptedSockets()
  const { head } = signedRequest(fixture.connection, fixture.clock.now, { body, ...options })
  const clients: RawClient[] = []
  for (let index = 0; index < count; index++) clients.push(await fixture.open())
  await Promise.all(clients.map(client => client.write(Buffer.concat([head, rest]))))
  const all = clients.map(() => head.length + rest.length)
  await eventually(() => expect(accepted.map(({ bytesRead }) => bytesRead)).toEqual(all))
  return clients
}

test('a body in chunks of 1 byte takes at most twice the body limit, and is accepted', async () => {
  const fixture = await startInbound({ settings: { maxBodyBytes: limit }, throttle: unthrottled })
  const small = JSON.stringify({ event: 'order.created', data: { fill: 'x'.repeat(64 * kibibyte) } })
  const pieces = inSingleBytes(Buffer.from(small))
  const last = 6 * 8
  const before = bytesInUse()
  const clients = await openAll(fixture, 2, { ...chunkedHead, body: small }, pieces.subarray(0, -last))
  await expect.poll(() => bytesInUse() - before).toBeLessThan(2 * 2 * small.length + 1024 * kibibyte)
  for (const client of clients) {
    await client.write(Buffer.concat([pieces.subarray(-last), Buffer.from(chunkedEnd)]))
    expect((await client.read()).status).toBe(200)
  }
})

test.each<[string, RequestOptions, number]>([
  ['unknown token', { target: pathOf('unknown') }, 404],
  ['stale timestamp', { timestamp: '1' }, 401],
  ['other path', { target: '/nothing' }, 404],
])('of a refused body in chunks of 1 byte at most 8 KiB are kept (%s)', async (_name, options, status) => {
  const fixture = await startInbound({ settings: { maxBodyBytes: limit }, throttle: unthrottled })
  const pieces = inSingleBytes(body.subarray(0, 4096))
  const before = bytesInUse()
  const clients = await openAll(fixture, 32, { ...options, ...chunkedHead }, pieces)
  await expect.poll(() => bytesInUse() - before).toBeLessThan(32 * 24 * kibibyte)
  for (const client of clients) {
    expect((await client.read()).status).toBe(status)
    await client.write(chunkedEnd)
  }
})

test('of a refused body in one piece at most 8 KiB are kept', async () => {
  const fixture = await startInbound({ settings: { maxBodyBytes: limit } })
  const before = bytesInUse()
  const clients = await openAll(fixture, 32, { timestamp: '1' }, body.subarray(0, -1))
  await expect.poll(() => bytesInUse() - before).toBeLessThan(32 * 24 * kibibyte)
  for (const client of clients) {
    expect((await client.read()).status).toBe(401)
    await client.write(body.subarray(-1))
  }
  await expect.poll(() => fixture.outcomes.length).toBe(32)
  expect(fixture.outcomes.map(outcome => outcome.kind === 'event.rejected' && outcome.bytes)).toEqual(
    Array(32).fill(body.length),
  )
})

test('a declared length takes no memory before its bytes arrive', async () => {
  const fixture = await startInbound({ settings: { maxBodyBytes: 64 * limit } })
  const before = bytesInUse()
  await openAll(fixture, 8, { contentLength: 64 * limit }, Buffer.alloc(100, 'x'))
  await expect.poll(() => bytesInUse() - before).toBeLessThan(limit)
})

test('when the memory for bodies is used up, the one that has been arriving longest is answered 503', async () => {
  const settings = { maxBodyBytes: limit, maxBodyMemoryBytes: 1024 * kibibyte }
  const fixture = await startInbound({ settings, timeouts: { linger: 100 } })
  const [oldest, ...others] = await openAll(fixture, 5, {}, body.subarray(0, -1))
  if (oldest === undefined) throw new Error('There are five clients.')
  const refused = await oldest.read()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  expect(JSON.parse(refused.body)).toMatchObject({ ok: false, error: 'unavailable' })
  expect(await oldest.closed()).toBe('')
  for (const client of others) {
    await client.write(body.subarray(-1))
    expect((await client.read()).status).toBe(200)
  }
  expect(fixture.outcomes.filter(({ kind }) => kind === 'event.unavailable')).toHaveLength(1)
})

test('a crowd of dripped bodies that uses up the memory shuts out no event', async () => {
  const settings = { maxBodyBytes: limit, maxBodyMemoryBytes: 1024 * kibibyte }
  const fixture = await startInbound({ settings })
  await openAll(fixture, 12, {}, body.subarray(0, -1))
  expect((await fixture.post()).status).toBe(200)
  expect((await fixture.post({ body })).status).toBe(200)
})

test('events that wait to be stored count, and one too many is answered 503', async () => {
  const slow = heldLog()
  const settings = { maxBodyBytes: limit, maxBodyMemoryBytes: 1024 * kibibyte }
  const fixture = await startInbound({ settings, wrapLog: slow.wrapLog })
  slow.hold()
  const waiting = Array.from({ length: 4 }, () => fixture.post({ body }))
  await eventually(() => expect(slow.waiting).toBe(4))
  expect((await fixture.post({ body })).status).toBe(503)
  slow.release()
  for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(200)
  // All of it was given back.
  for (let count = 0; count < 5; count++) expect((await fixture.post({ body })).status).toBe(200)
})

test('a sender that goes away gives back what its body held', async () => {
  const settings = { maxBodyBytes: limit, maxBodyMemoryBytes: 1024 * kibibyte }
  const fixture = await startInbound({ settings })
  for (let round = 0; round < 3; round++) {
    const clients = await openAll(fixture, 3, {}, body.subarray(0, -1))
    for (const client of clients) client.destroy()
  }
  const clients = await openAll(fixture, 4, {}, body.subarray(0, -1))
  for (const client of clients) {
    await client.write(body.subarray(-1))
    expect((await client.read()).status).toBe(200)
  }
})
