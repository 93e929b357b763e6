import { describe, expect } from 'vitest'
import { CheckedWorkflow } from '#shared/model/workflow.ts'
import { createAction } from '../support/actions.ts'
import { eventually } from '../support/eventually.ts'
import { type ExternalSystem, startExternalSystem } from '../support/external-system.ts'
import { testMs } from '../support/patience.ts'
import { createConnection, type Rest } from '../support/rest-client.ts'
import { openNodes, test } from './open-nodes.ts'

/** On a busy machine, a call may take long to arrive. */
const unhurried = { service: { callArrivesWithinMs: testMs } }

/** Creates a connection, and starts runs of a workflow that calls it, without events. Returns the connection’s id. */
async function startRuns(
  nodes: Awaited<ReturnType<typeof openNodes>>,
  system: ExternalSystem,
  count: number,
  fields: object = {},
): Promise<string> {
  const [{ rest, service } = never()] = nodes
  const { connectionId, workspaceId } = await createConnection(rest, { baseUrl: system.url, ...fields })
  const { toolName } = await createAction(rest, connectionId)
  const steps = [{ key: 'call', type: 'action', connectionId, toolName, arguments: {} }]
  const input = { name: 'W', trigger: { type: 'external.event' }, concurrency: 50, steps }
  const { workflowId } = CheckedWorkflow.parse((await rest('POST', '/workflows', input)).body)
  const run = { workflowId, workspaceId, connectionId, lane: workflowId, queuedAt: service.storage.clock() }
  const content = { summary: '{"eventName":"e"}', data: '{"event":"e","data":{}}' }
  await service.storage.runs.start(Array(count).fill({ ...run, ...content }), null)
  // They are claimed at the next look of each node.
  return connectionId
}

function never(): never {
  throw new Error('A node was opened.')
}

const countOf = async (rest: Rest, status: string) => {
  const { body } = await rest('GET', `/runs?status=${status}&limit=200`)
  const { runs }: { runs?: unknown[] } = Object(body)
  return runs?.length ?? 0
}

describe('calls in a rate limit of ten in a second', () => {
  for (const nodeCount of [1, 3])
    test(`arrive at no more than that in any second, over ${nodeCount} nodes`, async () => {
      const nodes = await openNodes(nodeCount, unhurried)
      const [{ rest } = never()] = nodes
      const arrivals: number[] = []
      const system = await startExternalSystem((_request, response) => {
        arrivals.push(Date.now())
        response.setHeader('content-type', 'application/json').end('{}')
      })
      await startRuns(nodes, system, 35, { rateLimit: { calls: 10, perSeconds: 1 } })
      await eventually(async () => expect(await countOf(rest, 'succeeded')).toBe(35))
      expect(arrivals).toHaveLength(35)
      for (const [index, from] of arrivals.entries())
        expect(arrivals.slice(index).filter(at => at < from + 1000).length).toBeLessThanOrEqual(
          10 + nodeCount,
        )
    })
})

test('an answer with Retry-After stops the calls of all nodes until then, and uses no attempt', async () => {
  const nodes = await openNodes(3, unhurried)
  const [{ rest } = never()] = nodes
  const asked: number[] = []
  const arrivals: number[] = []
  const system = await startExternalSystem((_request, response) => {
    arrivals.push(Date.now())
    response.statusCode = asked.length === 0 ? 429 : 200
    if (asked.length === 0) {
      asked.push(Date.now())
      response.setHeader('retry-after', '5')
    }
    response.setHeader('content-type', 'application/json').end('{}')
  })
  const connectionId = await startRuns(nodes, system, 1)
  const pauses = async () =>
    Promise.all(
      nodes.map(async node =>
        Reflect.get(Object((await node.rest('GET', `/connections/${connectionId}`)).body), 'pausedUntil'),
      ),
    )
  await eventually(async () => expect(await pauses()).not.toContain(null))
  const [until] = await pauses()
  expect(await pauses()).toEqual([until, until, until])
  const { storage } = nodes[1]?.service ?? never()
  const [workflow] = storage.config.snapshot().workflows.values()
  const run = {
    ...{ workflowId: workflow?.workflowId ?? '', workspaceId: workflow?.workspaceId ?? '', connectionId },
    ...{ lane: workflow?.workflowId ?? '', queuedAt: storage.clock() },
    ...{ summary: '{"eventName":"e"}', data: '{"event":"e","data":{}}' },
  }
  await storage.runs.start(Array(20).fill(run), null)
  await eventually(async () => expect(await countOf(rest, 'succeeded')).toBe(21))
  expect(arrivals).toHaveLength(22)
  const [first = 0, second = 0] = arrivals
  // The clocks of the database and of this process may differ a little.
  expect(second - first).toBeGreaterThan(4500)
})
