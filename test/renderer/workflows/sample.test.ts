import { describe, expect, test } from 'vitest'
import type { Path } from '#renderer/entities/workflow/step-paths.ts'
import { previewOfBody, previewOfHeader, previewOfUrl } from '#renderer/entities/workflow/steps/http.tsx'
import { previewOf, withNearest } from '#renderer/entities/workflow/steps/preview.ts'
import {
  around,
  choicesAt,
  dataOf,
  mergePayloads,
  scopeAt,
} from '#renderer/features/workflows/builder/sample.ts'
import type { Step } from '#shared/workflows/steps/kinds.ts'

const notify = (key: string): Step => ({ key, type: 'notify', message: '' })
const steps: Step[] = [
  notify('first'),
  {
    key: 'check',
    type: 'branch',
    cases: [
      { when: { value: '{{total}}', operator: 'exists' }, steps: [notify('one')] },
      { when: { value: '{{total}}', operator: 'exists' }, steps: [notify('two')] },
    ],
    otherwise: [{ key: 'lines', type: 'each', items: '{{lines}}', steps: [notify('line'), notify('next')] }],
  },
  notify('last'),
]
const payload = { order_id: 'ORD-1', total: 149, lines: [{ sku: 'A', quantity: 2 }] }
const keysBefore = (path: Path) => around(steps, path).before.map(({ key }) => key)
const noFields = () => null

describe('what a step can use', () => {
  test('is the output of the steps before it, those of loops only inside them', () => {
    expect(keysBefore(['steps', 0])).toEqual([])
    expect(keysBefore(['steps', 1, 'cases', 1, 'steps', 0])).toEqual(['first', 'check', 'one'])
    expect(keysBefore(['steps', 1, 'otherwise', 0, 'steps', 1])).toEqual([
      'first',
      'check',
      'one',
      'two',
      'lines',
      'line',
    ])
    expect(keysBefore(['steps', 2])).toEqual(['first', 'check', 'one', 'two', 'lines'])
  })

  test('is offered with its value, the first item of a loop among it', () => {
    const at = around(steps, ['steps', 1, 'otherwise', 0, 'steps', 1])
    const scope = scopeAt(at, payload, new Map([['first', { message: 'Hello' }]]))
    const choices = choicesAt(at, payload, scope, noFields)
    expect(Object.fromEntries(choices.map(({ path, detail }) => [path, detail]))).toMatchObject({
      item: '{"sku":"A","quantity":2}',
      'item.sku': '"A"',
      index: '0',
      order_id: '"ORD-1"',
      'lines.0.quantity': '2',
      'steps.first.message': '"Hello"',
      'steps.line': 'known after the step runs',
      'lines.$length': '1',
      '$run.uuid': 'of the run',
    })
  })
})

describe('a preview', () => {
  const at = around(steps, ['steps', 2])
  const scope = scopeAt(at, payload, new Map())

  test('shows the value with its type, and what has none', () => {
    expect(previewOf('{{total}}', scope)).toEqual({ kind: 'value', value: 149, absent: [] })
    expect(previewOf({ of: '{{nothing}}' }, scope)).toEqual({
      kind: 'value',
      value: {},
      absent: ['nothing'],
    })
    expect(previewOf('{{total}}', null)).toBeNull()
  })

  test('shows why a step would fail', () => {
    const missing = { kind: 'failed', why: 'no value in this event' }
    expect(previewOfUrl('https://x.example/{{nothing}}', scope)).toEqual(missing)
    expect(previewOfUrl('https://x.example/{{order_id}}?q={{nothing}}', scope)).toMatchObject({
      value: 'https://x.example/ORD-1?q=',
    })
    expect(previewOfHeader('X-Id', '{{nothing}}', scope)).toEqual(missing)
    expect(previewOfBody('{{nothing}}', '', scope)).toEqual(missing)
    expect(previewOfUrl('https://x.example/{{empty}}', { ...scope, payload: { empty: '' } })).toMatchObject({
      kind: 'failed',
      why: expect.stringContaining('empty'),
    })
  })

  test('waits for the output of a step that has not run', () => {
    expect(previewOf('As {{steps.first.message}}', scope)).toEqual({ kind: 'later', key: 'first' })
  })

  test('does not write more than a step may insert', () => {
    const large = scopeAt(at, { text: 'x'.repeat(1024 * 1024) }, new Map())
    expect(previewOf('{{text}} {{text}}', large)).toEqual({ kind: 'too-large' })
  })
})

test('payloads are merged with all their fields, the first one’s values before the others', () => {
  expect(
    mergePayloads([
      { id: 1, customer: { name: 'Maya' }, lines: [], note: null },
      { id: 2, customer: { name: 'Ola', city: 'Lund' }, lines: [{ sku: 'A' }], note: 'Gift' },
    ]),
  ).toEqual({ id: 1, customer: { name: 'Maya', city: 'Lund' }, lines: [{ sku: 'A' }], note: 'Gift' })
  expect(mergePayloads([])).toBeNull()
})

test('only a JSON object is the data of an event, and its numbers keep their digits', () => {
  expect(JSON.stringify(dataOf('{"total":149.00}'))).toBe('{"total":149.00}')
  for (const text of ['', '[]', '1.0', 'null', '{']) expect(dataOf(text)).toBeNull()
})

test('the nearest name replaces the variable that is wrong', () => {
  const isKnown = (path: string) => path in payload
  expect(withNearest('{{order_id}}: {{totl}} of {{sum}}', '{{total}}', isKnown)).toBe(
    '{{order_id}}: {{total}} of {{sum}}',
  )
  expect(withNearest('{{order_id}} {{oder_id}}', '{{order_id}}', isKnown)).toBe('{{order_id}} {{order_id}}')
  expect(withNearest('reserve_stok', 'reserve_stock', isKnown)).toBe('reserve_stock')
})
