import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createConnection } from '#main/connections/connections.ts'
import { exportWorkflow, readWorkflow } from '#main/importing/workflow-document.ts'
import type { Config, WorkflowRecord } from '#main/storage/config.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { workflowIssues } from '#shared/workflows/references.ts'
import type { Step } from '#shared/workflows/steps/kinds.ts'
import { countingRandom, now, nowMs } from '../connections/fixtures.ts'

const names = ['Orders', 'Warehouse', 'Twice', 'Twice', '__proto__']

/** A configuration with connections of these names, and one in another workspace. */
function stocked() {
  const random = countingRandom()
  let config: Config = newConfig(nowMs)
  const ids: string[] = []
  for (const name of names) {
    const { next, result } = createConnection(config, { name }, now, random)
    config = next
    ids.push(result.connectionId)
  }
  return { config, ids }
}
const { config, ids } = stocked()

const workflow = (fields: Partial<WorkflowRecord>): WorkflowRecord => ({
  workflowId: 'wf_a',
  workspaceId: 'default',
  name: 'Reserve',
  enabled: false,
  trigger: { type: 'external.event', connectionId: null, eventName: null },
  steps: [],
  ordered: false,
  concurrency: 10,
  createdAt: now,
  updatedAt: now,
  ...fields,
})

const read = (document: unknown) => readWorkflow(config, 'default', JSON.stringify(document))
const portable = ({ name, enabled, trigger, steps, ordered, concurrency }: WorkflowRecord) => ({
  ...{ name, enabled, trigger, steps, ordered, concurrency },
})

const connectionId = fc.constantFrom(...ids, 'conn_gone')
const template = fc.string({ maxLength: 20 }).filter(text => !text.includes('whsec_'))
const json = fc
  .jsonValue({ maxDepth: 2 })
  .map(value => JSON.stringify(value))
  .filter(text => !text.includes('whsec_') && !text.includes('__proto__') && !/\d{15}|e[+-]?\d/i.test(text))
  .map(text => JSON.parse(text))
const { steps: anySteps } = fc.letrec<{ steps: Step[]; step: Step }>(tie => ({
  steps: fc.array(tie('step'), { maxLength: 3, depthIdentifier: 'steps' }),
  step: fc.oneof(
    { depthIdentifier: 'steps', maxDepth: 3, withCrossShrink: true },
    fc.record({ key: fc.constant('k'), type: fc.constant('notify' as const), message: fc.constant('{{a}}') }),
    fc.record({
      key: fc.constant('k'),
      type: fc.constant('action' as const),
      connectionId,
      toolName: fc.constant('reserve'),
      arguments: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), json, { maxKeys: 2 }),
    }),
    fc.record({
      key: fc.constant('k'),
      type: fc.constant('http' as const),
      method: fc.constantFrom('GET' as const, 'POST' as const),
      url: fc.constant('https://a.example/{{id}}'),
      signWith: connectionId,
    }),
    fc.record({
      key: fc.constant('k'),
      type: fc.constant('branch' as const),
      cases: fc.array(
        fc.record({
          when: fc.record({ value: template, operator: fc.constant('equals' as const), operand: template }),
          steps: tie('steps'),
        }),
        { minLength: 1, maxLength: 2 },
      ),
      otherwise: tie('steps'),
    }),
    fc.record({
      key: fc.constant('k'),
      type: fc.constant('each' as const),
      items: template,
      steps: tie('steps'),
    }),
  ),
}))

/** Gives every step a key of its own. */
function keyed(steps: readonly Step[], next: { key: number }): Step[] {
  return steps.map(step => {
    const key = `k${next.key++}`
    if (step.type === 'each') return { ...step, key, steps: keyed(step.steps, next) }
    if (step.type !== 'branch') return { ...step, key }
    const cases = step.cases.map(one => ({ ...one, steps: keyed(one.steps, next) }))
    return { ...step, key, cases, otherwise: keyed(step.otherwise, next) }
  })
}

