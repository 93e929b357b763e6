import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { RunDetails, RunPage } from '#shared/model/run.ts'
import { Workflow } from '#shared/model/workflow.ts'
import { openFeed } from '../support/event-feed.ts'
import { isSigned, type SystemRequest, startExternalSystem } from '../support/external-system.ts'
import { createConnection, type Rest } from '../support/rest-client.ts'
import { postInbound, sharedService, startService } from '../support/service-fixture.ts'

/** For tests that ask about the runs of their own workflow alone: the runs of others stay. */
const cleanService = sharedService()

const reserveStock = {
  name: 'Reserve stock',
  toolName: 'reserve_stock',
  description: 'Reserves stock for an order.',
  path: '/reservations',
  parameters: [
    { name: 'sku', type: 'string', description: 'The article.', required: true },
    { name: 'quantity', type: 'number', description: 'How many.', required: true },
  ],
  responseMapping: { reservation: 'data.id' },
}

async function post(rest: Rest, path: string, body: object): Promise<unknown> {
  const answer = await rest('POST', path, body)
  if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`)
  return answer.body
}

const Sent = z.object({ status: z.number() })
const send = async (rest: Rest, connectionId: string, event: string, data: object) =>
  Sent.parse(await post(rest, `/connections/${connectionId}/send`, { event, data }))

async function onlyRun(rest: Rest, { workflowId }: Workflow): Promise<RunDetails> {
  const { runs } = RunPage.parse((await rest('GET', `/runs?workflowId=${workflowId}`)).body)
  expect(runs).toHaveLength(1)
  return RunDetails.parse((await rest('GET', `/runs/${runs[0]?.runId}`)).body)
}

/** Answers 503 until it is told to be up. */
async function warehouse() {
  const state = { isUp: true }
  const system = await startExternalSystem((_request, response) => {
    if (!state.isUp) return void response.writeHead(503).end()
    response.setHeader('content-type', 'application/json').end('{"data":{"id":"rsv_1","units":2.50}}')
  })
  return { ...system, state }
}

const key = ({ headers }: SystemRequest) => headers['idempotency-key']

describe('a workflow', () => {
  test('acts on a signed event: branches, calls another system with its values, and waits', async () => {
    const { rest } = await cleanService()
    const system = await warehouse()
    const orders = await createConnection(rest, { name: 'Orders', persistEvents: true })
    const stock = await createConnection(rest, { name: 'Warehouse', baseUrl: system.url })
    await post(rest, `/connections/${stock.connectionId}/actions`, reserveStock)
    const call = (stepKey: string, sku: string) => ({
      key: stepKey,
      type: 'action',
      connectionId: stock.connectionId,
      toolName: 'reserve_stock',
      arguments: { sku, quantity: '{{lines.0.quantity}}' },
    })
    const paid = { value: '{{eventName}}', operator: 'equals', operand: 'order.paid' }
    const large = { value: '{{total}}', operator: 'greater', operand: 100 }
    const workflow = Workflow.parse(
      await post(rest, '/workflows', {
        name: 'Reserve',
        trigger: { type: 'external.event', connectionId: orders.connectionId, eventName: 'order.*' },
        steps: [
          {
            key: 'check',
            type: 'branch',
            cases: [
              {
                when: { all: [paid, large] },
                steps: [call('first', '{{lines.0.sku}}'), call('second', '{{steps.first.reservation}}')],
              },
            ],
          },
          { key: 'pause', type: 'wait', seconds: 60 },
        ],
      }),
    )
    const data = { total: 149.5, lines: [{ sku: 'KB-87', quantity: 2 }] }
    expect(await send(rest, orders.connectionId, 'order.paid', data)).toMatchObject({ status: 200 })
    expect(await send(rest, orders.connectionId, 'invoice.paid', data)).toMatchObject({ status: 200 })
    await expect.poll(async () => (await onlyRun(rest, workflow)).status).toBe('waiting')
    const run = await onlyRun(rest, workflow)
    expect(run).toMatchObject({
      workflowId: workflow.workflowId,
      eventName: 'order.paid',
      test: false,
      payload: { total: 149.5 },
    })
    expect(run.steps.map(({ path, status, output }) => [path, status, output])).toEqual([
      ['check', 'succeeded', { case: 0 }],
      ['first', 'succeeded', { reservation: 'rsv_1' }],
      ['second', 'succeeded', { reservation: 'rsv_1' }],
      ['pause', 'waiting', null],
    ])
    expect(
      system.requests.map(request => [
        request.body,
        isSigned(request, stock.credentials.signingSecret),
        key(request),
      ]),
    ).toEqual([
      ['{"sku":"KB-87","quantity":2}', true, `${run.runId}.first`],
      ['{"sku":"rsv_1","quantity":2}', true, `${run.runId}.second`],
    ])
    const callId = run.steps[1]?.attempts[0]?.callId
    expect((await rest('GET', `/calls/${callId}`)).body).toMatchObject({
      source: 'workflow',
      step: { runId: run.runId, path: 'first' },
    })
  })

  test.each([
    ['decides', []],
    ['acts', [{ key: 'tell', type: 'notify', message: 'n' }]],
  ])(
    'that %s is kept for an event that is not stored, whose payload is deleted once the run has ended',
    async (_, first) => {
      const { rest } = await cleanService()
      const orders = await createConnection(rest, { name: 'Orders' })
      const workflow = Workflow.parse(
        await post(rest, '/workflows', {
          name: 'W',
          trigger: { type: 'external.event' },
          steps: [...first, { key: 'stop', type: 'stop', outcome: 'failed', message: 'No {{total}}' }],
        }),
      )
      await send(rest, orders.connectionId, 'order.paid', { total: 1 })
      await expect.poll(async () => (await onlyRun(rest, workflow)).status).toBe('failed')
      expect(await onlyRun(rest, workflow)).toMatchObject({
        error: { code: 'stopped', message: 'A stop step ended the run.' },
        payload: null,
        steps: [...first.map(({ key }) => ({ key, output: null })), { key: 'stop', output: null }],
      })
    },
  )

  test('retries a receiver that is down with the same key, over a restart', async () => {
    const fixture = await startService()
    const { rest, clock } = fixture
    const system = await warehouse()
    system.state.isUp = false
    const orders = await createConnection(rest, { name: 'Orders', baseUrl: system.url })
    await post(rest, `/connections/${orders.connectionId}/actions`, reserveStock)
    await post(rest, '/workflows', {
      name: 'W',
      trigger: { type: 'external.event' },
      ordered: true,
      steps: [
        {
          key: 'reserve',
          type: 'action',
          connectionId: orders.connectionId,
          toolName: 'reserve_stock',
          arguments: { sku: '{{n}}', quantity: 1 },
        },
      ],
    })
    for (let n = 1; n <= 3; n++) await send(rest, orders.connectionId, 'order.paid', { n })
    await expect.poll(() => system.requests.length).toBe(1)
    await fixture.restart()
    system.state.isUp = true
    clock.now += 600_000
    await expect.poll(() => system.requests.length).toBe(4)
    expect(system.requests.map(({ body }) => JSON.parse(body).sku)).toEqual(['1', '1', '2', '3'])
    expect(new Set(system.requests.map(key)).size).toBe(3)
  })

  test('is tried with a payload or a stored event, without waiting, and dry without a call', async () => {
    const { rest } = await cleanService()
    const system = await warehouse()
    const orders = await createConnection(rest, { name: 'Orders', baseUrl: system.url, persistEvents: true })
    await post(rest, `/connections/${orders.connectionId}/actions`, reserveStock)
    const { workflowId } = Workflow.parse(
      await post(rest, '/workflows', {
        name: 'W',
        enabled: false,
        trigger: { type: 'external.event', connectionId: orders.connectionId, eventName: 'order.paid' },
        steps: [
          { key: 'pause', type: 'wait', seconds: 3600 },
          {
            key: 'reserve',
            type: 'action',
            connectionId: orders.connectionId,
            toolName: 'reserve_stock',
            arguments: { sku: '{{sku}}', quantity: '{{quantity}}' },
          },
        ],
      }),
    )
    await send(rest, orders.connectionId, 'order.paid', { sku: 'A', quantity: 1 })
    const Events = z.object({ events: z.array(z.object({ eventId: z.string() })) })
    const { events } = Events.parse((await rest('GET', `/connections/${orders.connectionId}/events`)).body)
    const tests = `/workflows/${workflowId}/test`
    const stored = RunDetails.parse(await post(rest, tests, { eventId: events[0]?.eventId }))
    const dry = RunDetails.parse(
      await post(rest, tests, { payload: { sku: 'B', quantity: 2 }, dryRun: true }),
    )
    const failing = RunDetails.parse(await post(rest, tests, { payload: { sku: 'C' } }))
    expect([stored, dry, failing].map(({ status, test, dryRun }) => [status, test, dryRun])).toEqual([
      ['succeeded', true, false],
      ['succeeded', true, true],
      ['failed', true, false],
    ])
    expect(dry.steps[1]).toMatchObject({
      output: null,
      attempts: [{ input: { sku: 'B', quantity: 2 }, callId: null }],
    })
    expect(failing.steps[1]?.attempts[0]).toMatchObject({
      absent: ['quantity'],
      error: { code: 'missing_value', message: expect.stringContaining('{{quantity}}') },
    })
    expect(system.requests.map(({ body }) => body)).toEqual(['{"sku":"A","quantity":1}'])
  })

  test('can be cancelled while it waits, and then retried from where it was', async () => {
    const { rest, clock } = await cleanService()
    const orders = await createConnection(rest, { name: 'Orders', persistEvents: true })
    const workflow = Workflow.parse(
      await post(rest, '/workflows', {
        name: 'W',
        trigger: { type: 'external.event' },
        steps: [
          { key: 'first', type: 'notify', message: 'n' },
          { key: 'pause', type: 'wait', seconds: 60 },
        ],
      }),
    )
    await send(rest, orders.connectionId, 'a', {})
    await expect.poll(async () => (await onlyRun(rest, workflow)).status).toBe('waiting')
    const { runId } = await onlyRun(rest, workflow)
    expect(await post(rest, `/runs/${runId}/cancel`, {})).toMatchObject({ status: 'cancelled' })
    expect((await rest('POST', `/runs/${runId}/cancel`, {})).body).toMatchObject({ code: 'run_ended' })
    clock.now += 60_000
    await post(rest, `/runs/${runId}/retry`, {})
    await expect.poll(async () => (await onlyRun(rest, workflow)).status).toBe('succeeded')
    expect((await onlyRun(rest, workflow)).steps[0]?.attempts).toHaveLength(1)
    expect((await rest('POST', `/runs/${runId}/retry`, {})).body).toMatchObject({ code: 'run_not_retriable' })
    expect((await rest('GET', '/runs/run_00000000000')).body).toMatchObject({ code: 'run_not_found' })
  })

  test('says which step refers to what is gone, and is kept', async () => {
    const fixture = await startService()
    const { rest } = fixture
    const orders = await createConnection(rest, { name: 'Orders' })
    const steps = [
      { key: 'call', type: 'action', connectionId: orders.connectionId, toolName: 'gone', arguments: {} },
    ]
    const created = await post(rest, '/workflows', { name: 'W', trigger: { type: 'external.event' }, steps })
    expect(created).toMatchObject({
      issues: [{ stepKey: 'call', code: 'unknown_action', path: 'steps.0.toolName' }],
    })
    await fixture.restart()
    expect((await fixture.rest('GET', '/workflows')).body).toMatchObject([{ name: 'W', steps }])
    const { workflowId } = Workflow.parse(created)
    expect(
      (await fixture.rest('PATCH', `/workflows/${workflowId}`, { name: 'V', enabled: false })).body,
    ).toMatchObject({ name: 'V', enabled: false, steps })
    expect(
      (await fixture.rest('PATCH', `/workflows/${workflowId}`, { steps: [{ ...steps[0], typo: 1 }] })).body,
    ).toMatchObject({ code: 'invalid_input' })
    expect((await fixture.rest('DELETE', `/workflows/${workflowId}`)).body).toEqual({ deleted: 1 })
    expect((await fixture.rest('GET', `/workflows/${workflowId}`)).body).toMatchObject({
      code: 'workflow_not_found',
    })
  })

  test('keeps nothing of the payload of an event that is not stored, once its run has ended', async () => {
    const { rest, dataFolder, service } = await startService()
    const system = await warehouse()
    const orders = await createConnection(rest, { name: 'Orders' })
    const stock = await createConnection(rest, { name: 'Warehouse', baseUrl: system.url })
    await post(rest, `/connections/${stock.connectionId}/actions`, reserveStock)
    const workflow = Workflow.parse(
      await post(rest, '/workflows', {
        name: 'W',
        trigger: { type: 'external.event', connectionId: orders.connectionId },
        steps: [
          {
            key: 'reserve',
            type: 'action',
            connectionId: stock.connectionId,
            toolName: 'reserve_stock',
            arguments: { sku: '{{secret}}', quantity: 1 },
          },
          { key: 'stop', type: 'stop', outcome: 'failed', message: 'No {{secret}}' },
        ],
      }),
    )
    await send(rest, orders.connectionId, 'order.paid', { secret: 'of-the-customer' })
    await expect.poll(async () => (await onlyRun(rest, workflow)).status).toBe('failed')
    expect(system.requests[0]?.body).toContain('of-the-customer')
    const run = await onlyRun(rest, workflow)
    expect(run).toMatchObject({ payload: null, subject: null, error: { code: 'stopped' } })
    const call = await rest('GET', `/calls/${run.steps[0]?.attempts[0]?.callId}`)
    expect(call.body).toMatchObject({ request: null, response: null, arguments: {}, ok: true })
    expect(JSON.stringify([run, call.body])).not.toContain('of-the-customer')
    expect((await rest('GET', '/runs?text=of-the-customer')).body).toMatchObject({ runs: [] })
    await service.stop()
    const files = await readdir(dataFolder, { withFileTypes: true, recursive: true })
    for (const file of files.filter(one => one.isFile() && one.name.startsWith('history')))
      expect(await readFile(join(file.parentPath, file.name), 'latin1')).not.toContain('of-the-customer')
  })

  test('is paused while a deleted connection can be restored, and then goes on', async () => {
    const { rest } = await startService()
    const system = await warehouse()
    const orders = await createConnection(rest, { name: 'Orders', persistEvents: true })
    const stock = await createConnection(rest, { name: 'Warehouse', baseUrl: system.url })
    await post(rest, `/connections/${stock.connectionId}/actions`, reserveStock)
    await post(rest, '/workflows', {
      name: 'W',
      trigger: { type: 'external.event', connectionId: orders.connectionId },
      steps: [
        {
          key: 'reserve',
          type: 'action',
          connectionId: stock.connectionId,
          toolName: 'reserve_stock',
          arguments: { sku: 'A', quantity: 1 },
        },
      ],
    })
    await post(rest, '/workflows', {
      name: 'Unconcerned',
      trigger: { type: 'external.event', connectionId: orders.connectionId, eventName: 'b' },
    })
    await post(rest, `/connections/${stock.connectionId}/discard`, {})
    await send(rest, orders.connectionId, 'a', {})
    await send(rest, orders.connectionId, 'b', {})
    const counts = async () => (await rest('GET', '/runs/counts')).body
    await expect.poll(counts).toMatchObject({ queued: 2, succeeded: 1 })
    await post(rest, `/connections/${stock.connectionId}/restore`, {})
    await expect.poll(counts).toMatchObject({ queued: 0, succeeded: 3 })
    expect(system.requests).toHaveLength(2)
  })

  test('lets the listener answer 503 while too many runs wait, and events without runs pass', async () => {
    const { rest } = await startService({ service: { mostRunsWaiting: 2 } })
    const orders = await createConnection(rest, { name: 'Orders', persistEvents: true })
    await post(rest, '/workflows', {
      name: 'W',
      trigger: { type: 'external.event', eventName: 'taken' },
      steps: [{ key: 'pause', type: 'wait', seconds: 60 }],
    })
    for (const status of [200, 200])
      expect(await postInbound(orders.credentials, '{"event":"taken"}')).toMatchObject({ status })
    await expect.poll(async () => (await rest('GET', '/runs/counts')).body).toMatchObject({ waiting: 2 })
    const refused = await postInbound(orders.credentials, '{"event":"taken"}')
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(refused.body).toMatchObject({ ok: false, error: 'unavailable' })
    expect((await postInbound(orders.credentials, '{"event":"other"}')).status).toBe(200)
  })

  test('notifies in the activity of its connection, which keeps the message over a restart', async () => {
    const fixture = await startService()
    const { rest } = fixture
    const kept = await createConnection(rest, { name: 'Kept', persistEvents: true })
    const other = await createConnection(rest, { name: 'Not kept' })
    const { workflowId } = Workflow.parse(
      await post(rest, '/workflows', {
        name: 'W',
        trigger: { type: 'external.event' },
        steps: [{ key: 'tell', type: 'notify', message: 'Paid {{n}}' }],
      }),
    )
    for (const [{ connectionId }, message] of [
      [kept, 'Paid 1'],
      [other, null],
    ] as const) {
      await send(rest, connectionId, 'paid', { n: 1 })
      const find = async () => {
        const feed = await openFeed(fixture, `?connectionId=${connectionId}`)
        for (;;) {
          const item = await feed.next()
          if (item.type === 'workflow.notified') return item
        }
      }
      const item = await find()
      expect(item).toMatchObject({ workflowId, connectionId, path: 'tell', message: 'Paid 1' })
      await fixture.restart()
      expect(await find()).toEqual({ ...item, message })
    }
  })
})

test('ten runs that compute end with too_much_work, and another run ends before them', async () => {
  const { rest } = await startService()
  const { credentials } = await createConnection(rest, { name: 'Orders', persistEvents: true })
  const trigger = (eventName: string) => ({ type: 'external.event', eventName })
  const when = { value: '{{text}}', operator: 'contains', operand: `${'a'.repeat(50)}b` }
  const each = {
    key: 'all',
    type: 'each',
    items: '{{lines}}',
    steps: [{ key: 'check', type: 'branch', cases: [{ when, steps: [] }] }],
  }
  const heavy = Workflow.parse(
    await post(rest, '/workflows', { name: 'Heavy', trigger: trigger('heavy'), steps: [each] }),
  )
  const small = Workflow.parse(
    await post(rest, '/workflows', {
      ...{ name: 'Small', trigger: trigger('small') },
      steps: [{ key: 'tell', type: 'notify', message: 'n' }],
    }),
  )
  const data = { lines: Array(1000).fill(1), text: 'a'.repeat(900_000) }
  const body = JSON.stringify({ event: 'heavy', data })
  for (let run = 0; run < 10; run++) expect((await postInbound(credentials, body)).status).toBe(200)
  const counts = async ({ workflowId }: Workflow) =>
    (await rest('GET', `/runs/counts?workflowId=${workflowId}`)).body
  expect((await postInbound(credentials, '{"event":"small"}')).status).toBe(200)
  await expect.poll(() => counts(small)).toMatchObject({ succeeded: 1 })
  expect(await counts(heavy)).toMatchObject({ failed: 0 })
  await expect.poll(() => counts(heavy)).toMatchObject({ failed: 10 })
  const { runs } = RunPage.parse((await rest('GET', `/runs?workflowId=${heavy.workflowId}`)).body)
  expect(runs.map(({ error }) => error?.code)).toEqual(Array(10).fill('too_much_work'))
})
