import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createConnectedClients } from '#main/assistant/connected-clients.ts'

const facts = {
  name: 'Claude',
  version: '1.0.0',
  protocol: '2026-07-28',
  transport: 'http' as const,
  tokenId: null,
  tokenName: null,
  workspaceId: 'default',
  connectionId: null,
}

function createClients() {
  const clock = { now: 0 }
  const state = { changes: 0 }
  const onChange = () => {
    state.changes += 1
  }
  return {
    clock,
    state,
    clients: createConnectedClients({ clock: () => clock.now, random: randomBytes, onChange }),
  }
}
const minute = 60_000

test('requests with the same name, token and address are one client, forgotten five minutes after the last', () => {
  const { clients, clock } = createClients()
  clients.of(facts).called()
  clock.now = 4 * minute
  clients.of({ ...facts, version: '1.0.1', protocol: '2025-11-25' }).called()
  expect(clients.list()).toMatchObject([
    { name: 'Claude', version: '1.0.1', calls: 2, connections: 0, lastSeenAt: '1970-01-01T00:04:00.000Z' },
  ])
  clock.now = 9 * minute
  expect(clients.list()).toHaveLength(1)
  clock.now = 9 * minute + 1
  expect(clients.list()).toEqual([])
})

test.each([
  ['name', { name: 'Cursor' }],
  ['token', { tokenId: 'tok_1' }],
  ['address', { workspaceId: null, connectionId: 'conn_1' }],
])('requests with another %s are another client', (_what, other) => {
  const { clients } = createClients()
  clients.of(facts).seen()
  clients.of({ ...facts, ...other }).seen()
  expect(clients.list()).toHaveLength(2)
})

test('an open stream keeps a client connected', () => {
  const { clients, clock } = createClients()
  const end = clients.of(facts).hold()
  clock.now = 60 * minute
  expect(clients.list()).toMatchObject([{ connections: 1 }])
  end()
  clock.now = 66 * minute
  expect(clients.list()).toEqual([])
})

test('a client with two connections is one, and gone when both have ended', () => {
  const { clients, state } = createClients()
  const [one, other] = [clients.of(facts), clients.of(facts)]
  const [endOne, endOther] = [one.hold(), other.hold()]
  expect(clients.list()).toMatchObject([{ connections: 2 }])
  endOne()
  one.leave()
  expect(clients.list()).toMatchObject([{ connections: 1 }])
  endOther()
  other.leave()
  expect(clients.list()).toEqual([])
  const { changes } = state
  other.leave()
  expect(state.changes).toBe(changes)
})

test('names that a client makes up take bounded memory', () => {
  const { clients } = createClients()
  for (let n = 0; n < 1000; n++) clients.of({ ...facts, name: `Client ${n}` }).seen()
  const names = clients.list().map(({ name }) => name)
  expect(names).toHaveLength(500)
  expect(names[0]).toBe('Client 999')
})
