import { describe, expect } from 'vitest'
import { z } from 'zod'
import { Connection } from '#shared/model/connection.ts'
import { CheckedWorkflow } from '#shared/model/workflow.ts'
import { createAction } from '../support/actions.ts'
import { eventually } from '../support/eventually.ts'
import { type ExternalSystem, startExternalSystem } from '../support/external-system.ts'
import { testMs } from '../support/patience.ts'
import { createConnection, type Rest } from '../support/rest-client.ts'
import { openNodes, test } from './open-nodes.ts'

/** On a busy machine, a call may take long to arrive. */
const unhurried = { service: { callArrivesWithinMs: testMs } }

type Nodes = Awaited<ReturnType<typeof openNodes>>

/** Creates a connection, and a workflow that calls it. Returns the connection’s id, and what starts runs without events. */
async function connect(nodes: Nodes, system: ExternalSystem, fields: object = {}) {
  const [{ rest, service } = never()] = nodes
  const { connectionId, workspaceId } = await createConnection(rest, { baseUrl: system.url, ...fields })
  const { toolName } = await createAction(rest, connectionId)
  const steps = [{ key: 'call', type: 'action', connectionId, toolName, arguments: {} }]
  const input = { name: 'W', trigger: { type: 'external.event' }, concurrency: 50, steps }
  const { workflowId } = CheckedWorkflow.parse((await rest('POST', '/workflows', input)).body)
  const { storage } = service
  return {
    connectionId,
    async start(count: number) {
      const run = { workflowId, workspaceId, connectionId, lane: workflowId, queuedAt: storage.clock() }
      const content = { summary: '{"eventName":"e"}', data: '{"event":"e","data":{}}' }
      // They are claimed at the next look of each node.
      await storage.runs.start(Array(count).fill({ ...run, ...content }), null)
    },
  }
}

function never(): never {
  throw new Error('A node was opened.')
}

const Runs = z.object({ runs: z.array(z.object({ attempt: z.int() })) })

async function countOf(rest: Rest, status: string): Promise<number> {
  return Runs.parse((await rest('GET', `/runs?status=${status}&limit=200`)).body).runs.length
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
      const { start } = await connect(nodes, system, { rateLimit: { calls: 10, perSeconds: 1 } })
      await start(25)
      await eventually(async () => expect(await countOf(rest, 'succeeded')).toBe(25))
      expect(arrivals).toHaveLength(25)
      for (const [index, from] of arrivals.entries())
        expect(arrivals.slice(index).filter(at => at < from + 1000).length).toBeLessThanOrEqual(
          10 + nodeCount,
        )
    })
})

test('an answer with Retry-After stops the calls of all nodes until one ends the pause, and uses no attempt', async () => {
  const nodes = await openNodes(3, unhurried)
  const [{ rest } = never()] = nodes
  let asksToWait = true
  const system = await startExternalSystem((_request, response) => {
    response.statusCode = asksToWait ? 429 : 200
    if (asksToWait) response.setHeader('retry-after', '3600')
    response.setHeader('content-type', 'application/json').end('{}')
  })
  const { connectionId, start } = await connect(nodes, system)
  await start(1)
  const pauseOf = async (node: (typeof nodes)[number]) =>
    Connection.loose().parse((await node.rest('GET', `/connections/${connectionId}`)).body).pausedUntil
  const pauses = () => Promise.all(nodes.map(pauseOf))
  await eventually(async () => expect(await pauses()).not.toContain(null))
  expect(new Set(await pauses()).size).toBe(1)
  await start(20)
  await eventually(async () => expect(await countOf(rest, 'waiting')).toBe(21))
  expect(system.requests).toHaveLength(1)
  asksToWait = false
  expect((await nodes[2]?.rest('POST', `/connections/${connectionId}/resume`))?.status).toBe(200)
  await eventually(async () => expect(await pauses()).toEqual([null, null, null]))
  await eventually(async () => expect(await countOf(rest, 'succeeded')).toBe(21))
  expect(system.requests).toHaveLength(22)
  const { runs } = Runs.parse((await rest('GET', '/runs?limit=200')).body)
  expect(runs.map(({ attempt }) => attempt)).toEqual(Array(21).fill(1))
})
