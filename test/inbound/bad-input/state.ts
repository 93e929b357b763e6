import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { pathOf } from '../../support/sender.ts'
import { one, type Row, raw, type Scene } from './case.ts'

const disabled = [403, 'connection_disabled'] as const
const unavailable = [503, 'unavailable'] as const
const invalidSignature = [401, 'invalid_signature'] as const

const switchTo =
  ({ fixture }: Scene, enabled: boolean) =>
  () =>
    fixture.change({ enabled })

/** Switches the connection off between the two pieces of a request, and on again afterwards. */
const whileUnderWay = (scene: Scene, options?: Parameters<Scene['request']>[0]) => {
  const { head, body } = scene.request(options)
  return [head, body.subarray(0, 5), switchTo(scene, false), body.subarray(5)]
}
const on = { check: (scene: Scene) => switchTo(scene, true)() }

/** Holds the event log's write lock, as another program might, until an event has been refused for it. */
function locked({ fixture, request }: Scene) {
  const database = new DatabaseSync(fixture.eventLogFile)
  const refusals = () => fixture.outcomes.filter(({ kind }) => kind === 'event.unavailable').length
  const before = refusals()
  return [
    () => database.exec('BEGIN IMMEDIATE'),
    request().bytes,
    () => eventually(() => expect(refusals()).toBe(before + 1)),
    () => database.close(),
  ]
}

const sizeOf = (file: string) => statSync(file).size + statSync(`${file}-wal`).size

/** Cases about the state of the service, or about the sender. */
export const stateRows: Row[] = [
  {
    row: 27,
    title: 'a connection that is switched off',
    cases: [
      raw('while the body is under way', scene => whileUnderWay(scene), disabled, on),
      raw(
        'and the body is signed wrongly',
        scene => whileUnderWay(scene, { body: '{"event":"b"}', signedBody: '{}' }),
        invalidSignature,
        on,
      ),
      raw(
        'and the body is not an event',
        scene => whileUnderWay(scene, { body: '{"event":1}' }),
        [400, 'invalid_event'],
        on,
      ),
      raw('before the request', scene => [switchTo(scene, false), scene.request().bytes], disabled, on),
      raw(
        'before a request signed wrongly',
        scene => [switchTo(scene, false), scene.request({ signature: 'x' }).bytes],
        disabled,
        on,
      ),
      raw(
        'before a GET',
        scene => [switchTo(scene, false), scene.request({ method: 'GET' }).bytes],
        [405, 'method_not_allowed'],
        on,
      ),
      raw(
        'and on again while the body is under way',
        scene => {
          const { head, body } = scene.request()
          return [head, switchTo(scene, false), switchTo(scene, true), body]
        },
        200,
      ),
      raw(
        'while the sender waits for 100 Continue',
        scene => {
          const { head, body } = scene.request({ headers: ['Expect: 100-continue'] })
          return [head, switchTo(scene, false), body]
        },
        disabled,
        { answers: [100, disabled], ...on },
      ),
    ],
  },
  {
    row: 27,
    title: 'a connection that changes while the body is under way',
    cases: [
      raw(
        'a new secret, with grace for the old',
        scene => {
          const { head, body } = scene.request()
          const oldSecrets = [{ secret: scene.connection.secret, expiresAt: scene.now + 3_600_000 }]
          return [head, () => scene.fixture.change({ signingSecret: 'whsec_new', oldSecrets }), body]
        },
        200,
      ),
      raw(
        'a new secret, without',
        scene => {
          const { head, body } = scene.request()
          return [head, () => scene.fixture.change({ signingSecret: 'whsec_newer', oldSecrets: [] }), body]
        },
        invalidSignature,
      ),
      raw(
        'its deletion',
        scene => {
          const { head, body } = scene.request()
          return [head, () => scene.fixture.remove(scene.connection.connectionId), body]
        },
        [404, 'unknown_token'],
      ),
    ],
  },
  {
    row: 28,
    title: 'an event log that is locked',
    options: { ownLog: true },
    cases: [
      raw('503, and 200 again once it is free', locked, unavailable, {
        check: async ({ fixture }, [answer]) => {
          expect(answer?.headers.get('retry-after')).toBe('5')
          expect((await fixture.post()).status).toBe(200)
        },
      }),
    ],
  },
  {
    row: 28,
    title: 'an event log that is full',
    options: { maxPages: 60 },
    cases: [
      one(
        '503 for what does not fit, 200 for what does',
        { body: JSON.stringify({ event: 'a', data: { x: 'x'.repeat(500_000) } }) },
        unavailable,
        {
          check: async ({ fixture }) => expect((await fixture.post()).status).toBe(200),
        },
      ),
    ],
  },
  {
    row: 29,
    title: 'forged names and addresses',
    cases: [
      one('a second Host', { headers: ['Host: evil.example'] }, 200),
      one(
        'X-Forwarded-* and Forwarded',
        {
          headers: [
            'X-Forwarded-Host: evil.example',
            'X-Forwarded-Proto: https',
            'X-Forwarded-For: 127.0.0.1',
            'X-Real-IP: 127.0.0.1',
            'Forwarded: for=127.0.0.1;host=evil.example',
            'X-Original-URL: /',
            'X-Rewrite-URL: /',
          ],
        },
        200,
        {
          check: ({ fixture, connection }, [answer]) => {
            expect(answer?.text).not.toContain('evil')
            const trigger = fixture.triggers.findLast(
              ({ connectionId }) => connectionId === connection.connectionId,
            )
            expect(JSON.stringify(trigger)).not.toContain('evil')
          },
        },
      ),
      one(
        'a path in X-Original-URL',
        ({ connection }) => ({ target: '/', headers: [`X-Original-URL: ${pathOf(connection.token)}`] }),
        [404, 'not_found'],
      ),
      one(
        'a Host of loopback opens nothing',
        { signature: 'sha256=0', headers: ['Host: 127.0.0.1', 'X-Forwarded-For: ::1'] },
        invalidSignature,
      ),
      one(
        'a token in another header opens nothing',
        ({ connection }) => ({ target: pathOf('x'), headers: [`Authorization: Bearer ${connection.token}`] }),
        [404, 'unknown_token'],
      ),
      one('a page as the Origin changes nothing', { headers: ['Origin: https://page.example'] }, 200, {
        check: (_scene, [answer]) => expect(answer?.text.toLowerCase()).not.toContain('access-control'),
      }),
      one('another Content-Type changes nothing', { headers: ['Content-Type: text/plain'] }, 200),
    ],
  },
  {
    row: 30,
    title: 'a flood of refused requests',
    options: { ownLog: true },
    cases: [
      raw(
        'keeps the last 200, and writes nothing',
        scene => {
          const size = sizeOf(scene.fixture.eventLogFile)
          // 20 at a time: a connection that sends more than 32 in one read is closed.
          const waves = Array.from({ length: 50 }, (_, wave) => [
            Buffer.concat(Array.from({ length: 20 }, () => scene.request({ signedBody: 'x' }).bytes)),
            () =>
              eventually(() => expect(scene.fixture.outcomes.length).toBeGreaterThanOrEqual(20 * (wave + 1))),
          ])
          return [...waves.flat(), () => expect(sizeOf(scene.fixture.eventLogFile)).toBe(size)]
        },
        invalidSignature,
        {
          answers: Array.from({ length: 1000 }, () => invalidSignature),
          check: ({ fixture, connection }) =>
            expect(fixture.inbound.attempts.list(connection.connectionId)).toHaveLength(200),
        },
      ),
    ],
  },
]
