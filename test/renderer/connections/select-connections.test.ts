import { describe, expect, test } from 'vitest'
import { connectionStatus, quietStatistics } from '#renderer/entities/connection/connection-status.ts'
import type { ConnectionRow } from '#renderer/entities/connection/use-connections.ts'
import { connectionList } from '#renderer/features/connections/select-connections.ts'
import { filterRows } from '#renderer/ui/list-search.ts'
import { stableOrder } from '#renderer/ui/stable-order.ts'
import type { ConnectionStatistics } from '#shared/model/statistics.ts'

type Wanted = {
  baseUrl?: string | null
  createdAt?: string
  enabled?: boolean
  event?: { name: string; at: string }
  accepted?: number
  rejectedThisHour?: number
}

function row(name: string, wanted: Wanted = {}): ConnectionRow {
  const { baseUrl = null, enabled = true, event, accepted = 0, rejectedThisHour = 0 } = wanted
  const connectionId = `conn_${name.replaceAll(' ', '-')}`
  const quiet = quietStatistics(connectionId)
  const statistics: ConnectionStatistics = {
    ...quiet,
    hours: [...quiet.hours.slice(1), { accepted: 0, rejected: rejectedThisHour, calls: 0 }],
    accepted,
    rejected: rejectedThisHour,
    lastEvent: event === undefined ? null : { eventId: 'evt_1', eventName: event.name, at: event.at },
  }
  return {
    connectionId,
    workspaceId: 'default',
    name,
    baseUrl,
    persistEvents: false,
    enabled,
    actionCount: 0,
    eventTypeCount: 0,
    createdAt: wanted.createdAt ?? '2026-11-01T00:00:00.000Z',
    updatedAt: '2026-11-01T00:00:00.000Z',
    statistics,
    status: connectionStatus({ enabled }, statistics),
  }
}

const names = (rows: readonly ConnectionRow[]) => rows.map(({ name }) => name)

const acme = row('Acme Orders', {
  baseUrl: 'https://api.acme-erp.com/v2',
  event: { name: 'order.paid', at: '2026-11-21T09:00:00.000Z' },
  accepted: 10,
})
const billing = row('billing 10', {
  event: { name: 'invoice.issued', at: '2026-11-21T09:20:00.000Z' },
  accepted: 90,
  rejectedThisHour: 2,
})
const early = row('Billing 9', { createdAt: '2026-11-03T00:00:00.000Z' })
const off = row('Legacy', { enabled: false, createdAt: '2026-11-04T00:00:00.000Z' })
const all = [acme, billing, early, off]

describe('the list', () => {
  test.each([
    ['last-event', ['billing 10', 'Acme Orders', 'Legacy', 'Billing 9']],
    ['name', ['Acme Orders', 'Billing 9', 'billing 10', 'Legacy']],
    ['events', ['billing 10', 'Acme Orders', 'Billing 9', 'Legacy']],
    ['created', ['Legacy', 'Billing 9', 'Acme Orders', 'billing 10']],
  ] as const)('sorted by %s', (sort, expected) => {
    expect(names(all.toSorted(connectionList.orders[sort].compare))).toEqual(expected)
  })

  test.each([
    ['', ['Acme Orders', 'billing 10', 'Billing 9', 'Legacy']],
    ['  BILLING ', ['billing 10', 'Billing 9']],
    ['acme-erp.com', ['Acme Orders']],
    ['order.paid', ['Acme Orders']],
    ['billing invoice', ['billing 10']],
    ['billing order', []],
  ])('filtered by “%s”', (filter, expected) => {
    expect(names(filterRows(all, filter, connectionList.textOf))).toEqual(expected)
  })

  test('shows the status of each connection', () => {
    expect(all.map(({ status }) => [status.state, status.label])).toEqual([
      ['receiving', 'Receiving'],
      ['rejecting', '2 rejected this hour'],
      ['silent', 'No events yet'],
      ['disabled', 'Disabled'],
    ])
  })
})

describe('the order on the screen', () => {
  test('does not change when events arrive', () => {
    expect(stableOrder(['a', 'b', 'c'], ['c', 'a', 'b'])).toEqual(['a', 'b', 'c'])
  })
  test('is the chosen order at first', () => {
    expect(stableOrder(null, ['c', 'a', 'b'])).toEqual(['c', 'a', 'b'])
  })
  test('has new rows first, and no removed ones', () => {
    expect(stableOrder(['a', 'b', 'c'], ['c', 'n', 'a'])).toEqual(['n', 'a', 'c'])
  })
})
