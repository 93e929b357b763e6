import fc from 'fast-check'
import { expect, test } from 'vitest'
import { payloadOf } from '#main/workflows/run-view.ts'
import { triggerText } from '#renderer/entities/event/event-text.ts'

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
