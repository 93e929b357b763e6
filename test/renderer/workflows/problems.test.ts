import { expect, test } from 'vitest'
import { conditionText } from '#renderer/entities/workflow/condition-labels.ts'
import { durationText } from '#renderer/entities/workflow/steps/wait.tsx'
import { newDraft, type WorkflowDraft } from '#renderer/features/workflows/builder/draft.ts'
import { ownProblems, problemsOf, shownProblems } from '#renderer/features/workflows/builder/problems.ts'
import { newStep } from '#renderer/features/workflows/builder/steps.ts'
import { effectsOf } from '#renderer/features/workflows/builder/test-rows.ts'
import type { Step } from '#shared/workflows/steps/kinds.ts'

const draftWith = (steps: Step[]): WorkflowDraft => ({ ...newDraft({ eventName: 'order.paid' }), steps })
const known = { connections: new Map(), sample: { order_id: 'ORD-1' } }

test('problems name the field, whether they prevent saving, and the nearest name', () => {
  const draft = draftWith([
    newStep('action', []),
    { key: 'told', type: 'notify', message: 'For {{order_di}}' },
    {
      key: 'again',
      type: 'branch',
      cases: [{ when: { all: [] }, steps: [newStep('notify', [])] }],
      otherwise: [],
    },
  ])
  const problems = problemsOf(draft, known)
  expect(problems.map(({ path, message, blocks }) => [path, message, blocks])).toEqual([
    ['steps.0.connectionId', 'Choose an action.', true],
    ['steps.0.toolName', 'Choose an action.', true],
    ['steps.2.cases.0.when.all', 'Add a condition.', true],
    ['steps.2.cases.0.steps.0.message', 'Write a message.', true],
    ['steps.1.message', 'The event has no field order_di. Did you mean {{order_id}}?', false],
  ])
  expect(problems.at(-1)?.nearest).toBe('{{order_id}}')
  expect(ownProblems(problems, ['steps', 2], draft.steps[2] ?? null).map(({ path }) => path)).toEqual([
    'steps.2.cases.0.when.all',
  ])
  // References are not evaluated before the connections are known.
  expect(problemsOf(draft, null).every(({ blocks }) => blocks)).toBe(true)
})

test('a body that is meant as JSON has to be JSON', () => {
  const request = (body: string, type?: string): Step => ({
    key: 'request',
    type: 'http',
    method: 'POST',
    url: 'https://api.example.com/{{order_id}}',
    body,
    ...(type !== undefined && { headers: { 'content-type': type } }),
  })
  const paths = (body: string, type?: string) =>
    problemsOf(draftWith([request(body, type)]), known).map(({ path }) => path)
  expect(paths('{"id": {{order_id}},}')).toEqual(['steps.0.body'])
  expect(paths('{"id": {{order_id}},}', 'application/json; charset=utf-8')).toEqual(['steps.0.body'])
  expect(paths('{"id": {{order_id}},}', 'text/plain')).toEqual([])
  expect(paths('{"id": {{order_id}}}')).toEqual([])
  expect(paths('{{order_id}}')).toEqual([])
  expect(paths('plain text')).toEqual([])
})

test('conditions, times and effects are put into words', () => {
  expect(
    conditionText({
      all: [
        { value: '{{total}}', operator: 'greater', operand: 500 },
        {
          any: [
            { value: '{{a}}', operator: 'exists' },
            { value: '{{b}}', operator: 'equals', operand: 'x' },
          ],
        },
      ],
    }),
  ).toBe('{{total}} is greater than 500 and ({{a}} has a value or {{b}} is x)')
  expect([1, 60, 5400, 90_061].map(durationText)).toEqual(['1 s', '1 min', '1 h 30 min', '1 d 1 h 1 min 1 s'])
  const call: Step = {
    key: 'call',
    type: 'action',
    connectionId: 'conn_1',
    toolName: 'reserve',
    arguments: {},
  }
  const request: Step = { key: 'get', type: 'http', method: 'GET', url: 'https://api.example.com/a?b={{c}}' }
  const steps: Step[] = [call, { key: 'all', type: 'each', items: '{{lines}}', steps: [call, request] }]
  expect(effectsOf([...steps, newStep('notify', [])], () => 'Warehouse')).toEqual({
    calls: ['Warehouse · reserve', 'GET api.example.com'],
    notifies: true,
  })
})

const tell = (message: string) => ({ key: 'tell', type: 'notify' as const, message })
const asked = (url: string) => ({ key: 'ask', type: 'http' as const, method: 'GET' as const, url })

/** The steps of the saved workflow and of the draft, the fields that were left, and the paths that are shown. */
const shown: readonly [string, Step[] | null, Step[], string[], string[]][] = [
  ['nothing of an untouched new step', null, [tell('')], [], []],
  ['a field that was left', null, [tell('')], ['tell#message'], ['steps.0.message']],
  ['all fields of a step that was left', null, [asked(''), tell('')], ['ask#'], ['steps.0.url']],
  ['no field whose name only begins alike', null, [tell('')], ['tell#mess'], []],
  [
    'a left field after its step has moved',
    null,
    [asked(''), tell('')],
    ['tell#message'],
    ['steps.1.message'],
  ],
  ['what the saved workflow has too', [tell('')], [asked(''), tell('')], [], ['steps.1.message']],
  ['nothing that an edit has just made wrong', [tell('Paid')], [tell('')], [], []],
]

test.each(shown)('shows %s', (_name, savedSteps, steps, left, expected) => {
  const draft = { ...newDraft(), name: 'Paid', steps }
  const saved = savedSteps && {
    steps: savedSteps,
    problems: problemsOf({ ...draft, steps: savedSteps }, null),
  }
  const problems = shownProblems(problemsOf(draft, null), draft, new Set(left), saved)
  expect(problems.map(({ path }) => path)).toEqual(expected)
})
