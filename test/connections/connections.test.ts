import { describe, expect, test } from 'vitest'
import { listConnections } from '#main/connections/connection-order.ts'
import {
  changeConnection,
  createConnection,
  detailsOf,
  findConnection,
  regenerateToken,
  removeConnection,
  rotateSecret,
  summaryOf,
} from '#main/connections/connections.ts'
import { credentialsOf } from '#main/connections/urls.ts'
import { createWorkspace, removeWorkspace } from '#main/connections/workspaces.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { Connection, ConnectionSummary } from '#shared/model/connection.ts'
import { Sender } from '#shared/model/sender/sender.ts'
import { countingRandom, now, nowMs, withShop } from './fixtures.ts'

const hourMs = 60 * 60 * 1000
const later = new Date(nowMs + 1000).toISOString()

describe('creating', () => {
  test('leaves the configuration it began with as it was', () => {
    const before = newConfig(nowMs)
    const { next, result } = createConnection(before, { name: 'Shop' }, now, countingRandom())
    expect(before.connections.size).toBe(0)
    expect([...next.connections.values()]).toEqual([result])
  })

  test('gives each connection ids and credentials of its own, also under the same name', () => {
    const random = countingRandom()
    const { config, shop } = withShop(random)
    const { next, result: second } = createConnection(config, { name: 'Shop' }, now, random)
    expect(next.connections.size).toBe(2)
    for (const field of ['connectionId', 'inboundToken', 'signingSecret'] as const)
      expect(second[field]).not.toBe(shop[field])
  })

  test('in a workspace that does not exist is refused', () => {
    const create = () =>
      createConnection(newConfig(nowMs), { name: 'x', workspaceId: 'ws_no' }, now, countingRandom())
    expect(create).toThrow(expect.objectContaining({ code: 'workspace_not_found' }))
  })
})

describe('what is shown', () => {
  test('of a record is what the models say, to the field, and no credential', () => {
    const { shop } = withShop()
    const record = { ...shop, oldSecrets: [{ secret: 'whsec_before', expiresAt: nowMs + 1 }] }
    const { unsigned: _, ...ofSigned } = ConnectionSummary.shape
    expect(Object.keys(summaryOf(record)).sort()).toEqual(Object.keys(ofSigned).sort())
    const sender = Sender.parse({ scheme: 'template', verify: 'none', eventName: { path: 'type' } })
    expect(summaryOf({ ...record, sender })).toMatchObject({ unsigned: true })
    expect(Object.keys(detailsOf(record, nowMs)).sort()).toEqual(Object.keys(Connection.shape).sort())
    const shown = JSON.stringify([summaryOf(record), detailsOf(record, nowMs)])
    for (const credential of [record.signingSecret, record.inboundToken, 'whsec_before', record.slug])
      expect(shown).not.toContain(`"${credential}"`)
  })

  test('of the previous secret is when it expires, as long as it is accepted', () => {
    const { shop } = withShop()
    const record = { ...shop, oldSecrets: [{ secret: 'whsec_before', expiresAt: nowMs }] }
    expect(detailsOf(record, nowMs - 1).previousSecretExpiresAt).toBe(now)
    expect(detailsOf(record, nowMs).previousSecretExpiresAt).toBeNull()
  })

  test('as credentials has the workspace’s public address before the service’s', () => {
    const random = countingRandom()
    const workspace = createWorkspace(
      newConfig(nowMs),
      { name: 'Team', publicBaseUrl: 'https://hooks.example.com' },
      now,
      random,
    )
    const { workspaceId } = workspace.result
    const { next, result } = createConnection(workspace.next, { name: 'x', workspaceId }, now, random)
    expect(credentialsOf(next, result, 'http://127.0.0.1:1')).toEqual({
      inboundUrl: `https://hooks.example.com/api/connect/${result.inboundToken}/events`,
      inboundToken: result.inboundToken,
      signingSecret: result.signingSecret,
    })
    expect(credentialsOf(next, { ...result, workspaceId: 'default' }, 'http://127.0.0.1:1').inboundUrl).toBe(
      `http://127.0.0.1:1/api/connect/${result.inboundToken}/events`,
    )
  })
})

describe('changing', () => {
  test('keeps the slug, which is part of tool names, when the name changes', () => {
    const { config, shop } = withShop()
    const { result } = changeConnection(config, shop.connectionId, { name: 'Other' }, later)
    expect(result).toEqual({ ...shop, name: 'Other', updatedAt: later })
  })

  test('keeps its place in the list', () => {
    const random = countingRandom()
    const { config, shop } = withShop(random)
    const second = createConnection(config, { name: 'second' }, now, random)
    const { next } = changeConnection(second.next, shop.connectionId, { enabled: false }, later)
    expect(listConnections(next, undefined).map(record => record.name)).toEqual(['Shop', 'second'])
  })

  test('half of the retention keeps the other half', () => {
    const { config, shop } = withShop()
    const { result } = changeConnection(config, shop.connectionId, { retention: { maxEvents: 5 } }, later)
    expect(result.retention).toEqual({ maxEvents: 5, maxDays: 30 })
  })
})

