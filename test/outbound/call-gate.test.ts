import { expect, test } from 'vitest'
import { createCallGate } from '#main/outbound/call-gate.ts'
import { createCalls } from '#main/outbound/calls.ts'
import { noHeaders, type OutboundRequest } from '#main/outbound/outbound-request.ts'
import type { CallLimits } from '#main/storage/call-limits.ts'
import type { Config, ConnectionRecord } from '#main/storage/config.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { recordNamed } from '../support/connection-records.ts'

const now = Date.UTC(2026, 0, 1)

const recordWith = (fields: Partial<ConnectionRecord>) => ({ ...recordNamed('acme'), ...fields })

function gateOf(connection: ConnectionRecord, limits: Partial<CallLimits>) {
  const config: Config = {
    ...newConfig(now),
    connections: new Map([[connection.connectionId, connection]]),
  }
  const asked: string[] = []
  const all: CallLimits = {
    pausedUntil: () => null,
    async pause() {},
    async resume() {},
    pauses: { subscribe: () => () => {}, count: () => 0 },
    async take(connectionId) {
      asked.push(connectionId)
      return { place: now }
    },
    async beginLine() {},
    settle: connectionId => void asked.push(`back ${connectionId}`),
    ...limits,
  }
  const onError = (error: unknown) => {
    throw error
  }
  return {
    asked,
    limits: all,
    gate: createCallGate({ limits: all, store: { snapshot: () => config }, clock: () => now, onError }),
  }
}

const request = (connectionId: string | null, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  ...{ source: 'workflow', connectionId, actionId: 'act_1', toolName: 't', arguments: {}, method: 'GET' },
  ...{
    headers: noHeaders,
    origin: 'https://api.example.com',
    target: '/v2/orders',
    body: '',
    encoding: 'utf8',
  },
  ...{ key: null, timeoutMs: 1000, responseMapping: null },
  ...more,
})

test('a call without limits passes synchronously, and asks for nothing', () => {
  const connection = recordWith({ baseUrl: 'https://api.example.com/v2' })
  const { gate, asked } = gateOf(connection, {})
  expect(gate.enter(request(connection.connectionId), true)).toBeNull()
  expect(gate.enter(request(null), false)).toBeNull()
  expect(gate.enter(request('conn_gone'), false)).toBeNull()
  expect(asked).toEqual([])
})

test('calls of actions count, and others only below the base URL', async () => {
  const connection = recordWith({
    baseUrl: 'https://api.example.com/v2',
    rateLimit: { calls: 1, perSeconds: 1 },
  })
  const { connectionId } = connection
  const { gate } = gateOf(connection, {})
  const enters = (more: Partial<OutboundRequest>) => gate.enter(request(connectionId, more), true) !== null
  expect(enters({})).toBe(true)
  expect(enters({ actionId: null })).toBe(true)
  expect(enters({ actionId: null, target: '/v20/orders' })).toBe(false)
  expect(enters({ actionId: null, target: '/v2/..%2fv1' })).toBe(false)
  expect(enters({ actionId: null, origin: 'https://other.example.com' })).toBe(false)
})

test('a call that finds a pause when it has got its place gives that back', async () => {
  const connection = recordWith({
    baseUrl: 'https://api.example.com/v2',
    rateLimit: { calls: 1, perSeconds: 1 },
  })
  const { connectionId } = connection
  let isPaused = false
  const { gate, asked } = gateOf(connection, {
    pausedUntil: () => (isPaused ? now + 5000 : null),
    async take() {
      isPaused = true
      return { place: now }
    },
  })
  expect(await gate.enter(request(connectionId), true)).toMatchObject({ until: now + 5000, because: 'pause' })
  expect(asked).toEqual([`back ${connectionId}`])
})

test('a call whose caller goes away does not wait', async () => {
  const connection = recordWith({
    baseUrl: 'https://api.example.com/v2',
    rateLimit: { calls: 1, perSeconds: 1 },
  })
  const { gate } = gateOf(connection, { take: async () => ({ dueAt: now + 1000 }) })
  const gone = new AbortController()
  const entering = gate.enter(request(connection.connectionId), false, gone.signal)
  gone.abort()
  expect(await entering).toMatchObject({ because: 'limit' })
})

test.each(['connection_not_found', 'action_not_found', 'storage_unavailable'])(
  'a call that finds after its wait that it may not be made is not sent: %s',
  async code => {
    const connection = recordWith({
      baseUrl: 'https://api.example.com/v2',
      rateLimit: { calls: 1, perSeconds: 1 },
    })
    const { connectionId } = connection
    const configOf = (...records: ConnectionRecord[]): Config => ({
      ...newConfig(now),
      connections: new Map(records.map(record => [record.connectionId, record])),
    })
    let config = configOf(connection)
    let isCurrent = true
    let sent = 0
    const { limits } = gateOf(connection, {
      async take() {
        if (code === 'storage_unavailable') isCurrent = false
        config = code === 'connection_not_found' ? configOf() : configOf({ ...connection, actions: [] })
        return config.connections.size === 0 ? { dueAt: now } : { place: now }
      },
    })
    const calls = createCalls({
      ...{ limits, store: { snapshot: () => config }, clock: () => now, isCurrent: () => isCurrent },
      caller: {
        async call() {
          sent++
          throw new Error('It was sent.')
        },
      },
      ...{ nextNumber: () => 1, record() {}, onError() {} },
    })
    await expect(calls.run(request(connectionId))).rejects.toMatchObject({ code })
    expect(sent).toBe(0)
  },
)
