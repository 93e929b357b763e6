import { createAction } from '#main/connections/actions.ts'
import { changeConnection } from '#main/connections/connections.ts'
import { createEventType } from '#main/connections/event-types.ts'
import { readImport } from '#main/importing/import-job.ts'
import type { Config, ConnectionRecord } from '#main/storage/config.ts'
import type { RequestedFormat } from '#shared/model/import-preview.ts'
import { countingRandom, now, withShop } from '../connections/fixtures.ts'

/** A configuration with one connection that has a base URL, an action and an event type. */
export function withStockedShop(): { config: Config; shop: ConnectionRecord } {
  const random = countingRandom()
  const { config, shop } = withShop(random)
  const { connectionId } = shop
  const based = changeConnection(config, connectionId, { baseUrl: 'https://api.shop.example/v2' }, now)
  const action = {
    name: 'Find order',
    description: 'Finds an order.',
    method: 'POST' as const,
    path: '/find',
    parameters: [],
    isEnabled: true,
  }
  const acted = createAction(based.next, connectionId, action, now, random)
  const { next } = createEventType(acted.next, connectionId, { eventName: 'order.created' }, now, random)
  const stocked = next.connections.get(connectionId)
  if (stocked === undefined) throw new Error('The connection is gone.')
  return { config: next, shop: stocked }
}

export const newConnection = { connectionId: null, workspaceId: null }

/** Reads a text for a new connection. */
export function read(text: string, format: RequestedFormat = 'document') {
  return readImport(text, format, null)
}
