import { describe, expect, test } from 'vitest'
import { createAttempts } from '#main/inbound/attempts.ts'
import type { Attempt } from '#shared/model/attempt.ts'
import { type InboundFixture, startInbound } from '../support/inbound-fixture.ts'
import { pathOf, type RequestOptions, signatureFor, signedRequest } from '../support/sender.ts'

const unknown = { target: pathOf('unknown') }

/** The newest attempt of the first connection, once all that belongs to it is there. */
async function attemptAfter(fixture: InboundFixture, options: RequestOptions): Promise<Attempt> {
  const before = fixture.outcomes.length
  await fixture.post(options)
  await expect.poll(() => fixture.outcomes.length).toBe(before + 1)
  // Its diagnosis, if there is one, is made in the next turn of the loop.
  await new Promise(resolve => setImmediate(resolve))
  const [attempt] = fixture.inbound.attempts.list(fixture.connection.connectionId)
  if (attempt === undefined) throw new Error('It was not kept.')
  return attempt
}

describe('a refused request is kept', () => {
  test('with its time, reason, headers and body', async () => {
    const fixture = await startInbound()
    const attempt = await attemptAfter(fixture, { body: '{"event":7}', headers: ['X-More: \u00e9'] })
    expect(attempt).toEqual({
      attemptId: expect.stringMatching(/^att_[0-9a-z]{11}$/),
      at: new Date(fixture.clock.now).toISOString(),
      code: 'invalid_event',
      message: 'The field "event" must be a non-empty string of at most 255 characters.',
      diagnosis: null,
      bodyText: '{"event":7}',
      headers: [
        ['Host', 'connect.example'],
        ['Content-Type', 'application/json'],
        ['Content-Length', '11'],
        ['x-service-timestamp', String(fixture.clock.now)],
        [
          'x-service-signature',
          signatureFor(fixture.connection.secret, String(fixture.clock.now), '{"event":7}'),
        ],
        ['X-More', '\u00e9'],
      ],
    })
  })

  test.each<[string, RequestOptions]>([
    ['stale_timestamp', { timestamp: '1' }],
    ['missing_signature', { signature: null }],
    ['unsupported_encoding', { headers: ['Content-Encoding: gzip'] }],
    ['invalid_signature', { signedBody: 'x' }],
  ])('with the body, though %s was clear before that had come', async (code, options) => {
    const fixture = await startInbound()
    const { head, body } = signedRequest(fixture.connection, fixture.clock.now, {
      ...options,
      body: '{"event":"a","data":{"late":true}}',
    })
    const client = await fixture.open()
    await client.write(head, body.subarray(0, 10), body.subarray(10))
    await client.read()
    await expect.poll(() => fixture.outcomes.length).toBe(1)
    expect(fixture.inbound.attempts.list(fixture.connection.connectionId)).toMatchObject([
      { code, bodyText: '{"event":"a","data":{"late":true}}' },
    ])
  })

  test('with the scheme that it is signed in, if that is another one', async () => {
    const fixture = await startInbound()
    const headers = [`X-Hub-Signature-256: sha256=${'ab'.repeat(32)}`]
    expect(await attemptAfter(fixture, { signature: null, headers })).toMatchObject({
      code: 'missing_signature',
      diagnosis: { code: 'other_scheme', recognized: 'github' },
    })
  })

  test('also with another method than POST, which a redirect can cause', async () => {
    const fixture = await startInbound()
    expect(await attemptAfter(fixture, { method: 'GET' })).toMatchObject({ code: 'method_not_allowed' })
    expect(fixture.outcomes).toMatchObject([{ connectionId: fixture.connection.connectionId }])
  })

  test('with at most 8 KiB of the body', async () => {
    const fixture = await startInbound()
    const attempt = await attemptAfter(fixture, { body: 'x'.repeat(100_000) })
    expect(attempt.bodyText).toBe('x'.repeat(8192))
  })

  test('and a character that the cut divides does no harm', async () => {
    const fixture = await startInbound()
    const attempt = await attemptAfter(fixture, { body: `x${'\u20ac'.repeat(5000)}` })
    expect(Buffer.byteLength(attempt.bodyText)).toBeLessThanOrEqual(8192 + 3)
    expect(attempt.bodyText.startsWith(`x${'\u20ac'.repeat(2730)}`)).toBe(true)
  })

  test('with what the answer said, where that is more than the usual sentence', async () => {
    const fixture = await startInbound()
    const attempt = await attemptAfter(fixture, { body: '\ufeff{}' })
    expect(attempt).toMatchObject({ code: 'invalid_json', message: expect.stringContaining('BOM') })
  })

  test('200 at most of each connection, the newest first', async () => {
    const fixture = await startInbound()
    const { connection, other, inbound, clock } = fixture
    const client = await fixture.open()
    for (let count = 0; count < 205; count++) {
      clock.now += 1
      await client.write(signedRequest(connection, clock.now, { body: `{"event":${count}}` }).bytes)
      await client.read()
    }
    await fixture.post({ body: '{}' }, other)
    const attempts = inbound.attempts.list(connection.connectionId)
    expect(attempts.map(({ bodyText }) => bodyText)).toEqual(
      Array.from({ length: 200 }, (_, index) => `{"event":${204 - index}}`),
    )
    expect(inbound.attempts.list(other.connectionId)).toHaveLength(1)
  })

  test('those with an unknown token for the service as a whole, 200 at most', async () => {
    const fixture = await startInbound()
    const client = await fixture.open()
    for (let count = 0; count < 205; count++) {
      const options = { target: pathOf(`unknown-${count}`), body: `${count}` }
      await client.write(signedRequest(fixture.connection, fixture.clock.now, options).bytes)
      await client.read()
    }
    await expect.poll(() => fixture.outcomes.length).toBe(205)
    const attempts = fixture.inbound.attempts.list(null)
    expect(attempts).toHaveLength(200)
    expect(attempts[0]).toMatchObject({ code: 'unknown_token', bodyText: '204', diagnosis: null })
    expect(fixture.inbound.attempts.list(fixture.connection.connectionId)).toEqual([])
  })

  test('but not when its connection is deleted before its body has come', async () => {
    const fixture = await startInbound()
    const { head, body } = signedRequest(fixture.connection, fixture.clock.now, { signature: null })
    const client = await fixture.open()
    await client.write(head, body.subarray(0, 1))
    await client.read()
    await fixture.remove(fixture.connection.connectionId)
    await client.write(body.subarray(1))
    await expect.poll(() => fixture.outcomes).toMatchObject([{ kind: 'event.rejected' }])
    expect(fixture.inbound.attempts.list(fixture.connection.connectionId)).toEqual([])
  })

  test('but not what is refused before its URL is read', async () => {
    const fixture = await startInbound()
    for (const options of [{ target: '/' }, { headers: ['Expect: x'] }]) await fixture.post(options)
    expect(fixture.inbound.attempts.list(null)).toEqual([])
    expect(fixture.inbound.attempts.list(fixture.connection.connectionId)).toEqual([])
    expect(fixture.outcomes).toEqual([])
  })
})

