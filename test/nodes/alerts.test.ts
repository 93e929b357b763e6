import { expect } from 'vitest'
import { z } from 'zod'
import { eventually } from '../support/eventually.ts'
import { openNodes, test } from './open-nodes.ts'

const day = 24 * 3_600_000
const Runs = z.object({ runs: z.array(z.object({ eventName: z.string() })) })

test('steps of all nodes at once open one alert, and start one run for each workflow', async () => {
  const nodes = await openNodes(3)
  const [first] = nodes
  if (first === undefined) throw new Error('Three nodes were opened.')
  const { rest } = first
  const workflow = {
    name: 'Page',
    trigger: { type: 'external.event', connectionId: 'conn_service', eventName: 'service.backup_old.*' },
    steps: [{ key: 'end', type: 'stop', outcome: 'succeeded' }],
  }
  const { body } = await rest('POST', '/workflows', workflow)
  const { workflowId } = z.object({ workflowId: z.string() }).parse(body)
  // None of the conditions of the computer that runs this test.
  await rest('PATCH', '/watch', { disk: { enabled: false } })
  await rest('POST', '/backups/note', { at: Date.now() - 3 * day })
  for (const node of nodes)
    await eventually(async () =>
      expect((await node.rest('GET', `/workflows/${workflowId}`)).status).toBe(200),
    )
  await Promise.all(nodes.flatMap(({ service }) => [service.alerts.step(), service.alerts.step()]))
  for (const node of nodes)
    expect((await node.rest('GET', '/alerts')).body).toMatchObject([{ kind: 'backup_old', state: 'open' }])
  const { runs } = Runs.parse((await rest('GET', `/runs?workflowId=${workflowId}`)).body)
  expect(runs).toEqual([expect.objectContaining({ eventName: 'service.backup_old.opened' })])
})
