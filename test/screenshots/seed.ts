import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import { RunCounts } from '#shared/model/run.ts'
import { hmacHex } from '../signing/sender.ts'
import type { Rest } from '../support/rest-client.ts'
import { agentShapes } from './demo-agent.ts'
import {
  acmeOrders,
  busyness,
  calendar,
  crawler,
  reserveStock,
  type SmallConnection,
  smallConnections,
  workflows,
} from './demo-data.ts'

const Imported = z.object({ connectionId: z.string() })
const Credentials = z.object({ inboundUrl: z.string(), signingSecret: z.string() })
const Actions = z.array(z.object({ actionId: z.string(), toolName: z.string() }))
type Credentials = z.infer<typeof Credentials>

const pollEveryMs = 20
const longestWaitMs = 20_000

type SeedParts = {
  readonly rest: Rest
  readonly receiverUrl: string
  /** The service's clock, in milliseconds since 1970. */
  readonly clock: () => number
  /** Sets that clock so many hours back. */
  readonly hoursAgo: (hours: number) => void
}

/**
 * Imports the connections and workflows. Returns what then lives a day: `day`, its events and a few refused requests, and
 * `newest`, the last four minutes. The clock must not go back by more than minutes, since statistics forget the future.
 */
export async function seed({ rest, receiverUrl, clock, hoursAgo }: SeedParts) {
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
      (timestamp, body) => `sha256=${hmacHex(to.signingSecret, `${timestamp}.${body}`)}`,
    )
  const sendBodyOnly = (to: Credentials, event: string, data: object) =>
    post(
      to,
      JSON.stringify({ event, data }),
      (_timestamp, body) => `sha256=${hmacHex(to.signingSecret, body)}`,
    )

  async function create(document: object): Promise<{ id: string; credentials: Credentials }> {
    const { body } = await rest('POST', '/import', { text: JSON.stringify(document) })
    const { connectionId: id } = Imported.parse(body)
    const { body: credentials } = await rest('GET', `/connections/${id}/credentials`)
    return { id, credentials: Credentials.parse(credentials) }
  }

  await rest('PATCH', '/workspaces/default', { name: 'Northwind' })
  await rest('PUT', '/environment/ACME_API_KEY', { name: 'ACME_API_KEY', value: 'demonstration-value-2' })
  await rest('PUT', '/platform/crawler', crawler)
  await rest('PUT', '/platform/calendar', calendar)
  const acme = await create(acmeOrders(receiverUrl))
  const others: (SmallConnection & { readonly id: string; readonly credentials: Credentials })[] = []
  for (const small of smallConnections) {
    const { actions, eventNames, name, baseUrl } = small
    const isWarehouse = name === 'Warehouse WMS'
    const made = await create({
      version: 1,
      connection: { name, baseUrl: isWarehouse ? `${receiverUrl}/wms` : baseUrl },
      actions: [
        ...(isWarehouse ? [reserveStock] : []),
        ...Array.from({ length: isWarehouse ? actions - 1 : actions }, (_, index) => ({
          name: `Action ${index + 1} of ${name}`,
          description: 'What it is for.',
          path: `/action/${index + 1}`,
          ...(isWarehouse ? { headers: { Authorization: '{{WMS_BASIC_AUTH}}' } } : {}),
        })),
      ],
      events: eventNames.map(eventName => ({ eventName })),
    })
    others.push({ ...small, ...made })
  }
  const idOf = (wanted: string) => others.find(({ name }) => name === wanted)?.id ?? ''
  for (const workflow of workflows({
    acme: acme.id,
    warehouse: idOf('Warehouse WMS'),
    storefront: idOf('Storefront'),
  }))
    await rest('POST', '/workflows', workflow)

  async function day(): Promise<void> {
    /** Waits for the runs of this hour, so that their calls do not all happen in the last one. */
    async function untilRunsEnd(): Promise<void> {
      const giveUpAt = performance.now() + longestWaitMs
      while (performance.now() < giveUpAt) {
        const { queued, running } = RunCounts.parse((await rest('GET', '/runs/counts')).body)
        if (queued + running === 0) return
        await setTimeout(pollEveryMs)
      }
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
    const sendOrders = (count: number) =>
      Array.from({ length: count }, (_, index) =>
        send(acme.credentials, orderEvents[index % orderEvents.length] ?? 'order.created', {
          order_id: `ORD-${order++}`,
          total: index % 11 === 4 ? 1249 : 149,
          currency: 'EUR',
          customer: { name: 'Maya Lindqvist' },
          lines: [{ sku: 'KB-87-GRY', quantity: 1 }],
        }),
      )
    const sendOthers = ({ peak, eventNames, credentials }: (typeof others)[number], hour: number) =>
      Array.from({ length: Math.round(peak * busyness(hour)) }, (_, index) =>
        send(credentials, eventNames[index % eventNames.length] ?? 'x', { number: index }),
      )
    for (let hour = 0; hour < 23; hour++) {
      hoursAgo(23 - hour)
      await Promise.all([
        ...sendOrders(Math.round(24 * busyness(hour))),
        ...others.flatMap(one => sendOthers(one, hour)),
      ])
      const hr = others.find(({ name }) => name === 'HR Directory')
      if (hour === 11 && hr !== undefined)
        await send(hr.credentials, 'employee.joined', { employee: 'M. Lindqvist' })
      await untilRunsEnd()
    }
    // The last hour, each connection's newest events so many minutes ago.
    for (const one of others.filter(({ lastMinutesAgo }) => lastMinutesAgo < 60)) {
      hoursAgo(one.lastMinutesAgo / 60)
      await Promise.all(sendOthers(one, 23))
    }
    for (const minutes of [28, 24, 19, 17, 13, 11, 8, 6]) {
      hoursAgo(minutes / 60)
      await Promise.all(sendOrders(1))
    }
    const billing = others.find(({ name }) => name === 'Billing Bridge')
    for (let index = 0; index < 14 && billing !== undefined; index++) {
      hoursAgo(index < 8 ? 0 : (index - 6) / 4)
      await sendBodyOnly(billing.credentials, 'invoice.issued', { invoice: index })
    }

    hoursAgo(0)
    for (const { id, enabled } of others)
      if (enabled === false) await rest('PATCH', `/connections/${id}`, { enabled })
  }

  async function newest(): Promise<void> {
    const { body } = await rest('GET', `/connections/${acme.id}/actions`)
    const actionOf = new Map(Actions.parse(body).map(({ toolName, actionId }) => [toolName, actionId]))
    const call = (toolName: string, args: object) =>
      rest('POST', `/connections/${acme.id}/actions/${actionOf.get(toolName)}/test`, { arguments: args })

    hoursAgo(4 / 60)
    await send(acme.credentials, 'order.flagged', { order_id: 'ORD-20415', score: 0.93 })
    await send(acme.credentials, 'customer.merged', { into: 'C-1009', from: ['C-0417', 'C-0822'] })
    for (const [shape, value] of Object.entries(agentShapes)) await rest('PUT', `/platform/${shape}`, value)
    await rest('PUT', '/environment/ACME_TENANT', { name: 'ACME_TENANT', value: 'demonstration-value-3' })
    await call('create_refund', {
      order_id: 'ORD-20418',
      amount: 49,
      reason: 'Arrived damaged',
      metadata: { ticket: 'SUP-3312' },
      notify_customer: true,
    })
    await rest('POST', `/connections/${acme.id}/cases/run`, {})
    await rest('DELETE', '/environment/ACME_TENANT')
    await call('look_up_order', { order_id: 'ORD-20418' })
    await call('check_stock', { sku: 'KB-87-GRN' })
    // The warehouse refuses this one for now, so its run waits.
    await send(acme.credentials, 'order.paid', {
      order_id: 'ORD-20414',
      total: 214.5,
      currency: 'EUR',
      customer: { name: 'Tomas Berg' },
      lines: [{ sku: 'KB-87-GRY', quantity: 2 }],
    })
    hoursAgo(1 / 60)
    await send(acme.credentials, 'order.created', { order_id: 'ORD-20419', total: 24.9 })
    hoursAgo(0.5 / 60)
    await sendBodyOnly(acme.credentials, 'order.paid', { order_id: 'ORD-20418', total: 149 })
    hoursAgo(12 / 3600)
    await post(
      acme.credentials,
      '{"event":"order.paid","data":{"order_id":"ORD-20418","number":9007199254740993,"total":149.00,"currency":"EUR","customer":{"name":"Maya Lindqvist","email":"maya.lindqvist@example.com"},"lines":[{"sku":"KB-87-GRY","quantity":1},{"sku":"CBL-USBC-2M","quantity":2}],"express":true}}',
      (timestamp, text) => `sha256=${hmacHex(acme.credentials.signingSecret, `${timestamp}.${text}`)}`,
    )
  }
  return { day, newest }
}
