import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ActivityItem, OccurrenceCounts, OccurrencePage } from '#shared/model/activity.ts'
import { CallRecord } from '#shared/model/call.ts'
import { RunDetails, RunPage } from '#shared/model/run.ts'
import { Workflow } from '#shared/model/workflow.ts'
import { createAction } from '../support/actions.ts'
import { openFeed } from '../support/event-feed.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { createConnection, type Rest } from '../support/rest-client.ts'
import { type ServiceFixture, sharedService, startService } from '../support/service-fixture.ts'

/** For tests that ask about their own workflow alone. */
const cleanService = sharedService()

type FailedRun = Extract<ActivityItem, { type: 'run.failed' }>

const failedRuns = async (rest: Rest, query = ''): Promise<FailedRun[]> => {
  const { body } = await rest('GET', `/activity/list?kinds=run.failed&limit=200${query}`)
  return OccurrencePage.parse(body).items.flatMap(item => (item.type === 'run.failed' ? item : []))
}
const countsOf = async (rest: Rest, query: string) =>
  OccurrenceCounts.parse((await rest('GET', `/activity/counts?${query}`)).body)

const stopStep = { key: 'end', type: 'stop', outcome: 'failed', message: 'No stock for {{order_id}}' }

async function create(rest: Rest, connectionId: string | null, steps: object[]): Promise<string> {
  const workflow = { name: 'Reserve stock', trigger: { type: 'external.event', connectionId }, steps }
  const { body } = await rest('POST', '/workflows', workflow)
  return Workflow.parse(body).workflowId
}

const send = (rest: Rest, connectionId: string, n = 1) =>
  rest('POST', `/connections/${connectionId}/send`, {
    event: 'order.paid',
    data: { order_id: `ORD-${n}` },
  })

const runsOf = async (rest: Rest, workflowId: string) =>
  RunPage.parse((await rest('GET', `/runs?workflowId=${workflowId}`)).body).runs

/** A workflow that calls a system which refuses every call, with words. */
async function refusedWorkflow({ rest }: ServiceFixture, persistEvents: boolean) {
  const system = await startExternalSystem((_request, response) =>
    response.writeHead(422, { 'content-type': 'application/json' }).end('{"error":"Article sold out"}'),
  )
  const orders = await createConnection(rest, { name: 'Orders', persistEvents })
  const shop = await createConnection(rest, { name: 'Shop', baseUrl: system.url })
  const { toolName } = await createAction(rest, shop.connectionId)
  const call = { key: 'reserve', type: 'action', connectionId: shop.connectionId, toolName, arguments: {} }
  return { ...orders, workflowId: await create(rest, orders.connectionId, [call]) }
}

