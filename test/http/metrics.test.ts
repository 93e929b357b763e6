import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { families } from '#main/metrics/families.ts'
import { metricPrefix } from '#main/metrics/metrics.ts'
import { maxRunsAtOnce } from '#main/workflows/decide-at-once.ts'
import { createAction, testAction } from '../support/actions.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { expectNowhere } from '../support/leaks.ts'
import { type ReadFamily, readMetrics, valueIn } from '../support/metrics-page.ts'
import { createConnection } from '../support/rest-client.ts'
import { signIn } from '../support/rpc-client.ts'
import {
  adminToken,
  postInbound,
  type ServiceFixture,
  sharedService,
  startService,
} from '../support/service-fixture.ts'
import { bearer, codeOf, type HttpAnswer, http } from './http.ts'

const openMetrics = 'application/openmetrics-text; version=1.0.0'
const types = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
}

const scrape = (url: string, headers: Readonly<Record<string, string>> = {}): Promise<HttpAnswer> =>
  http(url, { path: '/metrics', headers: { ...bearer, ...headers } })

async function metricsOf({ dashboardUrl }: ServiceFixture): Promise<ReadonlyMap<string, ReadFamily>> {
  const { status, text } = await scrape(dashboardUrl)
  expect(status).toBe(200)
  return readMetrics(text, 'text')
}

