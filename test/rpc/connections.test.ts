import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createConnection, errorCode, issuePaths } from '../support/rest-client.ts'
import { sharedService, startOfTests, startService } from '../support/service-fixture.ts'

const cleanService = sharedService()

const now = new Date(startOfTests).toISOString()
const summary = {
  connectionId: expect.stringMatching(/^conn_[\w-]{21}$/),
  workspaceId: 'default',
  name: 'Shop',
  baseUrl: null,
  persistEvents: false,
  enabled: true,
  actionCount: 0,
  eventTypeCount: 0,
  createdAt: now,
  updatedAt: now,
}
const details = {
  ...summary,
  timeoutMs: 30_000,
  retention: { maxEvents: 10_000, maxDays: 30 },
  ignoreRepeats: false,
  previousSecretExpiresAt: null,
  oldSecretsExpireAt: [],
  sender: { scheme: 'custom-connection' },
  auth: null,
  rateLimit: null,
  pausedUntil: null,
  hasSenderSecret: false,
  oldSenderSecretsExpireAt: [],
}

describe('a connection', () => {
  test('needs a name alone, is enabled, and comes with its credentials once', async () => {
    const { rest, listenerUrl } = await cleanService()
    const created = await rest('POST', '/connections', { name: 'Shop' })
    expect(created.status).toBe(201)
    expect(created.body).toEqual({
      ...details,
      credentials: {
        inboundUrl: expect.stringMatching(`^${listenerUrl}/api/connect/[\\w-]{43}/events$`),
        inboundToken: expect.stringMatching(/^[\w-]{43}$/),
        signingSecret: expect.stringMatching(/^whsec_[\w-]{43}$/),
      },
    })
  })

  test('is listed as a summary and read with its settings, without a credential', async () => {
    const { rest } = await cleanService()
    const { connectionId, credentials } = await createConnection(rest)
    const list = await rest('GET', '/connections')
    expect(list).toMatchObject({ status: 200 })
    expect(list.body).toEqual([summary])
    const one = await rest('GET', `/connections/${connectionId}`)
    expect(one).toMatchObject({ status: 200 })
    expect(one.body).toEqual(details)
    for (const secret of Object.values(credentials)) expect(list.text + one.text).not.toContain(secret)
  })

  test('is found by its workspace, or among all', async () => {
    const { rest } = await cleanService()
    const { body } = await rest('POST', '/workspaces', { name: 'Team' })
    const { workspaceId } = z.object({ workspaceId: z.string() }).parse(body)
    await createConnection(rest, { name: 'one' })
    await createConnection(rest, { name: 'two', workspaceId })
    const namesIn = async (query: string) =>
      z
        .array(z.object({ name: z.string() }))
        .parse((await rest('GET', `/connections${query}`)).body)
        .map(({ name }) => name)
    expect(await namesIn('')).toEqual(['one', 'two'])
    expect(await namesIn('?workspaceId=default')).toEqual(['one'])
    expect(await namesIn(`?workspaceId=${workspaceId}`)).toEqual(['two'])
  })

  test.each([
    { change: { name: '  Store ' }, shown: { name: 'Store' } },
    { change: { name: '🛒'.repeat(120) }, shown: { name: '🛒'.repeat(120) } },
    { change: { baseUrl: 'https://api.example.com/v2//' }, shown: { baseUrl: 'https://api.example.com/v2' } },
    { change: { baseUrl: null }, shown: { baseUrl: null } },
    { change: { persistEvents: true }, shown: { persistEvents: true } },
    { change: { enabled: false }, shown: { enabled: false } },
    { change: { timeoutMs: 120_000 }, shown: { timeoutMs: 120_000 } },
    { change: { retention: { maxDays: 1 } }, shown: { retention: { maxEvents: 10_000, maxDays: 1 } } },
    {
      change: { retention: { maxEvents: 1, maxDays: 3650 } },
      shown: { retention: { maxEvents: 1, maxDays: 3650 } },
    },
    { change: { ignoreRepeats: true }, shown: { ignoreRepeats: true } },
    { change: {}, shown: {} },
  ])('is changed by %j and in nothing else', async ({ change, shown }) => {
    const { rest, clock } = await cleanService()
    const { connectionId, credentials, ...before } = await createConnection(rest, {
      baseUrl: 'https://api.example.com',
    })
    clock.now += 5000
    const after = { ...before, ...shown, updatedAt: new Date(clock.now).toISOString() }
    const answer = await rest('PATCH', `/connections/${connectionId}`, change)
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.body).toEqual({ connectionId, ...after })
    expect((await rest('GET', `/connections/${connectionId}`)).body).toEqual(answer.body)
    expect((await rest('GET', `/connections/${connectionId}/credentials`)).body).toEqual(credentials)
  })

  test.each(['http://169.254.169.254/latest', 'http://2852039166', 'http://[::ffff:a9fe:a9fe]:8080'])(
    'may have the base URL %s, with a warning that calls to it are refused',
    async baseUrl => {
      const { rest } = await cleanService()
      const created = await rest('POST', '/connections', { name: 'Shop', baseUrl })
      const warnings = [
        { path: 'baseUrl', message: expect.stringMatching(/^Calls to this address are refused/) },
      ]
      expect(created).toMatchObject({ status: 201, body: { warnings } })
      const { connectionId } = z.object({ connectionId: z.string() }).parse(created.body)
      const fixed = await rest('PATCH', `/connections/${connectionId}`, { baseUrl: 'http://10.0.0.1' })
      expect(fixed.body).not.toHaveProperty('warnings')
    },
  )

  test.each(['deleted', 'discarded'])('takes its runs along when it is %s', async how => {
    const { rest, service, clock } = await startService({ service: { undoMs: 10 } })
    const { connectionId } = await createConnection(rest)
    const run = { workflowId: 'wf_a', workspaceId: 'default', lane: 'wf_a', queuedAt: startOfTests }
    const {
      ids: [waiting = ''],
    } = await service.storage.runs.start([{ ...run, connectionId, summary: '{}', data: '{}' }], null)
    const path = `/connections/${connectionId}`
    await (how === 'deleted' ? rest('DELETE', path) : rest('POST', `${path}/discard`, {}))
    clock.now += 10
    await expect.poll(() => service.storage.runs.get(waiting)).toBeNull()
  })

  test('is deleted with its event types and stored events', async () => {
    const { rest, service } = await cleanService()
    const { connectionId } = await createConnection(rest, { persistEvents: true })
    const other = await createConnection(rest, { persistEvents: true })
    for (const id of [connectionId, other.connectionId])
      await rest('POST', `/connections/${id}/send`, { event: 'order.created' })
    expect(await rest('DELETE', `/connections/${connectionId}`)).toMatchObject({
      status: 200,
      body: { deleted: 1 },
    })
    expect((await rest('GET', `/connections/${connectionId}/events`)).status).toBe(404)
    expect((await rest('GET', `/connections/${other.connectionId}/events`)).body).toMatchObject({
      events: [{ eventName: 'order.created' }],
    })
    expect(service.router).toBeDefined()
    expect((await rest('GET', '/connections')).body).toMatchObject([{ connectionId: other.connectionId }])
  })

  test('that does not exist is 404 with a code of its own, whatever is asked of it', async () => {
    const { rest } = await cleanService()
    for (const id of ['conn_unknown', 'nope', 'a%2Fb', '__proto__', 'x'.repeat(500)]) {
      const path = `/connections/${id}`
      for (const answer of [
        await rest('GET', path),
        await rest('PATCH', path, { name: 'x' }),
        await rest('DELETE', path),
        await rest('GET', `${path}/credentials`),
        await rest('POST', `${path}/rotate-secret`, {}),
        await rest('POST', `${path}/regenerate-token`, {}),
        await rest('GET', `${path}/event-types`),
        await rest('POST', `${path}/event-types`, { eventName: 'x' }),
        await rest('GET', `${path}/events`),
        await rest('DELETE', `${path}/events`),
        await rest('GET', `${path}/events/evt_1`),
        await rest('POST', `${path}/events/evt_1/replay`),
        await rest('POST', `${path}/send`, { event: 'x' }),
        await rest('GET', `${path}/attempts`),
        await rest('GET', `/activity?connectionId=${id}`),
      ])
        expect([answer.status, errorCode(answer)]).toEqual([404, 'connection_not_found'])
    }
  })
})

