import { expect, test } from 'vitest'
import { parseExact } from '#shared/json/exact-json.ts'
import { deduplicationKeyOf } from '#shared/workflows/deduplication-key.ts'

const scope = {
  payload: {
    order_id: 'ORD-1',
    exact: parseExact('9007199254740993'),
    paid: false,
    zero: 0,
    empty: '',
    blank: '  ',
    nothing: null,
    lines: [1],
    customer: { id: 7 },
    headers: 'a field',
    long: 'x'.repeat(1000),
  },
  steps: new Map<string, unknown>(),
  headers: { 'webhook-id': 'msg_1' },
}

test.each([
  ['{{order_id}}', 'ORD-1'],
  ['{{order_id}}/{{customer.id}}', 'ORD-1/7'],
  ['{{exact}}', '9007199254740993'],
  ['{{paid}} {{zero}}', 'false 0'],
  ['{{lines[0]}}', '1'],
  ['{{headers.webhook-id}}', 'msg_1'],
  ['{{headers["webhook-id"]}}', 'msg_1'],
  ['{{event.headers}}', 'a field'],
  ['always the same', 'always the same'],
  ['{{long}}', 'x'.repeat(1000)],
])('the key of %s is %s', (template, key) => {
  expect(deduplicationKeyOf(template, scope)).toBe(key)
})

test.each([
  '{{absent}}',
  'order {{absent}}',
  '{{order_id}}/{{empty}}',
  '{{nothing}}',
  '{{blank}}',
  '{{lines}}',
  '{{customer}}',
  '{{headers.other}}',
  '{{steps.first.id}}',
  '{{order_id | upper}} {{order_id}}',
  '{{long}}+',
])('%s gives no key, so that different events are not duplicates', template => {
  expect(deduplicationKeyOf(template, scope)).toBeNull()
})
