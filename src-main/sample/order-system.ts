import { z } from 'zod'
import { parseJson } from '#shared/json/parse-json.ts'
import { type Order, ordersAt } from './orders.ts'

/** A call whose signature has been verified. */
type OrderCall = {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: string
}

export type OrderAnswer = { readonly status: number; readonly body: object }

export type OrderSystem = { answer(call: OrderCall): OrderAnswer }

const defaultLimit = 5
const OfOrder = z.object({ order_id: z.string() })
const OrdersQuery = z.object({
  email: z.string(),
  limit: z.coerce.number().int().min(1).max(20).default(defaultLimit),
})
const Refund = OfOrder.extend({
  amount: z.number().positive(),
  reason: z.string(),
  notify_customer: z.boolean().default(false),
})
const Field = z.string().min(1)
const Delivery = OfOrder.extend({
  address: z.object({ street: Field, postal_code: Field, city: Field, country: Field }),
})

const Forwarded = z.object({ event: z.string() })

/** Ends a call with an error status. */
class Refused extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/**
 * Creates the order system of the sample document: five endpoints on four orders in memory, and one for forwarded events.
 * Invalid calls get a sentence in `error`.
 *
 * @param nowMs the present time, in milliseconds since 1970.
 */
export function createOrderSystem(nowMs: number): OrderSystem {
  const orders = new Map(ordersAt(nowMs).map(order => [order.id, order]))
  let refunds = 0

  function find(id: string): Order {
    const order = orders.get(id)
    if (order !== undefined) return order
    throw new Refused(404, `There is no order ${id}. The sample has ${[...orders.keys()].join(', ')}.`)
  }

  function change(order: Order): object {
    orders.set(order.id, order)
    return { order }
  }

  function refund(body: string): object {
    const { order_id, amount, reason, notify_customer } = parseBody(Refund, body)
    const order = find(order_id)
    // In cents, because sums of decimal fractions are not exact.
    const left = Math.round(order.total.value * 100) - Math.round(order.refunded * 100)
    const cents = Math.round(amount * 100)
    const { currency } = order.total
    if (cents > left)
      throw new Refused(422, `At most ${left / 100} ${currency} of ${order_id} can be refunded.`)
    refunds += 1
    change({ ...order, refunded: Math.round(order.refunded * 100 + cents) / 100 })
    return {
      refund: {
        id: `rf_${1000 + refunds}`,
        status: 'pending',
        order_id,
        amount: { value: cents / 100, currency },
        reason,
        customer_notified: notify_customer,
      },
    }
  }

  function changeable(id: string, what: string): Order {
    const order = find(id)
    if (order.status === 'shipped' || order.status === 'cancelled')
      throw new Refused(409, `${id} is ${order.status}: ${what}.`)
    return order
  }

  const endpoints: Readonly<Record<string, (call: OrderCall) => OrderAnswer>> = {
    'GET /orders/lookup': ({ query }) => ok({ order: find(parseQuery(OfOrder, query).order_id) }),
    'GET /orders': ({ query }) => {
      const { email, limit } = parseQuery(OrdersQuery, query)
      const found = [...orders.values()].filter(({ customer }) => customer.email === email.toLowerCase())
      const rows = found.map(({ id, status, created_at, total }) => ({ id, status, created_at, total }))
      return ok({ orders: rows.slice(0, limit) })
    },
    'POST /refunds': ({ body }) => ({ status: 201, body: refund(body) }),
    'PATCH /orders/delivery': ({ body }) => {
      const { order_id, address } = parseBody(Delivery, body)
      const order = changeable(order_id, 'its delivery address can no longer be changed')
      return ok(change({ ...order, delivery: { ...order.delivery, address } }))
    },
    'DELETE /orders': ({ body }) => {
      const order = changeable(parseBody(OfOrder, body).order_id, 'it can no longer be cancelled')
      return ok(change({ ...order, status: 'cancelled' }))
    },
    'POST /events': ({ body }) => ({ status: 202, body: { received: parseBody(Forwarded, body).event } }),
  }

  return {
    answer(call) {
      const name = `${call.method} ${call.path}`
      try {
        const endpoint = Object.hasOwn(endpoints, name) ? endpoints[name] : undefined
        if (endpoint !== undefined) return endpoint(call)
        throw new Refused(404, `The sample's order system has no ${name}.`)
      } catch (error) {
        if (error instanceof Refused) return { status: error.status, body: { error: error.message } }
        throw error
      }
    },
  }
}

const ok = (body: object): OrderAnswer => ({ status: 200, body })

const parseQuery = <T>(schema: z.ZodType<T>, query: URLSearchParams): T =>
  parse(schema, Object.fromEntries(query))

function parseBody<T>(schema: z.ZodType<T>, text: string): T {
  const raw = parseJson(text)
  if (raw === undefined) throw new Refused(400, 'The body is not JSON.')
  return parse(schema, raw)
}

function parse<T>(schema: z.ZodType<T>, raw: unknown): T {
  const parsed = schema.safeParse(raw)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`)
  throw new Refused(400, problems.join('. '))
}