test('past a bound over all connections the oldest attempts lose their headers and bodies', () => {
  let ids = 0
  const attempts = createAttempts(10_000)
  const keep = (connectionId: string) =>
    attempts.add(
      {
        kind: 'event.rejected',
        id: `att_${ids++}`,
        connectionId,
        at: 0,
        code: 'invalid_signature',
        detail: undefined,
        bytes: 20_000,
        tookMs: 1,
        isBodyStored: true,
      },
      'Host: example',
      Buffer.alloc(20_000, 'x'),
    )
  const bodiesOf = (connectionId: string) =>
    attempts.of(connectionId).map(({ request }) => request.body.length)
  for (let count = 0; count < 300; count++) keep(`conn_${count % 3}`)
  const bodies = ['conn_0', 'conn_1', 'conn_2'].map(bodiesOf)
  expect(bodies.map(({ length }) => length)).toEqual([100, 100, 100])
  expect(bodies.flat().reduce((sum, length) => sum + length)).toBe(8192)
  expect(bodies[2]?.at(-1)).toBe(8192)
  expect(attempts.list('conn_0')[0]).toMatchObject({ code: 'invalid_signature', bodyText: '', headers: [] })
  // Forgotten attempts free memory.
  attempts.forget('conn_2')
  for (let count = 0; count < 250; count++) keep('conn_3')
  expect(bodiesOf('conn_3').at(-1)).toBe(8192)
})

