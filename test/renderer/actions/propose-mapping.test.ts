import { describe, expect, test } from 'vitest'
import { proposeMapping } from '#renderer/features/actions/propose-mapping.ts'

const propose = (value: unknown) =>
  Object.fromEntries(proposeMapping(JSON.stringify(value)).map(({ alias, path }) => [alias, path]))

describe('a proposed mapping', () => {
  test('keeps what identifies and describes, under short names', () => {
    expect(
      propose({
        refund: { id: 'rf_1', status: 'pending', amount: { value: 49, currency: 'EUR' } },
        order: { id: 'ORD-1', customer: { name: 'Maya', notes: '' } },
        _links: { self: { href: 'https://api.example.com/refunds/1' } },
        meta: { version: 3 },
      }),
    ).toEqual({
      refund_id: 'refund.id',
      status: 'refund.status',
      amount: 'refund.amount.value',
      currency: 'refund.amount.currency',
      order_id: 'order.id',
      customer_name: 'order.customer.name',
    })
  })

  test('leaves out prose, empty values and long lists, and takes a short list as a whole', () => {
    expect(
      propose({
        id: 1,
        terms: 'word '.repeat(100),
        tags: ['a', 'b'],
        lines: Array.from({ length: 200 }, (_, index) => ({ sku: `KB-${index}`, quantity: 1 })),
        nothing: null,
        none: [],
      }),
    ).toEqual({ id: 'id', tags: 'tags' })
  })

  test('prefers telling names and stays short with a wide response', () => {
    const wide = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`field${index}`, 'x'.repeat(50)]),
    )
    const proposed = propose({ ...wide, status: 'open', order_id: 'ORD-1' })
    expect(Object.keys(proposed).length).toBeLessThanOrEqual(12)
    expect(proposed).toMatchObject({ status: 'status', order_id: 'order_id' })
  })

  test('is empty for what has no fields', () => {
    for (const text of ['', 'not JSON', '[]', '[{"id":1}]', '"text"', '{}', 'null'])
      expect(proposeMapping(text)).toEqual([])
  })

  test('reads nested and long lists of up to half a megabyte, and nothing longer', () => {
    const nested = (items: number) =>
      `{"id":1,"deep":${'['.repeat(500)}${']'.repeat(500)},"many":[${'1,'.repeat(items)}1]}`
    expect(proposeMapping(nested(200_000))).toEqual([{ alias: 'id', path: 'id' }])
    expect(proposeMapping(nested(2_000_000))).toEqual([])
  })
})
