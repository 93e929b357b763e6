import { expect, test } from 'vitest'
import type { Config } from '#main/storage/config.ts'
import { diffConfig } from '#main/storage/config-diff.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { lanesOf } from '#main/workflows/lanes.ts'
import { Workflow } from '#shared/model/workflow.ts'
import { webhookWorkflowId } from '#shared/platform/webhook-workflow.ts'
import { exampleConnection, now, withConnections } from '../storage/config-fixtures.ts'

const at = new Date(now).toISOString()
const webhookLane = webhookWorkflowId('default')
const held = new Map([['conn_a', { record: exampleConnection('conn_a'), deletedAt: now, place: 0 }]])

function workflow(workflowId: string, more: Partial<Workflow> = {}): Workflow {
  const fields = { workspaceId: 'default', name: 'W', createdAt: at, updatedAt: at }
  const steps = [{ key: 'end', type: 'stop', outcome: 'succeeded' }]
  return Workflow.parse({ workflowId, ...fields, trigger: { type: 'external.event' }, steps, ...more })
}

function configWith(...workflows: Workflow[]): Config {
  const byId = new Map(workflows.map(one => [one.workflowId, one]))
  return { ...withConnections(newConfig(now), exampleConnection('conn_a')), workflows: byId }
}

const base = configWith(
  workflow('wf_a', { enabled: true, concurrency: 3 }),
  workflow('wf_b', { enabled: true, ordered: true }),
  workflow('wf_c', { enabled: false }),
)
const limitsOf = (...given: Parameters<typeof lanesOf>) => Object.fromEntries(lanesOf(...given))

test('the limits of all lanes', () => {
  expect(limitsOf(base, null)).toEqual({ wf_a: 3, wf_b: 'ordered', wf_c: 0, [webhookLane]: 'cancelled' })
})

test('an update limits the lanes that it changes, and cancels those of deleted workflows', () => {
  const next = configWith(workflow('wf_a', { enabled: false }), workflow('wf_d', { enabled: true }))
  expect(limitsOf(next, diffConfig(base, { ...next, workspaces: base.workspaces }))).toEqual({
    ...{ wf_a: 0, wf_b: 'cancelled', wf_c: 'cancelled', wf_d: 10 },
  })
})

test('an update of something else limits no lane', () => {
  expect(lanesOf({ ...base }, diffConfig(base, { ...base }))).toEqual([])
})

test('a connection that is held pauses the workflows that depend on it', () => {
  const after: Config = { ...base, held }
  expect(limitsOf(after, diffConfig(base, after))).toEqual({ wf_a: 0, wf_b: 0, wf_c: 0 })
  expect(limitsOf(base, diffConfig(after, base))).toEqual({ wf_a: 3, wf_b: 'ordered', wf_c: 0 })
})

test('the deliveries to a webhook go on while a connection is held', () => {
  const [workspace] = base.workspaces.values()
  if (workspace === undefined) throw new Error('There is a default workspace.')
  const webhook = { url: 'https://a.example', secretVariable: 'KEY', enabled: true, alerts: false }
  const workspaces = new Map([['default', { ...workspace, webhook }]])
  expect(limitsOf({ ...base, workspaces, held }, null)[webhookLane]).toBe(10)
})

test('a lane with runs is cancelled if its workflow does not exist, unless they are tests', () => {
  const lanes = limitsOf(base, null, ['wf_a', 'wf_gone', 'test/wf_gone'])
  expect(lanes).toMatchObject({ wf_a: 3, wf_gone: 'cancelled' })
  expect(lanes).not.toHaveProperty('test/wf_gone')
})
