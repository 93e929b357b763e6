import fc from 'fast-check'
import { expect, test } from 'vitest'
import { suggestAlias } from '#renderer/features/actions/suggest-alias.ts'

const none = new Set<string>()

test.each([
  ['refund.id', 'refund_id'],
  ['refund.status', 'status'],
  ['refund.amount.value', 'amount'],
  ['order.customer', 'customer'],
  ['order.customer.name', 'customer_name'],
  ['refund.settles_at', 'settles_at'],
  ['id', 'id'],
  ['items.0.sku', 'sku'],
  ['items[0].sku', 'sku'],
  ['items.0', 'items_0'],
  ['order.shippingAddress', 'shipping_address'],
  ['Bestellung.Größe', 'gro_e'],
  ['日本', 'field'],
])('%s gets the alias %s', (path, alias) => {
  expect(suggestAlias(path, none)).toBe(alias)
})

test('a taken alias gets the name of its parent, then a number', () => {
  expect(suggestAlias('order.status', new Set(['status']))).toBe('order_status')
  expect(suggestAlias('order.status', new Set(['status', 'order_status']))).toBe('order_status_2')
  expect(suggestAlias('status', new Set(['status', 'status_2']))).toBe('status_3')
})

test('for any path the alias is new, not empty and not too long', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200, unit: 'grapheme' }), fc.array(fc.string()), (path, others) => {
      const taken = new Set([...others, suggestAlias(path, none)])
      const alias = suggestAlias(path, taken)
      expect(taken.has(alias)).toBe(false)
      expect(alias.length).toBeGreaterThan(0)
      expect(alias.length).toBeLessThanOrEqual(64)
    }),
  )
})
