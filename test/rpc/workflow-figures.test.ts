import { expect, test } from 'vitest'
import { RunPage } from '#shared/model/run.ts'
import { Workflow } from '#shared/model/workflow.ts'
import { TriggerFigures, WorkflowOverview, WorkflowSteps } from '#shared/model/workflow-figures.ts'
import { Workspace } from '#shared/model/workspace.ts'
import { createConnection } from '../support/rest-client.ts'
import { postInbound, startOfTests, startService } from '../support/service-fixture.ts'

const stop = (outcome: 'succeeded' | 'failed') => ({ key: 'end', type: 'stop', outcome })
const branch = {
  key: 'check',
  type: 'branch',
  cases: [{ when: { value: '{{total}}', operator: 'greater', operand: 10 }, steps: [stop('failed')] }],
}

test('the overview, counts and steps of workflows tell what their runs and events were', async () => {
  const service = await startService()
  const { rest } = service
  const orders = await createConnection(rest, { name: 'Orders', persistEvents: true })
  const { workspaceId: elsewhere } = Workspace.parse(
    (await rest('POST', '/workspaces', { name: 'Other' })).body,
  )
  const create = async (fields: object) =>
    Workflow.parse((await rest('POST', '/workflows', fields)).body).workflowId
  const trigger = (eventName: string) => ({
    type: 'external.event',
    connectionId: orders.connectionId,
    eventName,
  })
  const taking = await create({ name: 'Check', trigger: trigger('order.paid'), steps: [branch] })
  const off = await create({ name: 'Off', enabled: false, trigger: trigger('stock.*') })
  await create({ name: 'Elsewhere', workspaceId: elsewhere, trigger: trigger('other') })
  for (const [event, data] of [
    ['order.paid', { order_id: 'ORD-1', total: 5 }],
    ['order.paid', { order_id: 'ORD-2', total: 50 }],
    ['stock.low', {}],
    ['other', {}],
    ['other', {}],
  ] as const)
    await postInbound(orders.credentials, JSON.stringify({ event, data }))

  const counts = async (query: string) => (await rest('GET', `/runs/counts${query}`)).body
  const ended = { succeeded: 1, failed: 1, cancelled: 0, waiting: 0, running: 0, queued: 0 }
  await expect.poll(() => counts(`?workflowId=${taking}`)).toEqual(ended)
  const none = { ...ended, succeeded: 0, failed: 0 }
  expect(await counts('')).toEqual(ended)
  expect(await counts('?workspaceId=default')).toEqual(ended)
  expect(await counts(`?workspaceId=${elsewhere}`)).toEqual(none)
  expect(await counts('?since=2026-11-22T00:00:00.000Z')).toEqual(none)

  const overview = WorkflowOverview.parse((await rest('GET', '/workflows/overview')).body)
  const { connectionId } = orders
  expect(overview.untakenEvents).toMatchObject([
    { connectionId, eventName: 'other', received: 2, declared: false, disabledWorkflowId: null },
    { connectionId, eventName: 'stock.low', received: 1, disabledWorkflowId: off },
  ])
  expect(overview.workflows.map(({ last24h }) => last24h)).toEqual([2, 0, 0])
  expect(overview.workflows[0]).toMatchObject({
    ...{ workflowId: taking, queued: 0, waiting: 0, running: 0, failedLastHour: 1 },
    lastRun: { status: 'failed' },
  })
  expect(overview.workflows[0]?.hours.at(-1)).toEqual({ succeeded: 1, failed: 1 })
  const other = WorkflowOverview.parse(
    (await rest('GET', `/workflows/overview?workspaceId=${elsewhere}`)).body,
  )
  expect(other).toMatchObject({ workflows: [{ last24h: 0, lastRun: null, p95Ms: null }], untakenEvents: [] })

  expect(WorkflowSteps.parse((await rest('GET', `/workflows/${taking}/steps`)).body)).toEqual({
    runs: 2,
    steps: expect.arrayContaining([
      { key: 'check', runs: 2, failures: 0 },
      { key: 'end', runs: 1, failures: 0 },
    ]),
    trigger: { received: 5, taken: 2 },
  })

  // A test is listed, but is not part of the figures.
  await rest('POST', `/workflows/${taking}/test`, { payload: { total: 50 } })
  const after = WorkflowOverview.parse((await rest('GET', '/workflows/overview')).body)
  expect(after.workflows[0]).toEqual(overview.workflows[0])
  expect(await counts(`?workflowId=${taking}`)).toEqual({ ...ended, failed: 2 })

  const list = async (query: string) => RunPage.parse((await rest('GET', `/runs?${query}`)).body).runs
  expect((await list('workspaceId=default')).map(({ subject }) => subject)).toEqual([null, 'ORD-2', 'ORD-1'])
  expect(await list(`workspaceId=${elsewhere}`)).toEqual([])
  expect(await list(`workspaceId=${elsewhere}&workflowId=${taking}`)).toEqual([])
  const [found, ...others] = await list('text=ord-1&eventName=order.paid&status=succeeded')
  expect([found?.attempt, others]).toEqual([1, []])
  expect(await list('text=ord-1&status=failed')).toEqual([])
  expect(await list(`eventId=${found?.eventId}`)).toEqual([found])
  expect(await list('since=2026-11-22T00:00:00.000Z')).toEqual([])
  for (const [since, found] of [
    ['2026-11-21T10:29:59%2B01:00', 3],
    [`${startOfTests - 1}`, 3],
    [`${startOfTests + 1}`, 0],
  ] as const)
    expect(await list(`workflowId=${taking}&since=${since}`)).toHaveLength(found)
  for (const [since, problem] of [
    ['yesterday', 'This is not a time.'],
    [`${startOfTests / 1000}`, 'The time is in seconds.'],
    ['2026-11-31T10:00:00Z', 'its month has 30 days'],
    ['2026-11-21T10:00:00', 'no offset'],
  ] as const) {
    const refused = await rest('GET', `/runs?since=${since}`)
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(problem)])
  }

  // Those of a deleted workflow stay in the lists of its workspace.
  await rest('DELETE', `/workflows/${taking}`)
  expect((await list('workspaceId=default')).length).toBe(3)
  expect(await list(`workspaceId=${elsewhere}`)).toEqual([])
  expect(await counts('?workspaceId=default')).toEqual({ ...ended, failed: 2 })
  expect(await counts(`?workspaceId=default&workflowId=${taking}`)).toEqual({ ...ended, failed: 2 })
})

