import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Method } from '#shared/model/method.ts'
import { missingOf, titled } from '../support/has-program.ts'
import { waitMs } from '../support/patience.ts'
import { action, parameter, signingSecret, startCaller } from './support.ts'

const missing = missingOf('python3')

const Seen = z.object({
  verified: z.boolean(),
  method: z.string(),
  target: z.string(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  body: z.base64().transform(text => Buffer.from(text, 'base64').toString('utf8')),
})

const parameters = [
  parameter('zeta'),
  parameter('alpha', 'object'),
  parameter('7', 'number'),
  parameter('__proto__', 'boolean'),
  parameter('filter[a.b]'),
]
const unicode = {
  '7': -1.5e-7,
  zeta: 'Ünïcödé \u{1f600} \u2028 "q" \\ / \u0000 \ud800',
  alpha: { é: [{ b: null }] },
}

describe.skipIf(missing.length > 0)(titled('a receiver in Python', missing), () => {
  let stop = () => {}
  let url = ''
  beforeAll(async () => {
    const child = spawn(
      'python3',
      ['-B', join(import.meta.dirname, 'receivers/receiver.py'), signingSecret],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    stop = () => child.kill()
    const [port] = await once(child.stdout, 'data')
    url = `http://127.0.0.1:${String(port).trim()}`
  })
  afterAll(() => stop())

  describe.each(Method.options)('accepts the signature of a %s', method => {
    const cases: [string, Record<string, unknown>][] = [
      ['without arguments', {}],
      ['with Unicode and nested objects', unicode],
      ['with odd names', JSON.parse('{"__proto__":true,"filter[a.b]":"&#../\\n"}')],
      ['with a long text', { zeta: 'é'.repeat(method === 'GET' ? 2000 : 500_000) }],
    ]
    test.each(cases)('%s', async (_title, given) => {
      const outcome = await startCaller().run(
        `${url}/v2`,
        { method, path: 'items?fixed=1', parameters },
        given,
      )
      const seen = Seen.parse(outcome.result)
      expect(outcome.error).toBeNull()
      expect(outcome.response?.status).toBe(200)
      expect(seen).toMatchObject({ verified: true, method })
      // The recorded request equals the received one, byte for byte.
      expect(outcome.request?.url).toBe(url + seen.target)
      expect(outcome.request?.body).toBe(seen.body)
      for (const [name, value] of Object.entries(outcome.request?.headers ?? {}))
        expect(seen.headers).toContainEqual([name.toLowerCase(), value])
      const types = seen.headers.filter(([name]) => name === 'content-type')
      expect(types).toEqual(method === 'GET' ? [] : [['content-type', 'application/json']])
      if (method === 'GET') expect(seen.body).toBe('')
      else expect(JSON.parse(seen.body)).toEqual(JSON.parse(JSON.stringify(given)))
    })
  })

  test('sends a body in declared order, and {} where there is nothing to send', async () => {
    const caller = startCaller()
    const sent = async (given: Record<string, unknown>) =>
      Seen.parse((await caller.run(url, { method: 'DELETE', parameters }, given)).result).body
    expect(await sent({})).toBe('{}')
    expect(await sent(JSON.parse('{"__proto__":false,"7":7,"alpha":{},"zeta":"z"}'))).toBe(
      '{"zeta":"z","alpha":{},"7":7,"__proto__":false}',
    )
  })

  test('refuses another secret, and the refusal comes back whole', async () => {
    const caller = startCaller()
    const connection = { baseUrl: url, signingSecret: 'whsec_other', timeoutMs: waitMs }
    const outcome = await caller.callOf(connection, action({ method: 'POST' }))
    expect(outcome).toMatchObject({
      ok: false,
      error: null,
      response: { status: 401 },
      result: { verified: false },
    })
  })

  test('gets a fresh timestamp with each call', async () => {
    let now = Date.now()
    const caller = startCaller({ clock: () => now++ })
    const stamps = []
    for (let count = 0; count < 3; count++)
      stamps.push((await caller.run(url)).request?.headers['x-service-timestamp'])
    expect(new Set(stamps).size).toBe(3)
  })

  test('sees the headers of the action, which replace ours in any spelling', async () => {
    const headers = {
      'content-TYPE': 'application/vnd.api+json',
      'User-agent': 'mine/1',
      'X-Key': 'k {{KEY}}',
    }
    const caller = startCaller({ variables: { KEY: 'se\u00e9cret' } })
    const outcome = await caller.run(url, { method: 'PUT', headers })
    const seen = Seen.parse(outcome.result).headers
    expect(seen.filter(([name]) => name === 'content-type')).toEqual([
      ['content-type', 'application/vnd.api+json'],
    ])
    expect(seen.filter(([name]) => name === 'user-agent')).toEqual([['user-agent', 'mine/1']])
    expect(seen).toContainEqual(['x-key', 'k se\u00e9cret'])
    expect(outcome.request?.headers['X-Key']).toBe('k ••••')
    expect(outcome.environmentVariables).toEqual(['KEY'])
  })
})
