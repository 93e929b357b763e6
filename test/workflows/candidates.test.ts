import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ChoosyWorkflow } from '#main/workflows/candidates.ts'
import { createSubscriptions } from '#main/workflows/subscriptions.ts'
import { eventValues } from '#main/workflows/trigger-condition.ts'
import { Condition } from '#shared/model/condition.ts'
import { Workflow } from '#shared/model/workflow.ts'
import type { Scope } from '#shared/workflows/scope.ts'
import { anyCondition, anyValue } from '../support/any-condition.ts'

const event = { eventName: 'order.created', connectionId: 'conn_a' }
const equals = (value: string, operand: unknown): Condition =>
  Condition.parse({ value, operator: 'equals', operand })

/** Returns what finds the workflows that an event may fit, first without an index and then with one. */
function candidatesOf(conditions: readonly (Condition | undefined)[]) {
  const at = '2026-01-01T00:00:00.000Z'
  const workflows = conditions.map((when, index) =>
    Workflow.parse({
      ...{ workflowId: `wf_${index}`, workspaceId: 'default', name: 'W', createdAt: at, updatedAt: at },
      ...{ steps: [], trigger: { type: 'external.event', when, once: { key: '{{id}}', hours: 1 } } },
    }),
  )
  const { candidates } = createSubscriptions(workflows)('default', event)
  return (payload: Record<string, unknown>, most = 1e9) => {
    const scope: Scope = { payload, headers: { 'x-kind': 'opened' }, steps: new Map() }
    const values = eventValues(scope, most)
    const [all, found, again] = [candidates(values), candidates(values), candidates(values)]
    expect(found).toEqual(again)
    const decisions = (some: readonly ChoosyWorkflow[]) =>
      some.flatMap(({ workflow, fits }) => {
        const decided = decide(() => fits?.(values, { left: 1e9 }) ?? true)
        return decided === false ? [] : [[workflow.workflowId, decided]]
      })
    return { all: decisions(all), indexed: decisions(found), ids: found.map(one => one.workflow.workflowId) }
  }
}

function decide(fits: () => boolean): boolean | string {
  try {
    return fits()
  } catch (error) {
    return String(error)
  }
}

test('an index finds each workflow whose condition an event fits, and each that cannot be decided, in order', () => {
  // They throw, so their runs have to be stored and to fail.
  const wrong = ['{{a*2}}', '{{a * 2}}', '{{a}} {{a'].map(template => equals(template, 5))
  const anyPart = fc.oneof(anyCondition, fc.constantFrom<Condition>(...wrong, { any: wrong }))
  const anyNeeding = fc
    .tuple(fc.constantFrom('{{a}}', '{{a}}{{c}}', '{{a}} {{none}}', 'open'), anyValue)
    .map(([template, value]) => equals(template, value))
  const anyWhen = fc.oneof(
    anyPart,
    fc.tuple(anyNeeding, anyPart).map(all => ({ all })),
    fc.tuple(anyPart, anyNeeding).map(all => ({ all })),
    fc.tuple(anyNeeding, fc.oneof(anyNeeding, anyPart)).map(any => ({ any })),
    fc.constant(undefined),
  )
  fc.assert(
    fc.property(
      fc.array(anyWhen, { minLength: 1, maxLength: 20 }),
      fc.record({ a: anyValue, c: anyValue }),
      (conditions, payload) => {
        const { all, indexed } = candidatesOf(conditions)(payload)
        expect(indexed).toEqual(all)
      },
    ),
    { numRuns: 500 },
  )
})

test('an event is compared only with the conditions that need its values, the rarest first', () => {
  const repositories = Array.from({ length: 100 }, (_, index) => ({
    all: [equals('{{action}}', 'opened'), equals('{{repository.id}}', index)],
  }))
  const find = candidatesOf([
    ...repositories,
    equals('{{action}}', 'closed'),
    equals('{{action}}', 'opened'),
    { any: [equals('{{action}}', 'never'), { value: '{{action}}', operator: 'exists' }] },
    { any: [equals('{{action}}', 'closed'), { all: [equals('{{action}}', 'opened')] }] },
    { any: [equals('{{action}}', 'closed'), equals('{{kind}}', 'closed')] },
    undefined,
  ])
  expect(find({ action: 'opened', repository: { id: '7.0' } }).ids).toEqual([
    'wf_7',
    'wf_101',
    'wf_102',
    'wf_103',
    'wf_105',
  ])
  expect(find({ action: { of: 'opened' } }).ids).toEqual(['wf_102', 'wf_105'])
})

test('templates are rendered once, as long as their values are short', () => {
  const find = candidatesOf(
    Array.from({ length: 100 }, (_, index) => equals('{{owner}}/{{name}}', `acme/${index}`)),
  )
  expect(find({ owner: 'acme', name: 7 }).ids).toEqual(['wf_7'])
  expect(find({ owner: 'x'.repeat(1e6), name: 7 }, 1e5).ids).toHaveLength(100)
})