/** Whether Python's own parser of both formats is on this machine. */
const hasPythonParser = (() => {
  try {
    execFileSync('python3', ['-c', 'import prometheus_client'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

/** Returns what Prometheus' own parser reads: each sample as name, labels and value. */
function readByPython(page: string, module: string): [string, Record<string, string>, number][] {
  const program = `import json, sys
from prometheus_client.${module} import text_string_to_metric_families
print(json.dumps([[s.name, s.labels, repr(float(s.value))] for f in text_string_to_metric_families(sys.stdin.read()) for s in f.samples]))`
  const samples: [string, Record<string, string>, string][] = JSON.parse(
    execFileSync('python3', ['-c', program], { input: page, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }),
  )
  return samples.map(([name, labels, value]) => [name, labels, Number(value)])
}

describe('GET /metrics', () => {
  const service = sharedService()

  test('has every family, in the text format and in OpenMetrics', async () => {
    const { dashboardUrl } = await service()
    for (const format of ['text', 'openmetrics'] as const) {
      const { status, headers, text } = await scrape(
        dashboardUrl,
        format === 'text' ? {} : { accept: openMetrics },
      )
      expect([status, headers['content-type'], headers['cache-control']]).toEqual([
        200,
        types[format],
        'no-store',
      ])
      const read = readMetrics(text, format)
      expect([...read].map(([name, { type, help }]) => [name, type, help !== ''])).toEqual(
        families.map(({ name, type }) => [
          metricPrefix + (format === 'text' ? name : name.replace(/_total$/, '')),
          type,
          true,
        ]),
      )
      expect(text).toContain(
        '# HELP custom_connection_runs Workflow runs that have not ended. The same on every node',
      )
    }
  })

  test.each([
    [undefined, 'text'],
    ['*/*', 'text'],
    ['text/plain;version=0.0.4', 'text'],
    ['application/openmetrics-text; q=0, text/plain', 'text'],
    ['application/openmetrics-textile', 'text'],
    ['Application/OpenMetrics-Text', 'openmetrics'],
    [
      'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
      'openmetrics',
    ],
  ] as const)('to Accept: %s is %s', async (accept, format) => {
    const { dashboardUrl } = await service()
    const { headers } = await scrape(dashboardUrl, accept === undefined ? {} : { accept })
    expect(headers['content-type']).toBe(types[format])
  })

  test('tells of the process and of the storage', async () => {
    const read = await metricsOf(await service())
    for (const [name, labels] of [
      ['ready', {}],
      ['process_cpu_seconds_total', {}],
      ['process_resident_memory_bytes', {}],
      ['disk_free_bytes', {}],
      ['scrape_seconds', {}],
      ['storage_bytes', { store: 'events' }],
      ['storage_bytes', { store: 'history' }],
    ] as const)
      expect(valueIn(read, metricPrefix + name, labels), name).toBeGreaterThan(0)
    expect(valueIn(read, `${metricPrefix}nodes`, { state: 'ready' })).toBe(1)
    expect(valueIn(read, `${metricPrefix}runs`, { state: 'waiting' })).toBe(0)
    // Neither can be told here.
    expect(read.get(`${metricPrefix}database_connections`)?.samples).toEqual([])
    expect(read.get(`${metricPrefix}certificate_end_timestamp_seconds`)?.samples).toEqual([])
  })

  test('is refused without a token, or with the session of a browser', async () => {
    const { dashboardUrl } = await service()
    const session = await signIn(dashboardUrl)
    for (const headers of [{}, session, { authorization: `Basic ${adminToken}` }]) {
      const answer = await http(dashboardUrl, { path: '/metrics', headers: { ...headers } })
      expect([answer.status, codeOf(answer), answer.headers['www-authenticate']]).toEqual([
        401,
        'unauthorized',
        'Bearer',
      ])
    }
    const query = await http(dashboardUrl, { path: `/metrics?token=${adminToken}` })
    expect(query.status).toBe(401)
  })

  test('answers to every host name, but not to a page of another site', async () => {
    const { dashboardUrl } = await service()
    for (const host of ['10.1.2.3:8788', 'node-1.internal', 'evil.example', '']) {
      expect((await http(dashboardUrl, { path: '/metrics', host, headers: bearer })).status, host).toBe(200)
      expect((await http(dashboardUrl, { path: '/metrics', host })).status, host).toBe(401)
    }
    const origin = 'https://evil.example'
    const foreign = await http(dashboardUrl, { path: '/metrics', headers: { ...bearer, origin } })
    expect([foreign.status, codeOf(foreign)]).toEqual([403, 'forbidden_origin'])
  })

  test.runIf(hasPythonParser)('is read by the parser of Prometheus for Python as it is here', async () => {
    const { dashboardUrl } = await service()
    for (const [accept, format, module] of [
      ['*/*', 'text', 'parser'],
      [openMetrics, 'openmetrics', 'openmetrics.parser'],
    ] as const) {
      const { text } = await scrape(dashboardUrl, { accept })
      const own = [...readMetrics(text, format).values()].flatMap(({ samples }) => samples)
      expect(readByPython(text, module)).toEqual(own.map(({ name, labels, value }) => [name, labels, value]))
    }
  })
})

test('wrong tokens are 429 from the 21st in a minute on, a right one never', async () => {
  const fixture = await startService()
  const wrong = () =>
    http(fixture.dashboardUrl, { path: '/metrics', headers: { authorization: 'Bearer wrong-token' } })
  for (let n = 0; n < 20; n++) expect((await wrong()).status).toBe(401)
  const over = await wrong()
  expect([over.status, codeOf(over), Number(over.headers['retry-after']) > 0]).toEqual([
    429,
    'too_many_attempts',
    true,
  ])
  expect((await scrape(fixture.dashboardUrl)).status).toBe(200)
  fixture.clock.now += 60_000
  expect((await wrong()).status).toBe(401)
})

test('the counters grow exactly by what was sent, called and run', async () => {
  const fixture = await startService()
  const { rest, clock } = fixture
  const system = await startExternalSystem(({ url }, response) => {
    response.statusCode = url.includes('broken') ? 503 : 200
    response.setHeader('content-type', 'application/json').end('{}')
  })
  const first = await createConnection(rest, { ignoreRepeats: true, baseUrl: system.url })
  const second = await createConnection(rest, { name: 'Second', baseUrl: 'http://127.0.0.1:1' })
  const before = await metricsOf(fixture)
  const trigger = { type: 'external.event', connectionId: first.connectionId, eventName: 'order.*' }
  const steps = {
    ok: [{ type: 'set', key: 'a', values: { x: { value: '1' } } }],
    fails: [{ type: 'stop', key: 'b', outcome: 'failed', message: 'No.' }],
  }
  for (const [name, of] of Object.entries(steps)) {
    const created = await rest('POST', '/workflows', { name, trigger, steps: of, enabled: true })
    expect([created.status, created.text]).toEqual([201, expect.any(String)])
  }

  const send = (to: typeof first, body: string, at = clock.now) => postInbound(to.credentials, body, at)
  for (let n = 0; n < 3; n++) await send(first, `{"event":"order.created","data":{"n":${n}}}`)
  for (let n = 0; n < 2; n++) await send(first, '{"event":"order.created","data":{"n":2}}')
  for (let n = 0; n < 4; n++) await send(second, `{"event":"other","data":{"n":${n}}}`)
  for (let n = 0; n < 5; n++) await send(second, '{"event":"other"}', clock.now - 400_000)
  await send(second, 'no json')
  const unknown = second.credentials.inboundUrl.replace(second.credentials.inboundToken, 'unknown')
  for (let n = 0; n < 2; n++)
    await postInbound({ ...second.credentials, inboundUrl: unknown }, '{"event":"x"}', clock.now)

  const call = async ({ connectionId }: typeof first, fields: object, times: number) => {
    const action = await createAction(rest, connectionId, fields)
    for (let n = 0; n < times; n++) await testAction(rest, { connectionId, ...action })
  }
  await call(first, { path: '/ok' }, 3)
  await call(first, { name: 'Broken', path: '/broken' }, 2)
  await call(second, { path: '/ok' }, 1)
  await call(second, { name: 'Unset', path: '/ok', headers: { 'X-Key': '{{NOT_SET}}' } }, 1)

  // A check of the receiver counts for nothing.
  const checked = await createAction(rest, first.connectionId, { name: 'Checked', path: '/ok' })
  const check = `/connections/${first.connectionId}/actions/${checked.actionId}/check`
  expect((await rest('POST', check, { arguments: {}, checks: ['accepted_now'] })).status).toBe(200)

  await expect
    .poll(async () =>
      valueIn(await metricsOf(fixture), `${metricPrefix}runs_ended_total`, { outcome: 'failed' }),
    )
    .toBe(3)
  await expect
    .poll(async () =>
      valueIn(await metricsOf(fixture), `${metricPrefix}events_total`, {
        connection_id: 'other',
        outcome: 'unknown_token',
      }),
    )
    .toBe(2)
  const after = await metricsOf(fixture)
  const grown = (name: string) =>
    Object.fromEntries(
      (after.get(metricPrefix + name)?.samples ?? [])
        .map(({ name: sample, labels, value }) => {
          const { connection_id: id = '', outcome = '' } = labels
          const of = id === first.connectionId ? 'first' : id === second.connectionId ? 'second' : id
          return [`${of} ${outcome}`.trim(), value - (valueIn(before, sample, labels) ?? 0)] as const
        })
        .filter(([, more]) => more !== 0),
    )
  expect(grown('events_total')).toEqual({
    'first accepted': 3,
    'first repeated': 2,
    'second accepted': 4,
    'second stale_timestamp': 5,
    'second invalid_json': 1,
    'other unknown_token': 2,
  })
  expect(grown('calls_total')).toEqual({
    'first 2xx': 3,
    'first 5xx': 2,
    'second connection_refused': 1,
    'second missing_environment_variable': 1,
  })
  expect(grown('runs_ended_total')).toEqual({ succeeded: 3, failed: 3 })
  // Those that were not sent took no time.
  const counts = (name: string) =>
    after.get(metricPrefix + name)?.samples.find(sample => sample.name.endsWith('_count'))?.value
  expect([counts('event_seconds'), counts('call_seconds')]).toEqual([9, 6])
})

test('the age of the newest good backup is told, once one is known', async () => {
  const fixture = await startService()
  const { rest, clock } = fixture
  const age = async () => valueIn(await metricsOf(fixture), `${metricPrefix}backup_age_seconds`)
  expect(await age()).toBe(null)
  const at = new Date(clock.now - 3600_000).toISOString()
  expect((await rest('POST', '/backups/note', { at })).status).toBeLessThan(300)
  expect(await age()).toBe(3600)
})

test('the runs of an event that starts many workflows are counted, and each end once', async () => {
  const fixture = await startService()
  const { rest } = fixture
  const { connectionId, credentials } = await createConnection(rest)
  const trigger = { type: 'external.event', connectionId }
  const steps = [{ type: 'set', key: 'a', values: { x: { value: '1' } } }]
  const most = maxRunsAtOnce + 2
  for (let n = 0; n < most; n++)
    await rest('POST', '/workflows', { name: `W ${n}`, trigger, steps, enabled: true })
  for (let n = 0; n < 2; n++) await postInbound(credentials, `{"event":"order.created","data":{"n":${n}}}`)
  const of = async (name: string, labels = {}) =>
    valueIn(await metricsOf(fixture), metricPrefix + name, labels)
  await expect.poll(() => of('runs', { state: 'waiting' })).toBe(0)
  await expect.poll(() => of('runs_ended_total', { outcome: 'succeeded' })).toBe(2 * most)
  expect(await of('oldest_due_run_seconds')).toBe(0)
})

test('a step that is attempted again, and a run that is cancelled, are counted', async () => {
  const fixture = await startService()
  const { rest } = fixture
  const { connectionId, credentials } = await createConnection(rest, { baseUrl: 'http://127.0.0.1:1' })
  const { toolName } = await createAction(rest, connectionId)
  const trigger = { type: 'external.event', connectionId }
  const steps = [{ type: 'action', key: 'a', connectionId, toolName, arguments: {} }]
  const created = await rest('POST', '/workflows', { name: 'W', trigger, steps, enabled: true })
  expect([created.status, created.text]).toEqual([201, expect.any(String)])
  await postInbound(credentials, '{"event":"order.created"}')
  const of = async (name: string, labels = {}) =>
    valueIn(await metricsOf(fixture), metricPrefix + name, labels)
  await expect.poll(() => of('step_retries_total')).toBe(1)
  expect(await of('runs', { state: 'retrying' })).toBe(1)
  const [run] = z
    .object({ runs: z.array(z.object({ runId: z.string() })) })
    .parse((await rest('GET', '/runs')).body).runs
  expect((await rest('POST', `/runs/${run?.runId}/cancel`)).status).toBe(200)
  expect(await of('runs_ended_total', { outcome: 'cancelled' })).toBe(1)
  expect(await of('runs', { state: 'retrying' })).toBe(0)
})

test('nothing of a secret, a token, a URL, a path, a name, an event or a header is in a page', async () => {
  const env = { CANARY_KEY: 'process-canary-4713-of-the-process' }
  const fixture = await startService({ service: { env, nodeName: 'node-canary-4719' } })
  const { rest, dashboardUrl } = fixture
  const system = await startExternalSystem()
  const created = await createConnection(rest, {
    name: 'name-canary-4714',
    baseUrl: `${system.url}/base-canary-4715`,
    persistEvents: true,
  })
  const { connectionId, credentials } = created
  await rest('PUT', '/environment/SETTINGS_KEY', { value: 'settings-canary-4716' })
  const action = await createAction(rest, connectionId, {
    name: 'action-canary-4717',
    toolName: 'tool_canary_4717',
    path: '/path-canary-4718',
    headers: { 'X-Header-Canary-4720': 'header-canary-4721 {{SETTINGS_KEY}} {{CANARY_KEY}}' },
  })
  await testAction(rest, { connectionId, actionId: action.actionId })
  for (const secret of [credentials.signingSecret, 'whsec_wrong-canary-4722'])
    await postInbound(
      { ...credentials, signingSecret: secret },
      '{"event":"event-canary-4723","data":{"x":"data-canary-4724"}}',
    )
  const token = 'token-canary-4725'
  await postInbound(
    { ...credentials, inboundUrl: credentials.inboundUrl.replace(credentials.inboundToken, token) },
    '{"event":"x"}',
  )
  await http(dashboardUrl, { path: '/metrics', headers: { authorization: `Bearer ${token}` } })
  const pages = new Map<string, string>()
  for (const accept of ['*/*', openMetrics]) pages.set(accept, (await scrape(dashboardUrl, { accept })).text)
  expect(pages.get('*/*')).toContain(connectionId)
  expectNowhere(
    new Map(
      [
        ...[adminToken, credentials.signingSecret, credentials.inboundToken, token],
        ...[env.CANARY_KEY, 'settings-canary-4716', 'whsec_wrong-canary-4722'],
      ].map(secret => [secret, secret]),
    ),
    pages,
  )
  for (const page of pages.values()) {
    expect(page).not.toMatch(/canary/i)
    expect(page).not.toContain('127.0.0.1')
    expect(page).not.toContain(fixture.dataFolder)
  }
})
