import { expect, test } from 'vitest'
import { excerptLabel } from '#renderer/features/palette/excerpt-labels.ts'

test.each([
  [
    '{"event":"order.paid","data":{"order_id":"ORD-20418","total":149.00}}',
    'order_id ORD-20418 · total 149.00',
  ],
  ['{ "event" : "order.paid",\n  "data" : { "a" : "x, y",\n "b" : [1, 2] } }', 'a x, y · b 1, 2'],
  ['{"event":"order.paid"}', ''],
  ['{"event":"order.paid","data":{}}', ''],
  ['{"data":{"id":"A-1"},"event":"order.paid"}', 'id A-1'],
  ['{"event":"order.paid","data":{"at":"2026-11-21T13:32:19Z"}}', 'at 2026-11-21T13:32:19Z'],
  [
    '{"event":"order.paid","data":{"customer":{"name":"M\\u00fcller \\"Mo\\"\\nKG"}}}',
    'customer name Müller Mo KG',
  ],
  ['{"event":"order.paid","data":{"lines":[{"sku":"A"},{"sku":"B"}]}}', 'lines sku A · sku B'],
  [
    '"ORD-20418","total":149.00,"customer":{"name":"Maya Lind',
    '…ORD-20418 · total 149.00 · customer name Maya Lind…',
  ],
])('the excerpt %j reads %j', (excerpt, words) => {
  expect(excerptLabel(excerpt, 'order.paid')).toBe(words)
})
