import { describe, expect, test } from 'vitest'
import { ExactJson } from '#shared/json/exact-json.ts'
import { OccurrencePage } from '#shared/model/activity.ts'
import { RunDetails, RunPage } from '#shared/model/run.ts'
import {
  maxConditions,
  maxVariables,
  maxWorkflowValues,
  NewWorkflow,
  Workflow,
} from '#shared/model/workflow.ts'
import { createAction } from '../support/actions.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { createConnection } from '../support/rest-client.ts'
import { httpClient, signIn } from '../support/rpc-client.ts'
import { sharedService, startService } from '../support/service-fixture.ts'

const cleanService = sharedService()

const trigger = { type: 'external.event', connectionId: null, eventName: null }

test('a test without a connection sends an unsigned request, and has calls without a connection', async () => {
  const fixture = await startService()
  const { rest } = fixture
  const system = await startExternalSystem(({ url }, response) =>
    response
      .writeHead(url === '//down' ? 503 : 200, { 'content-type': 'application/json' })
      .end('{"price":12.50}'),
  )
  const http = (key: string, path: string) => ({
    ...{ key, type: 'http', method: 'POST', url: system.url + path, body: { id: '{{order_id}}' } },
  })
  const sent = (path: string) => ({ method: 'POST', url: system.url + path, body: { id: 'ORD-1' } })
  const steps = [http('send', '/orders'), http('fail', '//down')]
  const { workflowId } = Workflow.parse(
    (await rest('POST', '/workflows', { name: 'Send', trigger, steps })).body,
  )
  const { body } = await rest('POST', `/workflows/${workflowId}/test`, { payload: { order_id: 'ORD-1' } })
  const run = RunDetails.parse(body)
  const { host } = new URL(system.url)
  expect(run).toMatchObject({
    status: 'failed',
    error: { code: 'http_503', message: `${host} answered 503.` },
    steps: [
      {
        key: 'send',
        status: 'succeeded',
        output: { price: 12.5 },
        attempts: [{ callId: expect.stringMatching(/^call_/), error: null, input: sent('/orders') }],
      },
      { key: 'fail', status: 'failed', attempts: [{ input: sent('//down') }] },
    ],
  })
  const dry = await rest('POST', `/workflows/${workflowId}/test`, {
    ...{ payload: { order_id: 'ORD-2' }, dryRun: true },
  })
  expect(RunDetails.parse(dry.body).steps[0]?.attempts).toMatchObject([
    { input: { ...sent('/orders'), body: { id: 'ORD-2' } } },
  ])
  expect(system.requests.map(({ url, body: sent }) => [url, sent])).toEqual([
    ['/orders', '{"id":"ORD-1"}'],
    ['//down', '{"id":"ORD-1"}'],
  ])
  const [request] = system.requests
  expect(request?.headers['x-service-signature']).toBeUndefined()
  expect(request?.headers['idempotency-key']).toBe(`${run.runId}.send`)

  expect(run).toMatchObject({ connectionId: null, payload: { connectionId: null } })
  expect((await rest('GET', '/runs?connectionId=')).body).toMatchObject({ runs: [{}, { runId: run.runId }] })
  for (const when of ['at once', 'after a restart']) {
    if (when !== 'at once') await fixture.restart()
    const list = await rest('GET', '/activity/list?kinds=call.finished')
    const { items } = OccurrencePage.parse(list.body)
    expect(items, when).toMatchObject(
      ['fail', 'send'].map(path => ({
        ...{ type: 'call.finished', connectionId: null, actionId: null, source: 'workflow', method: 'POST' },
        ...{ step: { runId: run.runId, path }, status: path === 'fail' ? 503 : 200 },
      })),
    )
    const callIds = run.steps.map(({ attempts }) => attempts[0]?.callId)
    expect(items.map(item => 'callId' in item && item.callId).reverse()).toEqual(callIds)
    expect((await rest('GET', `/calls/${callIds[0]}`)).body, when).toMatchObject({
      ...{ connectionId: null, actionId: null, source: 'workflow' },
      step: { runId: run.runId, path: 'send' },
      request: { url: `${system.url}/orders`, body: '{"id":"ORD-1"}' },
      response: { status: 200 },
    })
  }
})

