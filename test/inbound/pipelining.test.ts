import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { heldLog } from '../support/held-log.ts'
import { type InboundFixtureOptions, startInbound } from '../support/inbound-fixture.ts'
import { chunked, type RequestOptions, signedRequest } from '../support/sender.ts'

/** A channel whose event log is slow, and a sender. */
async function startSlow(options: InboundFixtureOptions = {}) {
  const slow = heldLog()
  const fixture = await startInbound({ wrapLog: slow.wrapLog, ...options })
  slow.hold()
  const client = await fixture.open()
  const request = (changes?: RequestOptions) => signedRequest(fixture.connection, fixture.clock.now, changes)
  const waiting = (count: number) => eventually(() => expect(slow.waiting).toBe(count))
  return { fixture, slow, client, request, waiting }
}

const wrong = { signature: `sha256=${'0'.repeat(64)}` }
const codeOf = (body: string): unknown => JSON.parse(body).error

test('refusals wait for the answer to an event before them that is still being stored', async () => {
  const { slow, client, request, waiting } = await startSlow()
  await client.write(
    Buffer.concat([
      request().bytes,
      request(wrong).bytes,
      request({ timestamp: '1' }).bytes,
      request({ body: '{}' }).bytes,
      request({ method: 'GET' }).bytes,
      request({ body: '{"event":"last"}' }).bytes,
    ]),
  )
  await waiting(2)
  slow.release()
  const statuses: number[] = []
  while (statuses.length < 6) statuses.push((await client.read()).status)
  expect(statuses).toEqual([200, 401, 401, 400, 405, 200])
})

test.each([
  ['a malformed request', 'nonsense\r\n\r\n', 400, 'malformed_request'],
  [
    'one with headers too large',
    `POST / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
    431,
    'headers_too_large',
  ],
  ['one with an expectation', 'POST / HTTP/1.1\r\nExpect: x\r\n\r\n', 417, 'expectation_failed'],
  ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\n\r\n', 405, 'method_not_allowed'],
])(
  '%s is refused behind what is still being answered, and nothing is left out',
  async (_name, bytes, status, code) => {
    const { slow, client, request, waiting } = await startSlow()
    await client.write(Buffer.concat([request().bytes, request(wrong).bytes, Buffer.from(bytes)]))
    await waiting(1)
    slow.release()
    expect((await client.read()).status).toBe(200)
    expect((await client.read()).status).toBe(401)
    const refusal = await client.read()
    expect([refusal.status, codeOf(refusal.body)]).toEqual([status, code])
    client.end()
    expect(await client.closed()).toBe('')
  },
)

test('a body that goes wrong behind one is refused in its place', async () => {
  const { slow, client, request, waiting } = await startSlow()
  const { head } = request({ contentLength: false, headers: ['Transfer-Encoding: chunked'] })
  await client.write(Buffer.concat([request().bytes, head, Buffer.from('5\r\n{"eve\r\nnonsense\r\n')]))
  await waiting(1)
  slow.release()
  expect((await client.read()).status).toBe(200)
  expect(codeOf((await client.read()).body)).toBe('malformed_request')
  client.end()
  expect(await client.closed()).toBe('')
})

test('a body that goes wrong after its request was refused gets no second answer', async () => {
  const { slow, client, request, waiting } = await startSlow()
  const { head } = request({
    ...wrong,
    timestamp: '1',
    contentLength: false,
    headers: ['Transfer-Encoding: chunked'],
  })
  await client.write(Buffer.concat([request().bytes, head]), 'nonsense\r\n')
  await waiting(1)
  slow.release()
  expect((await client.read()).status).toBe(200)
  expect(codeOf((await client.read()).body)).toBe('stale_timestamp')
  expect(await client.closed()).toBe('')
})

test('an event whose body came too late for its answer is none', async () => {
  const timeouts = { headers: 100, request: 100, checkInterval: 20 }
  const { fixture, slow, client, request, waiting } = await startSlow({ timeouts })
  const late = request({ body: '{"event":"late"}' })
  await client.write(Buffer.concat([request().bytes, late.head]))
  await waiting(1)
  // Another one that is as slow, and began later: when it has its 408, the first one has been given up too.
  const other = await fixture.open()
  await other.write(late.head)
  expect(codeOf((await other.read()).body)).toBe('request_timeout')
  await client.write(late.body)
  slow.release()
  expect((await client.read()).status).toBe(200)
  expect(codeOf((await client.read()).body)).toBe('request_timeout')
  expect(await client.closed()).toBe('')
  expect(fixture.triggers.map(({ eventName }) => eventName)).toEqual(['order.created'])
})

test.each([
  ['ends the connection', (close: RequestOptions) => close, 200],
  ['was refused with the end of the connection', () => ({ headers: ['Expect: x'] }), 417],
])('what follows a request that %s is not looked at', async (_name, options, status) => {
  const { fixture, slow, client, request } = await startSlow()
  slow.release()
  const first = request(options({ headers: ['Connection: close'] })).bytes
  await client.write(Buffer.concat([first, request({ body: '{"event":"second"}' }).bytes]))
  expect((await client.read()).status).toBe(status)
  client.end()
  expect(await client.closed()).toBe('')
  await fixture.post({}, fixture.other)
  expect(fixture.triggers.map(({ eventName }) => eventName)).not.toContain('second')
})

test('a sender that ends its side behind its request still gets the answer', async () => {
  const { slow, client, request, waiting } = await startSlow()
  await client.write(request().bytes)
  client.end()
  await waiting(1)
  slow.release()
  expect((await client.read()).status).toBe(200)
  expect(await client.closed()).toBe('')
})

test('a sender that ends in the middle of its next request gets both answers', async () => {
  const { fixture, slow, client, request, waiting } = await startSlow()
  await client.write(Buffer.concat([request().bytes, request().head]))
  await waiting(1)
  client.end()
  await fixture.post({ signature: null })
  slow.release()
  expect((await client.read()).status).toBe(200)
  expect(codeOf((await client.read()).body)).toBe('malformed_request')
  expect(await client.closed()).toBe('')
})

test('a sender that resets while its event is being stored loses nothing but the answer', async () => {
  const { fixture, slow, client, request, waiting } = await startSlow()
  await client.write(request().bytes)
  await waiting(1)
  client.reset()
  await fixture.post({ signature: null })
  slow.release()
  await eventually(() => expect(fixture.triggers).toHaveLength(1))
  expect((await fixture.post()).status).toBe(200)
})

test('a sender that resets behind CONNECT does no harm', async () => {
  const { fixture, slow } = await startSlow()
  slow.release()
  for (let count = 0; count < 20; count++) {
    const client = await fixture.open()
    await client.write('CONNECT example.com:443 HTTP/1.1\r\n\r\n', 'x'.repeat(100_000))
    client.reset()
  }
  expect((await fixture.post()).status).toBe(200)
})

test('chunks of a pipelined body are told apart from the request behind it', async () => {
  const { slow, client, request } = await startSlow()
  slow.release()
  const body = '{"event":"a"}'
  const { head } = request({ body, contentLength: false, headers: ['Transfer-Encoding: chunked'] })
  await client.write(Buffer.concat([head, chunked(body), request(wrong).bytes, head, chunked(body)]))
  expect([await client.read(), await client.read(), await client.read()].map(({ status }) => status)).toEqual(
    [200, 401, 200],
  )
})