describe('rotating the secret', () => {
  test('keeps each old one for its own grace period, three at most', () => {
    const random = countingRandom()
    const { config, shop } = withShop(random)
    const first = rotateSecret(config, shop.connectionId, 168, nowMs, random)
    const second = rotateSecret(first.next, shop.connectionId, 1, nowMs + 5, random)
    expect(second.result.oldSecrets).toEqual([
      { secret: first.result.signingSecret, expiresAt: nowMs + 5 + hourMs },
      { secret: shop.signingSecret, expiresAt: nowMs + 168 * hourMs },
    ])
    expect(second.result.inboundToken).toBe(shop.inboundToken)
    expect(detailsOf(second.result, nowMs + 5)).toMatchObject({
      previousSecretExpiresAt: new Date(nowMs + 168 * hourMs).toISOString(),
      oldSecretsExpireAt: [nowMs + 5 + hourMs, nowMs + 168 * hourMs].map(ms => new Date(ms).toISOString()),
    })

    const third = rotateSecret(second.next, shop.connectionId, 24, nowMs + 6, random)
    expect(() => rotateSecret(third.next, shop.connectionId, 24, nowMs + 7, random)).toThrow(
      expect.objectContaining({ code: 'too_many_old_secrets' }),
    )
    // The second one's hour is over.
    const later = nowMs + 5 + hourMs
    const { result } = rotateSecret(third.next, shop.connectionId, 24, later, random)
    expect(detailsOf(result, later).oldSecretsExpireAt).toHaveLength(3)
    expect(result.oldSecrets.at(-1)).toEqual({ secret: first.result.signingSecret, expiresAt: 0 })
  })

  test('keeps ten old ones at most, and never drops one in its grace period', () => {
    const random = countingRandom()
    const { config, shop } = withShop(random)
    let { next, result } = rotateSecret(config, shop.connectionId, 168, nowMs, random)
    for (let hours = 1; hours <= 20; hours++)
      ({ next, result } = rotateSecret(next, shop.connectionId, 1, nowMs + hours * hourMs, random))
    expect(result.oldSecrets).toHaveLength(10)
    expect(result.oldSecrets).toContainEqual({
      secret: shop.signingSecret,
      expiresAt: nowMs + 168 * hourMs,
    })
  })

  test('without a grace period ends all earlier ones at once', () => {
    const random = countingRandom()
    const { config, shop } = withShop(random)
    const first = rotateSecret(config, shop.connectionId, 168, nowMs, random)
    const second = rotateSecret(first.next, shop.connectionId, 0, nowMs + 1, random)
    expect(second.result.oldSecrets.map(({ expiresAt }) => expiresAt)).toEqual([0, 0])
    expect(detailsOf(second.result, nowMs + 1).oldSecretsExpireAt).toEqual([])
  })

  test('without a grace period ends the one before at once, whatever the clock does', () => {
    const random = countingRandom()
    const { config, shop } = withShop(random)
    const { result } = rotateSecret(config, shop.connectionId, 0, nowMs, random)
    expect(result.oldSecrets).toEqual([{ secret: shop.signingSecret, expiresAt: 0 }])
    expect(detailsOf(result, nowMs - hourMs).previousSecretExpiresAt).toBeNull()
  })
})

test('regenerating the token leaves the secrets as they are', () => {
  const random = countingRandom()
  const { config, shop } = withShop(random)
  const { result } = regenerateToken(config, shop.connectionId, later, random)
  expect(result).toEqual({
    ...shop,
    inboundToken: expect.not.stringMatching(shop.inboundToken),
    updatedAt: later,
  })
})

describe('removing', () => {
  test('takes the connection out, and nothing else', () => {
    const random = countingRandom()
    const { config, shop } = withShop(random)
    const second = createConnection(config, { name: 'second' }, now, random)
    const { next, result } = removeConnection(second.next, shop.connectionId)
    expect(result).toBe(shop)
    expect([...next.connections.keys()]).toEqual([second.result.connectionId])
    expect(second.next.connections.size).toBe(2)
  })

  test('a workspace waits until its connections are gone', () => {
    const random = countingRandom()
    const workspace = createWorkspace(newConfig(nowMs), { name: 'Team' }, now, random)
    const { workspaceId } = workspace.result
    const { next, result } = createConnection(workspace.next, { name: 'x', workspaceId }, now, random)
    expect(() => removeWorkspace(next, workspaceId)).toThrow(
      expect.objectContaining({ code: 'workspace_not_empty' }),
    )
    const emptied = removeConnection(next, result.connectionId).next
    expect(removeWorkspace(emptied, workspaceId).next.workspaces.has(workspaceId)).toBe(false)
    expect(() => removeWorkspace(emptied, 'default')).toThrow(
      expect.objectContaining({ code: 'default_workspace' }),
    )
  })
})

test('nothing is found by a name that every object has', () => {
  const { config } = withShop()
  for (const id of ['__proto__', 'constructor', 'toString'])
    expect(() => findConnection(config, id)).toThrow(
      expect.objectContaining({ code: 'connection_not_found' }),
    )
})