describe('a retry waits at least as long as Retry-After asks', () => {
  test.each([
    ['429', 'seconds', 429, () => '600'],
    ['503', 'a date', 503, (now: number) => new Date(now + 600_000).toUTCString()],
  ] as const)('of a %s, in %s', async (_status, _form, status, retryAfter) => {
    const { rest, clock } = await startService()
    const state = { isUp: false }
    const system = await startExternalSystem((_request, response) =>
      state.isUp
        ? response.end('{}')
        : response.writeHead(status, { 'Retry-After': retryAfter(clock.now) }).end(),
    )
    const { connectionId } = await createConnection(rest, { baseUrl: system.url })
    await createAction(rest, connectionId, { toolName: 'look_up' })
    const url = `${system.url}/http`
    for (const step of [
      { key: 'call', type: 'action', connectionId, toolName: 'look_up', arguments: {} },
      { key: 'call', type: 'http', method: 'POST', url },
    ])
      expect((await rest('POST', '/workflows', { name: 'W', trigger, steps: [step] })).status).toBe(201)
    const sentAt = clock.now
    await rest('POST', `/connections/${connectionId}/send`, { event: 'x' })
    const runs = async () => RunPage.parse((await rest('GET', '/runs')).body).runs
    const statuses = async () => (await runs()).map(run => run.status)
    await expect.poll(statuses).toEqual(['waiting', 'waiting'])
    for (const { nextAttemptAt } of await runs()) {
      const delay = Date.parse(nextAttemptAt ?? '') - sentAt
      expect(delay).toBeGreaterThanOrEqual(600_000)
      expect(delay).toBeLessThanOrEqual(720_000)
    }
    state.isUp = true
    clock.now += 720_000
    await expect.poll(statuses).toEqual(['succeeded', 'succeeded'])
    expect(system.requests.map(({ url }) => url).sort()).toEqual(['/http', '/http', '/orders', '/orders'])
  })
})

test('a run gives its payload, inputs and outputs as text, with every digit', async () => {
  const { rest } = await cleanService()
  const steps = [{ key: 'tell', type: 'notify', message: 'Paid {{total}}' }]
  const { workflowId } = Workflow.parse(
    (await rest('POST', '/workflows', { name: 'Tell', trigger, steps })).body,
  )
  const payload = new ExactJson('{"total":12.50,"reference":9007199254740993}')
  const tested = await rest('POST', `/workflows/${workflowId}/test`, { payload, contents: 'text' })
  const { runId, payload: text, steps: taken } = RunDetails.parse(tested.body)
  expect(text).toContain('"total":12.50,"reference":9007199254740993')
  expect(taken).toMatchObject([
    {
      output: '{"message":"Paid 12.50"}',
      attempts: [{ input: '{"message":"Paid 12.50"}', output: '{"message":"Paid 12.50"}' }],
    },
  ])
  expect((await rest('GET', `/runs/${runId}?contents=text`)).body).toMatchObject({ payload: text })
  expect((await rest('GET', `/runs/${runId}`)).text).toContain('"reference":9007199254740993')
})

