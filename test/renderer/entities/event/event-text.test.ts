import fc from 'fast-check'
import { expect, test } from 'vitest'
import { payloadOf } from '#main/workflows/run-view.ts'
import { distinguishingField, readEventText, triggerText } from '#renderer/entities/event/event-text.ts'

test.each([
  ['{"event":"a","data":{"n":9007199254740993,"order_id":"ORD-1"}}', 'ORD-1'],
  ['{"event":"a","data":{"n":9007199254740993}}', 'n 9007199254740993'],
  [
    '{"event":"a","data":{"empty":"","long":"0123456789012345678901234567890123456789012345678","id":"x"}}',
    'x',
  ],
  ['{"event":"a","data":{"nested":{"id":"x"}}}', null],
  ['{"event":"a"}', null],
  ['{"event":"a","data":null}', null],
])('of %s the row says %s', (body, field) => {
  expect(readEventText(body)?.field).toBe(field)
})

test('keeps the original text of data, and of a duplicate key the last value', () => {
  expect(readEventText('{ "data":{"a":1}, "event":"x", "data" : { "n": 1.00 } }')?.dataText).toBe(
    '{ "n": 1.00 }',
  )
  expect(readEventText('{"event":"x","data":null}')?.dataText).toBe('{}')
})

test('returns null for a truncated text', () => {
  expect(readEventText('{"event":"order.paid","data":{"a":{}')).toBeNull()
  expect(distinguishingField('{"a":')).toBeNull()
})

test('the trigger keeps digits, and the service’s keys replace fields of the same name', () => {
  const data = '{"eventName":"mine","total":149.00,"number":9007199254740993,"total":150.0}'
  expect(triggerText(data, 'order.paid', 'conn_1')).toBe(
    '{"eventName":"order.paid","total":150.0,"number":9007199254740993,"connectionId":"conn_1"}',
  )
})

test('the trigger equals the one that the service raises', () => {
  const safeKey = fc.string().filter(key => key !== '__proto__')
  fc.assert(
    fc.property(fc.dictionary(safeKey, fc.jsonValue()), data => {
      const payload = payloadOf(JSON.stringify({ event: 'order.paid', data }), 'conn_1')
      const shown: unknown = JSON.parse(triggerText(JSON.stringify(data), 'order.paid', 'conn_1'))
      expect(shown).toEqual(JSON.parse(JSON.stringify(payload)))
    }),
  )
})
