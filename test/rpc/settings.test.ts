import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { serviceWatch } from '#shared/model/alert.ts'
import { createConnection, errorCode, issuePaths } from '../support/rest-client.ts'
import { postInbound, sharedService, startOfTests } from '../support/service-fixture.ts'

const cleanService = sharedService()

const defaults = {
  maxBodyBytes: 1024 * 1024,
  maxConnections: 1024,
  maxBodyMemoryBytes: 64 * 1024 * 1024,
  environmentPatterns: ['*'],
  defaultRetention: { maxEvents: 10_000, maxDays: 30 },
  assistantTextBytes: 64 * 1024,
  caFile: null,
  assistantModel: null,
  alertsQuietUntil: null,
  watch: serviceWatch,
  backup: null,
  updatedAt: null,
}

/** The clock stands still, and each version has a time of its own. */
const msLater = (ms: number) => new Date(startOfTests + ms).toISOString()

describe('settings', () => {
  test('have defaults and are changed one by one, at once', async () => {
    const { rest } = await cleanService()
    expect(await rest('GET', '/settings')).toMatchObject({ status: 200, body: defaults })
    const { credentials } = await createConnection(rest)
    const body = JSON.stringify({ event: 'x', data: { text: 'x'.repeat(2000) } })
    expect((await postInbound(credentials, body)).status).toBe(200)
    expect((await rest('PATCH', '/settings', { maxBodyBytes: 1024 })).body).toEqual({
      ...defaults,
      maxBodyBytes: 1024,
      updatedAt: msLater(0),
    })
    expect((await postInbound(credentials, body)).body).toMatchObject({ error: 'body_too_large' })
    expect((await rest('PATCH', '/settings', { maxConnections: 16 })).body).toEqual({
      ...defaults,
      maxBodyBytes: 1024,
      maxConnections: 16,
      updatedAt: msLater(1),
    })
    const outbound = { environmentPatterns: ['SHOP_*', 'HOME'], assistantTextBytes: 1024 }
    expect((await rest('PATCH', '/settings', outbound)).status).toBe(200)
    expect((await rest('PATCH', '/settings', {})).status).toBe(200)
    expect((await rest('GET', '/settings')).body).toEqual({
      maxBodyBytes: 1024,
      maxConnections: 16,
      maxBodyMemoryBytes: defaults.maxBodyMemoryBytes,
      defaultRetention: defaults.defaultRetention,
      caFile: null,
      assistantModel: null,
      ...{ alertsQuietUntil: null, watch: serviceWatch },
      backup: null,
      updatedAt: msLater(3),
      ...outbound,
    })
  })

  test('say what a new connection keeps of its events, however it is made; those that are there stay', async () => {
    const { rest } = await cleanService()
    const before = await createConnection(rest)
    const defaultRetention = { maxEvents: 500, maxDays: 3 }
    expect((await rest('PATCH', '/settings', { defaultRetention })).body).toEqual({
      ...defaults,
      defaultRetention,
      updatedAt: msLater(0),
    })
    expect(await createConnection(rest)).toMatchObject({ retention: defaultRetention })
    const text = JSON.stringify({ version: 1, connection: { name: 'Imported' }, actions: [], events: [] })
    const imported = await rest('POST', '/import', { text, format: 'document' })
    expect(imported.status).toBe(200)
    const { connectionId } = z.object({ connectionId: z.string() }).parse(imported.body)
    expect((await rest('GET', `/connections/${connectionId}`)).body).toMatchObject({
      retention: defaultRetention,
    })
    expect((await rest('GET', `/connections/${before.connectionId}`)).body).toMatchObject({
      retention: defaults.defaultRetention,
    })
  })

  test('outside their bounds are refused, all named, and nothing is changed', async () => {
    const { rest } = await cleanService()
    for (const wrong of [
      { maxBodyBytes: 1023, maxConnections: 15 },
      { maxBodyBytes: 100 * 1024 * 1024 + 1, maxConnections: 65_537 },
      { maxBodyBytes: null, maxConnections: '1024' },
    ]) {
      const answer = await rest('PATCH', '/settings', wrong)
      expect([answer.status, errorCode(answer)]).toEqual([400, 'invalid_input'])
      expect(issuePaths(answer)).toEqual(['maxBodyBytes', 'maxConnections'])
    }
    for (const maxBodyMemoryBytes of [1024 * 1024 - 1, 4 * 1024 ** 3 + 1, '64'])
      expect(issuePaths(await rest('PATCH', '/settings', { maxBodyMemoryBytes }))).toEqual([
        'maxBodyMemoryBytes',
      ])
    for (const wrong of [
      { environmentPatterns: ['A-B'], assistantTextBytes: 1023 },
      { environmentPatterns: [''], assistantTextBytes: 1024 * 1024 + 1 },
    ]) {
      const answer = await rest('PATCH', '/settings', wrong)
      expect(issuePaths(answer)).toEqual(['assistantTextBytes', 'environmentPatterns.0'])
    }
    for (const [defaultRetention, path] of [
      [{ maxEvents: 0, maxDays: 30 }, 'defaultRetention.maxEvents'],
      [{ maxEvents: 1, maxDays: 3651 }, 'defaultRetention.maxDays'],
      [{ maxEvents: 1 }, 'defaultRetention.maxDays'],
    ])
      expect(issuePaths(await rest('PATCH', '/settings', { defaultRetention }))).toEqual([path])
    expect((await rest('GET', '/settings')).body).toEqual(defaults)
  })
})
