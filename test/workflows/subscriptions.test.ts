import { expect, test } from 'vitest'
import type { WorkflowRecord } from '#main/storage/config.ts'
import { createSubscriptions } from '#main/workflows/subscriptions.ts'
import { Workflow } from '#shared/model/workflow.ts'
import { takes } from '#shared/workflows/takes.ts'

const workflow = (workflowId: string, more: Partial<WorkflowRecord> = {}): WorkflowRecord => {
  const at = '2026-01-01T00:00:00.000Z'
  return Workflow.parse({
    ...{ workflowId, workspaceId: 'default', name: 'W', createdAt: at, updatedAt: at, steps: [] },
    ...{ trigger: { type: 'external.event' }, ...more },
  })
}

test('finds the workflows that take an event, in their order', () => {
  const names = [null, 'order.*', 'order.created', 'order.created.*', 'order', 'other.*', 'order.paid']
  const workflows = names.flatMap((eventName, index) =>
    [null, 'conn_a', 'conn_b'].map((connectionId, at) =>
      workflow(`wf_${index}_${at}`, { trigger: { type: 'external.event', connectionId, eventName } }),
    ),
  )
  const subscribersOf = createSubscriptions(workflows)
  for (const eventName of ['order.created', 'order', 'order.created.now', 'orders.paid', 'order.paid', 'x'])
    for (const connectionId of ['conn_a', 'conn_c']) {
      const event = { eventName, connectionId }
      const expected = workflows.filter(({ trigger }) => takes(trigger, event))
      // Twice: an answer with many workflows is kept.
      for (let n = 0; n < 2; n++) {
        const found = subscribersOf('default', event)
        expect(found.workflows).toEqual(expected)
        expect(found.workflowIds).toEqual(expected.map(({ workflowId }) => workflowId))
      }
    }
})

test('leaves out disabled workflows and those of other workspaces', () => {
  const subscribersOf = createSubscriptions([
    ...[
      workflow('wf_a', { enabled: false }),
      workflow('wf_b'),
      workflow('wf_c', { workspaceId: 'ws_other' }),
    ],
  ])
  const event = { eventName: 'order', connectionId: 'conn_a' }
  expect(subscribersOf('default', event).workflowIds).toEqual(['wf_b'])
  expect(subscribersOf('unknown', event).workflowIds).toEqual([])
})