test('a trigger tells the counts of all connections, and the twenty with the newest matching events', async () => {
  const { rest } = await startService()
  const ids: string[] = []
  for (let number = 0; number < 22; number++) {
    const name = `Shop ${number}`
    const { connectionId, credentials } = await createConnection(rest, { name, persistEvents: true })
    ids.push(connectionId)
    const events =
      number === 21 ? ['order.paid', 'order.paid', 'stock.low'] : number === 1 ? ['stock.low'] : []
    for (const event of events) await postInbound(credentials, JSON.stringify({ event, data: {} }))
  }
  const outlook = async (query: string) =>
    TriggerFigures.parse((await rest('GET', `/workflows/trigger${query}`)).body)
  const any = await outlook('')
  expect(any).toMatchObject({ received: 4, taken: 4 })
  expect(any.names).toEqual(
    expect.arrayContaining([
      { eventName: 'order.paid', count: 2, declared: false },
      { eventName: 'stock.low', count: 2, declared: false },
    ]),
  )
  expect(any.connectionIds).toHaveLength(20)
  expect(any.connectionIds).toEqual(expect.arrayContaining([ids[21], ids[1]]))
  const paid = await outlook('?eventName=order.*')
  expect(paid).toMatchObject({ received: 4, taken: 2 })
  expect(paid.connectionIds[0]).toBe(ids[21])
  const one = await outlook(`?connectionId=${ids[1]}&eventName=order.paid`)
  expect(one).toMatchObject({ received: 1, taken: 0, connectionIds: [ids[1]] })
})
