import { createHmac } from 'node:crypto'
import { z } from 'zod'
import type { Rest } from '../support/rest-client.ts'
import { acmeOrders, busyness, smallConnections } from './demo-data.ts'

const Imported = z.object({ connectionId: z.string() })
const Credentials = z.object({ inboundUrl: z.string(), signingSecret: z.string() })
const Actions = z.array(z.object({ actionId: z.string(), toolName: z.string() }))
type Credentials = z.infer<typeof Credentials>

type SeedParts = {
  readonly rest: Rest
  readonly receiverUrl: string
  /** The service's clock, in milliseconds since 1970. */
  readonly clock: () => number
  /** Sets that clock so many hours back. */
  readonly hoursAgo: (hours: number) => void
}

const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex')

/** Lives a day: imports, a day's events and calls, a few refused requests. */
export async function seed({ rest, receiverUrl, clock, hoursAgo }: SeedParts): Promise<void> {
  async function post(to: Credentials, body: string, sign: (timestamp: string, body: string) => string) {
    const timestamp = String(clock())
    await fetch(to.inboundUrl, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'acme-erp-webhooks/3.1',
        'x-service-timestamp': timestamp,
        'x-service-signature': sign(timestamp, body),
      },
    })
  }
  const send = (to: Credentials, event: string, data: object) =>
    post(
      to,
      JSON.stringify({ event, data }),
      (timestamp, body) => `sha256=${hmac(to.signingSecret, `${timestamp}.${body}`)}`,
    )
  const sendBodyOnly = (to: Credentials, event: string, data: object) =>
    post(to, JSON.stringify({ event, data }), (_timestamp, body) => `sha256=${hmac(to.signingSecret, body)}`)

  async function create(document: object): Promise<{ id: string; credentials: Credentials }> {
    const { body } = await rest('POST', '/import', { text: JSON.stringify(document) })
    const { connectionId: id } = Imported.parse(body)
    const { body: credentials } = await rest('GET', `/connections/${id}/credentials`)
    return { id, credentials: Credentials.parse(credentials) }
  }

  await rest('PATCH', '/workspaces/default', { name: 'Northwind' })
  await rest('PUT', '/environment/ACME_API_KEY', { name: 'ACME_API_KEY', value: 'demonstration-value-2' })
  const acme = await create(acmeOrders(receiverUrl))
  const others = []
  for (const small of smallConnections) {
    const { actions, eventNames, name, baseUrl } = small
    const made = await create({
      version: 1,
      connection: { name, baseUrl },
      actions: Array.from({ length: actions }, (_, index) => ({
        name: `Action ${index + 1} of ${name}`,
        description: 'What it is for.',
        path: `/action/${index + 1}`,
        ...(name === 'Warehouse WMS' ? { headers: { Authorization: '{{WMS_BASIC_AUTH}}' } } : {}),
      })),
      events: eventNames.map(eventName => ({ eventName })),
    })
    others.push({ ...small, ...made })
  }

  const orderEvents = [
    'order.created',
    'order.paid',
    'order.shipped',
    'order.created',
    'order.paid',
    'order.cancelled',
  ]
  let order = 20_000
  for (let hour = 0; hour < 24; hour++) {
    hoursAgo(23 - hour)
    const batch: Promise<void>[] = []
    for (let index = 0; index < Math.round(24 * busyness(hour)); index++) {
      const event = orderEvents[index % orderEvents.length] ?? 'order.created'
      batch.push(send(acme.credentials, event, { order_id: `ORD-${order++}`, total: 149, currency: 'EUR' }))
    }
    for (const { peak, eventNames, credentials } of others)
      for (let index = 0; index < Math.round(peak * busyness(hour)); index++)
        batch.push(send(credentials, eventNames[index % eventNames.length] ?? 'x', { number: index }))
    const hr = others.find(({ name }) => name === 'HR Directory')
    if (hour === 11 && hr !== undefined)
      batch.push(send(hr.credentials, 'employee.joined', { employee: 'M. Lindqvist' }))
    const billing = others.find(({ name }) => name === 'Billing Bridge')
    if (hour > 20 && billing !== undefined)
      for (let index = 0; index < hour - 19; index++)
        batch.push(sendBodyOnly(billing.credentials, 'invoice.issued', { invoice: index }))
    await Promise.all(batch)
  }

  hoursAgo(0)
  for (const { id, enabled } of others)
    if (enabled === false) await rest('PATCH', `/connections/${id}`, { enabled })
  const { body } = await rest('GET', `/connections/${acme.id}/actions`)
  const actionOf = new Map(Actions.parse(body).map(({ toolName, actionId }) => [toolName, actionId]))
  const call = (toolName: string, args: object) =>
    rest('POST', `/connections/${acme.id}/actions/${actionOf.get(toolName)}/test`, { arguments: args })

  await send(acme.credentials, 'order.flagged', { order_id: 'ORD-20415', score: 0.93 })
  await send(acme.credentials, 'customer.merged', { into: 'C-1009', from: ['C-0417', 'C-0822'] })
  await rest('PUT', '/environment/ACME_TENANT', { name: 'ACME_TENANT', value: 'demonstration-value-3' })
  await call('create_refund', {
    order_id: 'ORD-20418',
    amount: 49,
    reason: 'Arrived damaged',
    metadata: { ticket: 'SUP-3312' },
    notify_customer: true,
  })
  await rest('DELETE', '/environment/ACME_TENANT')
  await call('look_up_order', { order_id: 'ORD-20418' })
  await call('check_stock', { sku: 'KB-87-GRN' })
  await send(acme.credentials, 'order.created', { order_id: 'ORD-20419', total: 24.9 })
  await sendBodyOnly(acme.credentials, 'order.paid', { order_id: 'ORD-20418', total: 149 })
  await post(
    acme.credentials,
    '{"event":"order.paid","data":{"order_id":"ORD-20418","number":9007199254740993,"total":149.00,"currency":"EUR","customer":{"name":"Maya Lindqvist","email":"maya.lindqvist@example.com"},"lines":[{"sku":"KB-87-GRY","quantity":1},{"sku":"CBL-USBC-2M","quantity":2}],"express":true}}',
    (timestamp, text) => `sha256=${hmac(acme.credentials.signingSecret, `${timestamp}.${text}`)}`,
  )
}