describe('a run that failed', () => {
  test('is listed with its event, step and call, counted by its cause, and kept over a restart', async () => {
    const fixture = await startService()
    const { rest } = fixture
    const { connectionId, workflowId } = await refusedWorkflow(fixture, true)
    await send(rest, connectionId)
    await expect.poll(() => failedRuns(rest)).toHaveLength(1)
    const [item] = await failedRuns(rest)
    const [run] = await runsOf(rest, workflowId)
    const { runId = '', eventId, eventName, error, subject, endedAt } = run ?? {}
    expect(item).toEqual({
      ...{ type: 'run.failed', id: expect.any(String), at: endedAt, connectionId, workflowId, runId },
      ...{ workflowName: 'Reserve stock', event: { eventId, eventName }, test: false, ...error, subject },
      ...{ path: 'reserve', callId: expect.stringMatching(/^call_/) },
    })
    expect(item).toMatchObject({ code: 'http_422', message: expect.stringContaining('Article sold out') })
    expect(item?.subject).toBe('ORD-1')
    expect(CallRecord.parse((await rest('GET', `/calls/${item?.callId}`)).body).step?.runId).toBe(runId)

    await fixture.restart()
    expect(await failedRuns(rest)).toEqual([item])
    expect((await rest('GET', `/activity/items/${item?.id}`)).body).toEqual(item)
    for (const query of ['cause=http_422', 'text=sold+out', 'text=reserve+stock'])
      expect(await failedRuns(rest, `&${query}`), query).toEqual([item])
    for (const query of ['cause=http_500', 'text=elsewhere', `since=${Date.now() + 60_000}`])
      expect(await failedRuns(rest, `&${query}`), query).toEqual([])
    expect(await countsOf(rest, `connectionId=${connectionId}`)).toMatchObject({
      ...{ total: 2, byKind: { 'event.accepted': 1, 'run.failed': 1 }, byCause: { http_422: 1 } },
    })
  })

  test('is another item when it is retried and fails again', async () => {
    const fixture = await cleanService()
    const { rest } = fixture
    const { connectionId } = await refusedWorkflow(fixture, true)
    const ofConnection = () => failedRuns(rest, `&connectionId=${connectionId}`)
    await send(rest, connectionId)
    await expect.poll(ofConnection).toHaveLength(1)
    const [first] = await ofConnection()
    expect((await rest('POST', `/runs/${first?.runId}/retry`)).status).toBe(200)
    await expect.poll(ofConnection).toHaveLength(2)
    const [second] = await ofConnection()
    expect(second).toMatchObject({ runId: first?.runId, event: first?.event, code: 'http_422' })
    expect(second?.id).not.toBe(first?.id)
    expect(second?.callId).not.toBe(first?.callId)
  })

  test('is announced after it is durable, also if it was decided with its event', async () => {
    const fixture = await cleanService()
    const { rest } = fixture
    const { connectionId } = await createConnection(rest, { persistEvents: true })
    const workflowId = await create(rest, connectionId, [stopStep])
    const feed = await openFeed(fixture, `?connectionId=${connectionId}`)
    await send(rest, connectionId, 7)
    const types = []
    for (;;) {
      const item = await feed.next()
      types.push(item.type)
      if (item.type !== 'run.failed') continue
      const run = RunDetails.parse((await rest('GET', `/runs/${item.runId}`)).body)
      expect(run).toMatchObject({ workflowId, status: 'failed', error: { code: 'stopped' } })
      expect(item).toMatchObject({
        ...{ workflowId, event: { eventId: run.eventId, eventName: 'order.paid' }, subject: 'ORD-7' },
        ...{ code: 'stopped', message: 'No stock for ORD-7', path: 'end', callId: null },
      })
      break
    }
    expect(types).toEqual(['event.accepted', 'run.failed'])
  })

  test('is marked as a test, and belongs to no connection if the test names none', async () => {
    const { rest } = await cleanService()
    const workflowId = await create(rest, null, [stopStep])
    await rest('POST', `/workflows/${workflowId}/test`, { payload: { order_id: 'ORD-3' } })
    const items = (await failedRuns(rest)).filter(item => item.workflowId === workflowId)
    expect(items).toMatchObject([{ test: true, connectionId: null, event: { eventId: null }, path: 'end' }])
  })

  test('does not write message or subject to disk if its connection does not store its events', async () => {
    const fixture = await startService()
    const { rest } = fixture
    const { connectionId } = await createConnection(rest, { persistEvents: false })
    await create(rest, connectionId, [stopStep])
    const feed = await openFeed(fixture, `?connectionId=${connectionId}`)
    await send(rest, connectionId, 20418)
    for (let item = await feed.next(); ; item = await feed.next())
      if (item.type === 'run.failed') {
        expect(item).toMatchObject({ code: 'stopped', subject: 'ORD-20418' })
        break
      }
    await fixture.restart()
    expect(await failedRuns(rest)).toMatchObject([
      { code: 'stopped', workflowName: 'Reserve stock', message: null, subject: null, path: 'end' },
    ])
    const files = await readdir(fixture.dataFolder)
    for (const name of files.filter(name => name.includes('.sqlite')))
      expect((await readFile(join(fixture.dataFolder, name))).includes('ORD-20418'), name).toBe(false)
  })
})
