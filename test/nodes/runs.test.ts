import type { ServerResponse } from 'node:http'
import { describe, expect } from 'vitest'
import { z } from 'zod'
import type { RunStore } from '#main/storage/runs.ts'
import type { Storage } from '#main/storage/storage.ts'
import { RunDetails } from '#shared/model/run.ts'
import { Workflow } from '#shared/model/workflow.ts'
import { eventually } from '../support/eventually.ts'
import { startExternalSystem } from '../support/external-system.ts'
import type { Rest } from '../support/rest-client.ts'
import { openTwoNodes, sharedNodes, test, withOther } from './open-nodes.ts'

/** Keeps a node from claiming runs. */
const withoutClaims = (storage: Storage): Storage => ({
  ...storage,
  runs: withOther(storage.runs, { claim: async () => ({ runs: [], nextDueAt: null }) }),
})
const withoutClaimsOnA = (storage: Storage, node: number) => (node === 0 ? withoutClaims(storage) : storage)

const takeNodes = sharedNodes({ of: withoutClaimsOnA })

async function createWorkflow(rest: Rest, url: string): Promise<Workflow> {
  const steps = [{ key: 'call', type: 'http', method: 'POST', url, body: '{}' }]
  const input = { name: 'W', trigger: { type: 'external.event' }, steps }
  return Workflow.loose().parse((await rest('POST', '/workflows', input)).body)
}

describe('two nodes', () => {
  test('end the test of a workflow for its caller, though another node carries it out', async () => {
    const [a, b] = await takeNodes()
    const system = await startExternalSystem()
    const { workflowId } = await createWorkflow(a.rest, system.url)
    const { status, body } = await a.rest('POST', `/workflows/${workflowId}/test`, {})
    expect([status, RunDetails.parse(body).status]).toEqual([200, 'succeeded'])
    expect(system.requests).toHaveLength(1)
    expect((await b.rest('GET', `/runs/${RunDetails.parse(body).runId}`)).body).toEqual(body)
  })

  test('interrupt the request of a run that was cancelled on another node, before it renews its lease', async () => {
    const renewsAll: RunStore['renew'] = async claims => claims.map(({ runId }) => runId)
    const [a, b] = await openTwoNodes({}, (storage, node) =>
      node === 0
        ? withoutClaims(storage)
        : { ...storage, runs: withOther(storage.runs, { renew: renewsAll }) },
    )
    const open: ServerResponse[] = []
    const system = await startExternalSystem((_request, response) => open.push(response))
    const { workflowId } = await createWorkflow(a.rest, system.url)
    const tested = a.rest('POST', `/workflows/${workflowId}/test`, {})
    await eventually(() => expect(open).toHaveLength(1))
    const Runs = z.object({ runs: z.array(z.object({ runId: z.string() })) })
    const { runs } = Runs.parse((await a.rest('GET', `/runs?workflowId=${workflowId}`)).body)
    await a.rest('POST', `/runs/${runs[0]?.runId}/cancel`, {})
    expect((await tested).body).toMatchObject({ status: 'cancelled' })
    await eventually(() => expect(open[0]?.destroyed).toBe(true))
    // It did not time out.
    await eventually(async () => {
      const { body } = await b.rest('GET', '/activity/list')
      expect(body).toMatchObject({ items: [{ code: 'network_error' }] })
    })
  })

  test('claim no run of a workflow from the moment on at which a node is told of its switch', async () => {
    const storages: Storage[] = []
    const [a] = await openTwoNodes({}, storage => {
      storages.push(storage)
      return withoutClaims(storage)
    })
    const input = { name: 'W', trigger: { type: 'external.event' }, concurrency: 5 }
    const steps = [{ key: 'end', type: 'stop', outcome: 'succeeded' }]
    const created = await a.rest('POST', '/workflows', { ...input, steps })
    const { workflowId, workspaceId } = Workflow.loose().parse(created.body)
    const run = { workflowId, workspaceId, connectionId: null, lane: workflowId, queuedAt: Date.now() }
    const content = { summary: '{"eventName":"e"}', data: '{"event":"e","data":{}}' }
    await a.service.storage.runs.start(Array(9).fill({ ...run, ...content }), null)
    const claims = () => storages.map(async ({ runs }) => (await runs.claim(1, 10_000)).runs.length)
    expect(await Promise.all(claims())).toContain(1)
    const late: Promise<number>[] = []
    for (const { config } of storages)
      config.onChange(({ workflows }) => {
        if (workflows.get(workflowId)?.enabled === false) late.push(...claims())
      })
    await a.rest('PATCH', `/workflows/${workflowId}`, { enabled: false })
    late.push(...claims())
    expect(await Promise.all(late)).toEqual(Array(6).fill(0))
  })
})
