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

test('requests with the same facts are one client, which is forgotten five minutes after the last', () => {
  const { clients, clock } = createClients()
  clients.of(facts).called()
  clock.now = 4 * minute
  clients.of(facts).called()
  expect(clients.list()).toMatchObject([{ name: 'Claude', calls: 2, lastSeenAt: '1970-01-01T00:04:00.000Z' }])
  clock.now = 9 * minute
  expect(clients.list()).toHaveLength(1)
  clock.now = 9 * minute + 1
  expect(clients.list()).toEqual([])
})

test('an open stream keeps a client connected', () => {
  const { clients, clock } = createClients()
  const end = clients.of(facts).hold()
  clock.now = 60 * minute
  expect(clients.list()).toHaveLength(1)
  end()
  clock.now = 66 * minute
  expect(clients.list()).toEqual([])
})

test('a client with a connection of its own is gone when it disconnects', () => {
  const { clients, state } = createClients()
  const [one, other] = [clients.add(facts), clients.add(facts)]
  expect(clients.list()).toHaveLength(2)
  one.disconnect()
  const { changes } = state
  one.disconnect()
  one.seen()
  expect(state.changes).toBe(changes)
  expect(clients.list()).toHaveLength(1)
  other.disconnect()
  expect(clients.list()).toEqual([])
})

test('names that a client makes up take bounded memory', () => {
  const { clients } = createClients()
  for (let n = 0; n < 1000; n++) clients.of({ ...facts, name: `Client ${n}` }).seen()
  const names = clients.list().map(({ name }) => name)
  expect(names).toHaveLength(500)
  expect(names[0]).toBe('Client 999')
})
