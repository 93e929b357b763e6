import { hourMs } from '#shared/durations.ts'
/** An order of the sample's order system, as its answers show it. */
export type Order = {
  readonly id: string
  readonly status: 'created' | 'paid' | 'shipped' | 'cancelled'
  /** ISO 8601. */
  readonly created_at: string
  readonly customer: { readonly name: string; readonly email: string }
  readonly lines: readonly { readonly sku: string; readonly quantity: number }[]
  readonly total: { readonly value: number; readonly currency: string }
  /** The refunded part of the total, in the same currency. */
  readonly refunded: number
  readonly delivery: {
    readonly carrier: string | null
    readonly tracking_url: string | null
    readonly address: Record<'street' | 'postal_code' | 'city' | 'country', string>
  }
}

const maya = { name: 'Maya Lindqvist', email: 'maya.lindqvist@example.com' }
const jonas = { name: 'Jonas Berg', email: 'jonas.berg@example.com' }
const toMaya = { street: 'Storgatan 12', postal_code: '211 34', city: 'Malmö', country: 'SE' }
const toJonas = { street: 'Lindenweg 4', postal_code: '20359', city: 'Hamburg', country: 'DE' }
const notSent = { carrier: null, tracking_url: null }

/**
 * Returns the orders of the sample document's examples, newest first.
 *
 * @param nowMs milliseconds since 1970; the orders are hours and days older.
 */
export function ordersAt(nowMs: number): Order[] {
  const ago = (hours: number) => new Date(nowMs - hours * hourMs).toISOString()
  const euros = (value: number) => ({ value, currency: 'EUR' })
  return [
    {
      id: 'ORD-20419',
      status: 'created',
      created_at: ago(2),
      customer: jonas,
      lines: [{ sku: 'MP-XL-BLK', quantity: 1 }],
      total: euros(24.9),
      refunded: 0,
      delivery: { ...notSent, address: toJonas },
    },
    {
      id: 'ORD-20418',
      status: 'paid',
      created_at: ago(5),
      customer: maya,
      lines: [
        { sku: 'KB-87-GRY', quantity: 1 },
        { sku: 'CBL-USBC-2M', quantity: 2 },
      ],
      total: euros(149),
      refunded: 0,
      delivery: { ...notSent, address: toMaya },
    },
    {
      id: 'ORD-20402',
      status: 'shipped',
      created_at: ago(50),
      customer: maya,
      lines: [{ sku: 'MS-ERG-BLK', quantity: 1 }],
      total: euros(79.5),
      refunded: 0,
      delivery: {
        carrier: 'DHL',
        tracking_url: 'https://tracking.example.com/00340434161094',
        address: toMaya,
      },
    },
    {
      id: 'ORD-20377',
      status: 'cancelled',
      created_at: ago(120),
      customer: jonas,
      lines: [{ sku: 'KB-87-GRY', quantity: 2 }],
      total: euros(258),
      refunded: 258,
      delivery: { ...notSent, address: toJonas },
    },
  ]
}
