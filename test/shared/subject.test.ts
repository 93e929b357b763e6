import { expect, test } from 'vitest'
import { subjectOf, subjectVariable } from '#shared/model/subject.ts'

test.each([
  ['order.paid', { total: 5, warehouse_id: 'GOT', order_id: 'ORD-1' }, 'ORD-1'],
  ['order.paid', { orderId: 12, id: 'x' }, '12'],
  ['stock.adjusted', { delta: 3, sku: 'KB-87-GRY' }, 'KB-87-GRY'],
  ['order.paid', { total: 5, order: { number: 'A7' } }, 'A7'],
  ['user.created', { email: 'a@b.example' }, 'a@b.example'],
  ['order.paid', { order_id: ' ', id: 'x'.repeat(65), paid: 'yes' }, null],
  ['order.paid', {}, null],
])('of %s %j a person recognises %s', (eventName, data, subject) => {
  expect(subjectOf(data, eventName)).toBe(subject)
})

test.each([
  ['order.paid', { warehouse_id: 'GOT', order_id: 'ORD-1' }, 'order_id'],
  ['order.paid', { order: { 'odd id': 'A7' } }, 'order["odd id"]'],
  ['order.paid', { total: 5 }, null],
])('of %s %j the same value is the variable %s', (eventName, data, variable) => {
  expect(subjectVariable(data, eventName)).toBe(variable)
})