describe('an import of an export', () => {
  test('gives the same workflow, for any workflow', () => {
    fc.assert(
      fc.property(anySteps, fc.option(connectionId), fc.boolean(), (steps, from, ordered) => {
        const trigger = { type: 'external.event' as const, connectionId: from, eventName: 'order.*' }
        const given = workflow({ steps: keyed(steps, { key: 0 }), trigger, ordered })
        const { fields, issues } = read(exportWorkflow(config, given))
        expect(fields).toEqual(portable(given))
        expect(issues.every(({ message }) => message.includes('conn_gone'))).toBe(true)
      }),
    )
  })

  test('names connections, and writes the id of one whose name is not unique', () => {
    const step = { key: 'a', type: 'action' as const, toolName: 'reserve', arguments: {} }
    const steps = ids.map((connectionId, index) => ({ ...step, key: `a${index}`, connectionId }))
    expect(exportWorkflow(config, workflow({ steps })).workflow.steps).toMatchObject([
      { connection: 'Orders', toolName: 'reserve' },
      { connection: 'Warehouse' },
      { connection: ids[2] },
      { connection: ids[3] },
      { connection: '__proto__' },
    ])
  })
})

describe('an import', () => {
  const document = (fields: object) => ({ version: 1, workflow: { name: 'A', trigger: {}, ...fields } })
  const action = { key: 'a', type: 'action', connection: 'Orders', toolName: 'reserve' }

  test('keeps a workflow with a connection that does not exist, disabled', () => {
    const trigger = { type: 'external.event', connection: 'ERP (new)' }
    const { fields, issues } = read(document({ trigger, enabled: true }))
    expect(fields).toMatchObject({
      enabled: false,
      trigger: { connectionId: 'conn_missing_ERP--new-', eventName: null },
    })
    expect(issues).toMatchObject([
      {
        path: 'workflow.trigger.connection',
        severity: 'warning',
        line: 1,
        message: expect.stringContaining('"ERP (new)"'),
      },
    ])
  })

  test('disables a workflow with an action that does not exist', () => {
    const trigger = { type: 'external.event' }
    expect(read(document({ trigger, steps: [action] })).fields).toMatchObject({ enabled: false })
    expect(read(document({ trigger })).fields).toMatchObject({ enabled: true })
  })

  test.each([
    [
      'a name of several connections',
      { steps: [{ ...action, connection: 'Twice' }] },
      'workflow.steps[0].connection',
    ],
    ['a step without its fields', { steps: [{ key: 'a', type: 'notify' }] }, 'workflow.steps[0].message'],
    ['a key used twice', { steps: [action, { ...action }] }, 'workflow.steps[1].key'],
    ['a signing secret', { name: 'whsec_abcdef' }, 'workflow.name'],
  ])('refuses %s', (_what, fields, path) => {
    const { fields: read1, issues } = read(document({ trigger: { type: 'external.event' }, ...fields }))
    expect(read1).toBeNull()
    expect(issues).toContainEqual(expect.objectContaining({ path, severity: 'error' }))
  })

  test('keeps text in double braces that is not a variable, which has an issue', () => {
    const steps = [{ key: 'a', type: 'notify', message: 'Paid {{total | round}}' }]
    const { fields } = read(document({ trigger: { type: 'external.event' }, steps }))
    expect(fields && workflowIssues(fields, { ...config, sample: null })).toMatchObject([
      { stepKey: 'a', path: 'steps.0.message', code: 'invalid_variable', severity: 'error' },
    ])
  })

  test('names a step type that does not exist, and the nearest one', () => {
    const steps = [{ key: 'a', type: 'notfy', message: 'x' }]
    expect(read(document({ trigger: { type: 'external.event' }, steps })).issues).toMatchObject([
      {
        path: 'workflow.steps[0].type',
        message: 'There is no type "notfy". Did you mean "notify"?',
        severity: 'error',
      },
    ])
  })

  test('warns of unknown fields, with the nearest name, and refuses what is not JSON or too long', () => {
    const unknown = read({ ...document({ trigger: { type: 'external.event' }, enabeld: false }), extra: 1 })
    expect(unknown.fields).toMatchObject({ name: 'A' })
    expect(unknown.issues).toMatchObject([
      { path: 'workflow.enabeld', severity: 'warning', message: expect.stringContaining('`enabled`') },
      { path: 'extra', severity: 'warning' },
    ])
    expect(readWorkflow(config, 'default', '{"version": 1,\n"workflow": }')).toMatchObject({
      fields: null,
      issues: [{ line: 2, severity: 'error' }],
    })
    expect(read({ ...document({}), extra: 'x'.repeat(1024 * 1024) }).fields).toBeNull()
  })
})