describe('a workflow beyond the limits', () => {
  const exists = { value: '', operator: 'exists' }
  const branch = (key: string, when: unknown, count = 1) => ({
    ...{ key, type: 'branch', cases: Array(count).fill({ when, steps: [] }) },
  })
  const any = (parts: unknown, count = 50) => ({ any: Array(count).fill(parts) })
  /** 51 conditions in each of so many groups. */
  const groups = (count: number) => [branch('check', any(any(exists), count), 1)]
  const inLoop = (steps: unknown[]) => [{ key: 'loop', type: 'each', items: '{{a}}', steps }]
  const many = `A workflow has at most ${maxConditions} conditions.`
  const manyVariables = `A workflow has at most ${maxVariables} variables.`
  const values = `more than ${maxWorkflowValues} JSON values`
  const large = Array.from({ length: 60 }, (_, index) => ({
    ...{ key: `s${index}`, type: 'notify', message: 'x'.repeat(8000) },
  }))
  const http = (text: string) => ({ key: 'h', type: 'http', method: 'POST', url: 'http://h/', body: text })

  test.each([
    ['nested conditions', groups(20), 400, many],
    ['conditions of a loop', inLoop(groups(20)), 400, many],
    ['conditions that are not valid', [branch('check', any(any({ value: 1 }), 20))], 400, many],
    ['one condition in each of many cases', Array(51).fill(branch('check', exists, 20)), 400, many],
    ['conditions behind `otherwise`', [{ ...branch('a', exists), otherwise: groups(20) }], 400, many],
    [
      'many variables',
      [http('{{a}}'.repeat(3000)), { ...http('{{b}} '.repeat(2001)), key: 'i' }],
      400,
      manyVariables,
    ],
    ['many opening braces', [http('{{'.repeat(5001))], 400, manyVariables],
    ['many values', Array(maxWorkflowValues + 1).fill(0), 400, values],
    [
      '512 KiB',
      [...large, ...Array(5).fill(http('x'.repeat(60_000)))],
      413,
      'A workflow has at most 512 KiB',
    ],
    ['13 MiB of conditions', groups(8000), 413, 'A workflow has at most 512 KiB'],
  ])('of %s is refused before it is checked', async (_, steps, status, message) => {
    const { rest } = await cleanService()
    const { workflowId } = Workflow.parse((await rest('POST', '/workflows', { name: 'A', trigger })).body)
    const fields = { name: 'A', trigger, steps }
    for (const answer of [
      await rest('POST', '/workflows', fields),
      await rest('POST', '/x/../workflows/', fields),
      await rest('PATCH', `/workflows/${workflowId}`, { steps }),
    ])
      expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(message)])
    if (status === 413) return
    const document = { version: 1, workflow: { name: 'A', trigger: { type: 'external.event' }, steps } }
    for (const body of [document, { text: JSON.stringify(document) }]) {
      const answer = await rest('POST', '/workflows/import', body)
      expect([answer.status, answer.text]).toEqual([
        400,
        expect.stringMatching(/at most (1000|5000)|more than 10000/),
      ])
    }
    expect((await rest('GET', '/workflows')).body).toMatchObject([{ workflowId, steps: [] }])
  })

  test('is refused from the dashboard too', async () => {
    const fixture = await cleanService()
    const session = await signIn(fixture.dashboardUrl)
    const { workflows } = httpClient(
      () => fixture.dashboardUrl,
      () => session,
    )
    const created = (steps: unknown[]) => workflows.create(NewWorkflow.parse({ name: 'A', trigger, steps }))
    await expect(created(large)).resolves.toMatchObject({ name: 'A' })
    const beyond = [
      ...large.slice(1),
      ...[1, 2, 3, 4, 5].map(n => ({ ...http('x'.repeat(60_000)), key: `h${n}` })),
    ]
    await expect(created(beyond.slice(5))).rejects.toMatchObject({ code: 'body_too_large' })
  })

  test('has a payload of a test that is refused above 1 MiB or 20,000 values', async () => {
    const { rest } = await cleanService()
    const { workflowId } = Workflow.parse((await rest('POST', '/workflows', { name: 'A', trigger })).body)
    const tried = async (list: unknown) =>
      (await rest('POST', `/workflows/${workflowId}/test`, { payload: { list } })).status
    expect([await tried(Array(19_000).fill(1)), await tried('x'.repeat(1_000_000))]).toEqual([200, 200])
    expect([await tried(Array(20_000).fill(1)), await tried('x'.repeat(1_050_000))]).toEqual([400, 413])
  })

  test('is still read, changed, exported and run if an earlier version has stored it', async () => {
    const fixture = await startService()
    const { rest, service } = fixture
    const { workflowId } = Workflow.parse((await rest('POST', '/workflows', { name: 'A', trigger })).body)
    const steps = Workflow.shape.steps.parse(groups(30))
    await service.storage.config.update(config => {
      const stored = config.workflows.get(workflowId)
      if (stored === undefined) throw new Error('It was just created.')
      const workflows = new Map([[workflowId, { ...stored, steps }]])
      return { next: { ...config, workflows }, result: undefined }
    })
    await fixture.restart()
    const path = `/workflows/${workflowId}`
    const read = Workflow.loose().parse((await rest('GET', path)).body)
    expect(read.steps).toEqual(steps)
    expect((await rest('GET', '/workflows')).body).toMatchObject([{ workflowId }])
    expect((await rest('PATCH', path, { enabled: false, name: 'B' })).body).toMatchObject({ name: 'B' })
    expect((await rest('GET', `${path}/export`)).body).toMatchObject({ workflow: { steps } })
    expect((await rest('POST', `${path}/test`, {})).body).toMatchObject({ status: 'succeeded' })
    expect((await rest('PATCH', path, { steps: groups(30) })).text).toContain(many)
  })
})