describe('the diagnosis', () => {
  test('is added by the id of the attempt, whose own record stays as it was', async () => {
    const fixture = await startInbound()
    const { attemptId } = await attemptAfter(fixture, { signedBody: '' })
    const [rejected] = fixture.outcomes
    expect(rejected).toMatchObject({ kind: 'event.rejected', id: attemptId, connectionId: 'conn_first' })
    expect(rejected).not.toHaveProperty('diagnosis')
    expect(fixture.diagnosed).toMatchObject([{ attemptId, diagnosis: { code: 'empty_body' } }])
    expect(fixture.diagnosed[0]?.id).not.toBe(attemptId)
  })

  test('names the mistake, and is not in the answer', async () => {
    const fixture = await startInbound()
    const { connection, clock } = fixture
    const body = '{"event":"a"}'
    const withoutPrefix = signatureFor(connection.secret.slice(6), String(clock.now), body)
    const attempt = await attemptAfter(fixture, { body, signature: withoutPrefix })
    expect(attempt.diagnosis?.code).toBe('key_without_prefix')
    expect((await fixture.post({ body, signature: withoutPrefix })).body).not.toContain('prefix')
  })

  test.each<[string, (fixture: InboundFixture) => RequestOptions]>([
    ['timestamp_in_seconds', ({ clock }) => ({ timestamp: String(Math.floor(clock.now / 1000)) })],
    [
      'missing_scheme',
      ({ clock, connection }) => ({
        body: '{}',
        signature: signatureFor(connection.secret, String(clock.now), '{}').slice(7),
      }),
    ],
    [
      'other_connection',
      ({ clock, other }) => ({ body: '{}', signature: signatureFor(other.secret, String(clock.now), '{}') }),
    ],
    [
      'token_as_key',
      ({ clock, connection }) => ({
        body: '{}',
        signature: signatureFor(connection.token, String(clock.now), '{}'),
      }),
    ],
    ['timestamp_mismatch', ({ clock }) => ({ signedTimestamp: String(clock.now - 1) })],
    ['body_reserialized', () => ({ body: '{"event":"a"}', signedBody: '{"event": "a"}' })],
  ])('is %s', async (code, options) => {
    const fixture = await startInbound()
    const attempt = await attemptAfter(fixture, options(fixture))
    expect(attempt.diagnosis?.code).toBe(code)
    expect(JSON.stringify(attempt.diagnosis)).not.toContain(fixture.connection.secret)
  })

  test('is made at most 10 times a second as they come, and of the rest when somebody looks', async () => {
    // No time passes, so that none of the rest is left for another look.
    const fixture = await startInbound({ stopwatch: () => 0 })
    const { connection, inbound, clock, outcomes, diagnosed } = fixture
    const client = await fixture.open()
    const upperCase = () =>
      `sha256=${signatureFor(connection.secret, String(clock.now), '{}').slice(7).toUpperCase()}`
    const send = async (count: number) => {
      const before = outcomes.length
      for (let index = 0; index < count; index++) {
        await client.write(signedRequest(connection, clock.now, { body: '{}', signature: upperCase() }).bytes)
        await client.read()
      }
      await expect.poll(() => outcomes.length).toBe(before + count)
      await new Promise(resolve => setImmediate(resolve))
    }
    await send(25)
    expect(diagnosed).toHaveLength(10)
    clock.now += 1000
    await send(25)
    expect(diagnosed).toHaveLength(20)
    await inbound.diagnoseRest(connection.connectionId)
    expect(inbound.attempts.list(connection.connectionId).map(({ diagnosis }) => diagnosis?.code)).toEqual(
      new Array(50).fill('digest_uppercase'),
    )
  })

  test('takes at most a fifth of the time for large bodies, whatever small ones take', async () => {
    const time = { now: 0, perDiagnosis: 0 }
    const stopwatch = () => {
      time.now += time.perDiagnosis
      return time.now
    }
    const fixture = await startInbound({ stopwatch })
    const large = { signedBody: '', body: `{"event":"${'x'.repeat(20_000)}"}` }
    const codeOf = async (options: RequestOptions) => (await attemptAfter(fixture, options)).diagnosis?.code
    time.perDiagnosis = 1000
    expect(await codeOf(large)).toBeDefined()
    time.perDiagnosis = 0
    expect(await codeOf(large)).toBeUndefined()
    expect(await codeOf({ signedBody: '' })).toBeDefined()
    time.now += 3999
    expect(await codeOf(large)).toBeUndefined()
    time.now += 1
    expect(await codeOf(large)).toBeDefined()
  })

  test('is not made for an unknown token, nor for a body that is not an event', async () => {
    const fixture = await startInbound()
    await fixture.post(unknown)
    const attempt = await attemptAfter(fixture, { body: '[]' })
    expect(attempt.diagnosis).toBeNull()
    expect(fixture.inbound.attempts.list(null)).toMatchObject([{ diagnosis: null }])
  })
})
