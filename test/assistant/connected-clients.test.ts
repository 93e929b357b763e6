import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createConnectedClients } from '#main/assistant/connected-clients.ts'
import { createPresence } from '#main/storage/local/presence.ts'

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
  const { clock, state, create } = createNodes()
  return { clock, state, clients: create('a') }
}

/** Nodes with one clock, and the number of changes that they were told of. */
function createNodes() {
  const clock = { now: 0 }
  const presence = createPresence(error => {
    throw error
  })
  const state = { changes: 0 }
  const onChange = () => {
    state.changes += 1
  }
  return {
    clock,
    state,
    create: (node: string) =>
      createConnectedClients({
        clock: () => clock.now,
        random: randomBytes,
        presence,
        node,
        onChange,
      }),
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

describe('over nodes', () => {
  const legacy = { ...facts, protocol: '2025-06-18', tokenId: 'tok_1', tokenName: 'Laptop' }
  const nameless = { ...legacy, name: null, version: null }

  test('a client of several nodes is one, with the calls and connections of all', () => {
    const { create, clock, state } = createNodes()
    const [a, b] = [create('a'), create('b')]
    a.of(facts).called()
    clock.now = minute
    const end = b.of({ ...facts, version: '1.0.1' }).hold()
    b.of(facts).called()
    b.of({ ...facts, name: 'Cursor' }).seen()
    const both = [
      { name: 'Cursor', calls: 0 },
      {
        ...{ name: 'Claude', version: '1.0.0', calls: 2, connections: 1 },
        ...{ connectedAt: '1970-01-01T00:00:00.000Z', lastSeenAt: '1970-01-01T00:01:00.000Z' },
      },
    ]
    expect(a.list()).toMatchObject(both)
    expect(b.list()).toMatchObject(both)
    expect(a.list().map(({ clientId }) => clientId)).toEqual(b.list().map(({ clientId }) => clientId))
    clock.now = 6 * minute + 1
    expect(a.list()).toMatchObject([{ name: 'Claude', calls: 1, connections: 1 }])
    end()
    const { changes } = state
    b.stop()
    expect(state.changes).toBeGreaterThan(changes)
    expect(a.list()).toEqual([])
  })

  test('requests that do not say who sends them are of the only client with their token and address', () => {
    const { create, clock } = createNodes()
    const [a, b] = [create('a'), create('b')]
    a.of({ ...legacy, tokenId: 'tok_2' }).seen()
    a.of({ ...facts, tokenId: 'tok_1', name: 'Of 2026' }).seen()
    b.of(nameless).called()
    expect(a.list()).toMatchObject([{ name: 'Laptop', calls: 1, protocol: '2025-06-18' }, {}, {}])
    a.of(legacy).seen()
    expect(b.list()).toHaveLength(3)
    expect(b.list()[0]).toMatchObject({ name: 'Claude', tokenId: 'tok_1', calls: 1, version: '1.0.0' })
    // It is known for as long as it goes on.
    for (const later of [4, 8, 12]) {
      clock.now = later * minute
      b.of(nameless).called()
    }
    expect(a.list()).toMatchObject([{ name: 'Claude', calls: 3 }])
    b.of({ ...legacy, name: 'Cursor' }).seen()
    a.of(nameless).called()
    expect(b.list()).toMatchObject([
      { name: 'Laptop', calls: 1 },
      { name: 'Cursor' },
      { name: 'Claude', calls: 3 },
    ])
  })

  test('names that clients make up on several nodes take bounded memory', () => {
    const { create } = createNodes()
    const [a, b] = [create('a'), create('b')]
    for (let n = 0; n < 200; n++) b.of({ ...facts, name: `Client ${n}` }).seen()
    expect([a.list().length, b.list().length]).toEqual([100, 200])
    expect(a.list()[0]?.name).toBe('Client 199')
    for (let n = 0; n < 500; n++) a.of({ ...facts, name: `Other client ${n}` }).seen()
    expect(a.list()).toHaveLength(500)
  })
})