describe('wrong fields of a connection', () => {
  test('are all named when one is created', async () => {
    const { rest } = await cleanService()
    const answer = await rest('POST', '/connections', {
      name: '   ',
      baseUrl: 'ftp://files.example.com',
      persistEvents: 'yes',
      workspaceId: 5,
    })
    expect(answer.status).toBe(400)
    expect(errorCode(answer)).toBe('invalid_input')
    expect(issuePaths(answer)).toEqual(['baseUrl', 'name', 'persistEvents', 'workspaceId'])
    expect((await rest('GET', '/connections')).body).toEqual([])
  })

  test('are all named when one is changed, with dots for what lies deeper, and nothing is changed', async () => {
    const { rest } = await cleanService()
    const { connectionId, credentials: _, ...before } = await createConnection(rest)
    const path = `/connections/${connectionId}`
    const answer = await rest('PATCH', path, {
      name: null,
      baseUrl: 'https://user:password@api.example.com',
      persistEvents: null,
      enabled: 1,
      timeoutMs: 999,
      retention: { maxEvents: 0, maxDays: 3651 },
      ignoreRepeats: 'no',
    })
    expect(answer.status).toBe(400)
    expect(errorCode(answer)).toBe('invalid_input')
    expect(issuePaths(answer)).toEqual([
      'baseUrl',
      'enabled',
      'ignoreRepeats',
      'name',
      'persistEvents',
      'retention.maxDays',
      'retention.maxEvents',
      'timeoutMs',
    ])
    expect((await rest('GET', path)).body).toEqual({ connectionId, ...before })
  })

  test.each([
    { name: 'x'.repeat(121) },
    { name: '🛒'.repeat(121) },
    { timeoutMs: 120_001 },
    { timeoutMs: 1000.5 },
    { timeoutMs: '5000' },
    { retention: 5 },
    { baseUrl: `https://api.example.com/${'x'.repeat(2048)}` },
  ])('%o is refused', async fields => {
    const { rest } = await cleanService()
    const { connectionId } = await createConnection(rest)
    const answer = await rest('PATCH', `/connections/${connectionId}`, fields)
    expect(answer.status).toBe(400)
    expect(issuePaths(answer)).toEqual(Object.keys(fields))
  })
})
