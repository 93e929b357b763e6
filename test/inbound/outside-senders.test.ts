import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { missingOf, titled } from '../support/has-program.ts'
import { type InboundFixture, type InboundFixtureOptions, startInbound } from '../support/inbound-fixture.ts'
import { pathOf } from '../support/sender.ts'

const run = promisify(execFile)

type Answer = readonly [status: number, body: unknown]

/** The answer without the sentence, which is for people. */
function brief([status, body]: Answer): unknown {
  const { message, ...rest } = z.looseObject({ message: z.string().optional() }).parse(body)
  return [status, rest, typeof message]
}
const ok = [200, { ok: true }, 'undefined']
const refusal = (status: number, error: string) => [status, { ok: false, error }, 'string']

const urlOf = ({ host, port, connection }: InboundFixture) =>
  `http://${host}:${port}${pathOf(connection.token)}`
const settings: InboundFixtureOptions = { settings: { maxBodyBytes: 4096 } }

const withoutPython = missingOf('python3')
describe.skipIf(withoutPython.length > 0)(titled('a sender in Python', withoutPython), () => {
  async function send(
    fixture: InboundFixture,
    requests: readonly Record<string, unknown>[],
  ): Promise<unknown[]> {
    const running = run('python3', [join(import.meta.dirname, 'outside/send.py')])
    const { secret } = fixture.connection
    running.child.stdin?.end(
      JSON.stringify({ url: urlOf(fixture), secret, now: fixture.clock.now, requests }),
    )
    const answers = z.array(z.tuple([z.number(), z.unknown()])).parse(JSON.parse((await running).stdout))
    return answers.map(brief)
  }

  test('is accepted, over one connection, with text beyond ASCII', async () => {
    const fixture = await startInbound()
    expect(await send(fixture, [{}, { body: '{"event":"b"}' }])).toEqual([ok, ok])
    expect(fixture.triggers.map(({ payload }) => payload)).toMatchObject([
      { name: 'Zo\u00eb' },
      { eventName: 'b' },
    ])
  })

  test('gets each refusal with its status', async () => {
    const fixture = await startInbound(settings)
    const { now } = fixture.clock
    const cases: [Record<string, unknown>, unknown][] = [
      [{ path: '/' }, refusal(404, 'not_found')],
      [{ method: 'PUT' }, refusal(405, 'method_not_allowed')],
      [{ path: pathOf('unknown') }, refusal(404, 'unknown_token')],
      [{ headers: { 'Content-Encoding': 'gzip' } }, refusal(415, 'unsupported_encoding')],
      [{ headers: { 'x-service-signature': null } }, refusal(401, 'missing_signature')],
      [{ headers: { 'x-service-timestamp': null } }, refusal(401, 'missing_timestamp')],
      [{ timestamp: new Date(now).toISOString() }, refusal(401, 'invalid_timestamp')],
      [{ timestamp: String(Math.floor(now / 1000)) }, refusal(401, 'stale_timestamp')],
      [{ signedBody: 'x' }, refusal(401, 'invalid_signature')],
      [{ body: '{' }, refusal(400, 'invalid_json')],
      [{ body: '{}' }, refusal(400, 'missing_event')],
      [{ body: '{"event":""}' }, refusal(400, 'invalid_event')],
      [{ body: '{"event":"a","data":[]}' }, refusal(400, 'invalid_data')],
      [{}, ok],
      [{ body: 'x'.repeat(5000) }, refusal(413, 'body_too_large')],
    ]
    expect(
      await send(
        fixture,
        cases.map(([request]) => request),
      ),
    ).toEqual(cases.map(([, answer]) => answer))
    await fixture.change({ enabled: false })
    expect(await send(fixture, [{}])).toEqual([refusal(403, 'connection_disabled')])
    expect(fixture.triggers).toHaveLength(1)
  })
})

const withoutShell = missingOf('curl', 'openssl').concat(process.platform === 'win32' ? ['sh'] : [])
describe.skipIf(withoutShell.length > 0)(
  titled('a sender in the shell, with curl and openssl', withoutShell),
  () => {
    const body = '{"event":"order.created","data":{"note":"It\'s \\"100%\\" \u20ac"}}'

    async function send(fixture: InboundFixture, ...[timestamp, sent, ...more]: string[]): Promise<unknown> {
      const { secret } = fixture.connection
      const script = join(import.meta.dirname, 'outside/send.sh')
      const given = [urlOf(fixture), secret, timestamp ?? String(fixture.clock.now), sent ?? body, ...more]
      const { stdout } = await run('sh', [script, ...given])
      const lines = stdout.split('\n')
      return brief([Number(lines.pop()), JSON.parse(lines.join('\n'))])
    }

    test('is accepted', async () => {
      const fixture = await startInbound()
      expect(await send(fixture)).toEqual(ok)
      expect(fixture.triggers[0]?.payload).toMatchObject({ note: 'It\'s "100%" \u20ac' })
    })

    test('gets each refusal with its status', async () => {
      const fixture = await startInbound(settings)
      const now = String(fixture.clock.now)
      expect(await send(fixture, now.slice(0, -3))).toEqual(refusal(401, 'stale_timestamp'))
      expect(await send(fixture, `+${now}`)).toEqual(refusal(401, 'invalid_timestamp'))
      expect(await send(fixture, now, body, `${body}\n`)).toEqual(refusal(401, 'invalid_signature'))
      expect(await send(fixture, now, 'nonsense')).toEqual(refusal(400, 'invalid_json'))
      expect(await send(fixture, now, '{"data":{}}')).toEqual(refusal(400, 'missing_event'))
      expect(await send(fixture, now, body, body, '--request', 'PUT')).toEqual(
        refusal(405, 'method_not_allowed'),
      )
      expect(await send(fixture, now, body, body, '--header', 'x-service-signature: sha256=0')).toEqual(
        refusal(401, 'invalid_signature'),
      )
      expect(await send(fixture, now, body, body, '--header', 'Content-Encoding: br')).toEqual(
        refusal(415, 'unsupported_encoding'),
      )
      expect(await send(fixture, now, 'x'.repeat(5000))).toEqual(refusal(413, 'body_too_large'))
      expect(await send(fixture, now, 'x'.repeat(5000), '', '--header', 'Expect: 100-continue')).toEqual(
        refusal(413, 'body_too_large'),
      )
      expect(fixture.triggers).toEqual([])
      expect(await send(fixture, now, body, body, '--header', 'Expect: 100-continue')).toEqual(ok)
      await fixture.remove(fixture.connection.connectionId)
      expect(await send(fixture)).toEqual(refusal(404, 'unknown_token'))
    })
  },
)
