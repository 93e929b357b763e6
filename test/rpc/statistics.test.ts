import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { EventNameStatistics, Statistics } from '#shared/model/statistics.ts'
import { createAction, testAction } from '../support/actions.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { createConnection, errorCode, type Rest } from '../support/rest-client.ts'
import { postInbound, sharedService, startOfTests, startService } from '../support/service-fixture.ts'

const cleanService = sharedService()

const hourMs = 60 * 60 * 1000
const momentOf = (ms: number) => new Date(ms).toISOString()

async function statisticsOf(rest: Rest, query = '') {
  const { since, connections } = z
    .strictObject(Statistics.shape)
    .parse((await rest('GET', `/statistics${query}`)).body)
  return { since, connections, first: connections[0] }
}

async function eventNames(rest: Rest, connectionId: string) {
  const { body } = await rest('GET', `/connections/${connectionId}/statistics/event-names`)
  return z.array(EventNameStatistics).parse(body)
}

describe('statistics', () => {
  test('of a connection on which nothing happened are zero', async () => {
    const { rest } = await cleanService()
    expect(await statisticsOf(rest)).toMatchObject({ since: momentOf(startOfTests), connections: [] })
    const { connectionId } = await createConnection(rest)
    expect((await statisticsOf(rest)).connections).toEqual([
      {
        connectionId,
        status: { state: 'silent', cause: null, count: 0, of: 0 },
        lastHour: { accepted: 0, refused: 0, calls: 0, callsFailed: 0, callsNotMade: 0, runs: [] },
        hours: Array.from({ length: 24 }, () => ({ accepted: 0, rejected: 0, calls: 0, callsFailed: 0 })),
        accepted: 0,
        rejected: 0,
        calls: 0,
        callsOk: 0,
        callsNotMade: 0,
        oldSecret: null,
        medianAnswerMs: null,
        medianCallMs: null,
        lastEvent: null,
        lastRejection: null,
      },
    ])
    expect(await eventNames(rest, connectionId)).toEqual([])
  })

  test('count events, ignored repeats, refusals and calls, each in its hour; replays not', async () => {
    const fixture = await cleanService()
    const { rest, clock } = fixture
    const system = await startExternalSystem(
      (request, response) => void response.writeHead(request.url === '/orders' ? 200 : 500).end('{}'),
    )
    const connection = await createConnection(rest, { persistEvents: true, baseUrl: system.url })
    const { connectionId, credentials } = connection
    await rest('PATCH', `/connections/${connectionId}`, { ignoreRepeats: true })
    for (let time = 0; time < 2; time++) await postInbound(credentials, '{"event":"a"}')
    const { eventId } = z
      .object({ events: z.tuple([z.object({ eventId: z.string() })]) })
      .parse((await rest('GET', `/connections/${connectionId}/events`)).body).events[0]
    await rest('POST', `/connections/${connectionId}/events/${eventId}/replay`)

    clock.now += 2 * hourMs
    await postInbound(credentials, 'no JSON', clock.now)
    const action = await createAction(rest, connectionId)
    const failing = await createAction(rest, connectionId, { name: 'Fail', path: '/no' })
    await testAction(rest, { connectionId, actionId: action.actionId })
    await testAction(rest, { connectionId, actionId: failing.actionId })

    const { first } = await statisticsOf(rest)
    expect(first).toMatchObject({ accepted: 2, rejected: 1, calls: 2, callsOk: 1 })
    expect(first?.hours.slice(-3)).toEqual([
      { accepted: 2, rejected: 0, calls: 0, callsFailed: 0 },
      { accepted: 0, rejected: 0, calls: 0, callsFailed: 0 },
      { accepted: 0, rejected: 1, calls: 2, callsFailed: 1 },
    ])
    expect(first?.medianAnswerMs).toBeGreaterThan(0)
    expect(first?.medianCallMs).toBeGreaterThan(0)
    expect(first?.lastEvent).toMatchObject({ eventName: 'a', at: momentOf(startOfTests) })
    expect(first?.lastRejection).toEqual({
      at: momentOf(clock.now),
      attemptId: expect.stringMatching(/^att_/),
      code: 'invalid_json',
      diagnosis: null,
    })

    clock.now += 22 * hourMs
    const next = await statisticsOf(rest)
    expect(next.since).toBe(momentOf(clock.now - 24 * hourMs))
    expect(next.first).toMatchObject({ accepted: 0, rejected: 1, calls: 2, medianAnswerMs: null })
    expect(next.first?.hours[1]).toEqual({ accepted: 0, rejected: 1, calls: 2, callsFailed: 1 })
    expect(next.first?.lastEvent).toMatchObject({ eventName: 'a' })
  })

  test('leave out a call of which nothing was sent', async () => {
    const { rest } = await cleanService()
    const { connectionId } = await createConnection(rest)
    const { actionId } = await createAction(rest, connectionId)
    const { error } = await testAction(rest, { connectionId, actionId })
    expect(error).toMatchObject({ code: 'no_base_url' })
    await testAction(rest, { connectionId, actionId }, { unknown: 1 })
    expect((await statisticsOf(rest)).first).toMatchObject({
      ...{ calls: 0, callsOk: 0, callsNotMade: 2, medianCallMs: null },
      // A test is nobody's failure.
      lastHour: { callsNotMade: 0 },
    })
  })

  test('name the mistake behind the last refusal, also where there was no time for it when it came', async () => {
    const { rest } = await cleanService()
    const { connectionId, credentials } = await createConnection(rest)
    const wrong = { ...credentials, signingSecret: credentials.signingSecret.slice('whsec_'.length) }
    // Ten are diagnosed within a second, and the clock stands still.
    for (let time = 0; time < 12; time++) await postInbound(wrong, `{"event":"e${time}"}`)
    await expect
      .poll(async () => (await statisticsOf(rest)).first)
      .toMatchObject({
        connectionId,
        rejected: 12,
        lastRejection: { code: 'invalid_signature', diagnosis: 'key_without_prefix' },
      })
  })

  test('are of one workspace or of all, in the order of the connections', async () => {
    const { rest } = await cleanService()
    const { workspaceId } = z
      .object({ workspaceId: z.string() })
      .parse((await rest('POST', '/workspaces', { name: 'Team' })).body)
    const ours = await createConnection(rest, { workspaceId })
    const other = await createConnection(rest)
    const idsOf = async (query = '') =>
      (await statisticsOf(rest, query)).connections.map(({ connectionId }) => connectionId)
    expect(await idsOf()).toEqual([ours.connectionId, other.connectionId])
    expect(await idsOf(`?workspaceId=${workspaceId}`)).toEqual([ours.connectionId])
    const unknown = await rest('GET', '/statistics?workspaceId=ws_none')
    expect([unknown.status, errorCode(unknown)]).toEqual([404, 'workspace_not_found'])
  })

  test('by event name have the declared names first, then the most frequent, also a day later', async () => {
    const { rest, clock } = await cleanService()
    const { connectionId, credentials } = await createConnection(rest)
    for (const eventName of ['declared', 'silent'])
      await rest('POST', `/connections/${connectionId}/event-types`, { eventName })
    for (const [index, event] of ['a', 'b', 'declared', 'b'].entries()) {
      clock.now += 1
      await postInbound(credentials, JSON.stringify({ event, data: { index } }))
    }
    const at = (passed: number) => momentOf(startOfTests + passed)
    expect(await eventNames(rest, connectionId)).toEqual([
      { eventName: 'declared', count: 1, lastAt: at(3), declared: true },
      { eventName: 'silent', count: 0, lastAt: null, declared: true },
      { eventName: 'b', count: 2, lastAt: at(4), declared: false },
      { eventName: 'a', count: 1, lastAt: at(1), declared: false },
    ])
    clock.now += 24 * hourMs
    expect(await eventNames(rest, connectionId)).toEqual([
      { eventName: 'declared', count: 0, lastAt: at(3), declared: true },
      { eventName: 'silent', count: 0, lastAt: null, declared: true },
      { eventName: 'b', count: 0, lastAt: at(4), declared: false },
      { eventName: 'a', count: 0, lastAt: at(1), declared: false },
    ])
    const unknown = await rest('GET', '/connections/conn_none/statistics/event-names')
    expect([unknown.status, errorCode(unknown)]).toEqual([404, 'connection_not_found'])
  })

  test('of a deleted connection are gone, from the file too', async () => {
    const fixture = await startService()
    const { rest, dataFolder } = fixture
    const { connectionId, credentials } = await createConnection(rest)
    await postInbound(credentials, '{"event":"told-to-nobody"}')
    await rest('DELETE', `/connections/${connectionId}`)
    expect((await statisticsOf(rest)).connections).toEqual([])
    await fixture.stop()
    expect(await readFile(join(dataFolder, 'statistics.json'), 'utf8')).not.toContain('told-to-nobody')
  })
})

describe('the file of the statistics', () => {
  test('brings them over a restart', async () => {
    const fixture = await startService()
    const { rest, clock } = fixture
    const { connectionId, credentials } = await createConnection(rest)
    const wrong = { ...credentials, signingSecret: 'wrong' }
    await postInbound(credentials, '{"event":"a"}')
    await postInbound(wrong, '{"event":"a"}')
    // The diagnosis follows the refusal.
    await expect.poll(async () => (await statisticsOf(rest)).first?.lastRejection?.diagnosis).toBe('unknown')
    const before = await statisticsOf(rest)
    const names = await eventNames(rest, connectionId)
    const later = 50 * 60_000
    clock.now += later
    await fixture.restart()
    clock.now -= later
    expect(await statisticsOf(rest)).toEqual({
      since: before.since,
      connections: [before.first],
      first: before.first,
    })
    expect(await eventNames(rest, connectionId)).toEqual(names)
  })

  test.each([
    ['is missing a half', '{"version":1,"since":17'],
    ['is empty', ''],
    ['is of another kind', '{"version":2}'],
    ['has counts that are none', '{"version":1,"since":0,"connections":[{"connectionId":"conn_1"}]}'],
  ])('that %s restarts the counting and is reported', async (_what, text) => {
    const fixture = await startService()
    const { rest, dataFolder, clock, log } = fixture
    const { credentials } = await createConnection(rest)
    await postInbound(credentials, '{"event":"a"}')
    const file = join(dataFolder, 'statistics.json')
    await fixture.stop()
    await writeFile(file, text)
    clock.now += 1000
    await fixture.restart()
    expect(await statisticsOf(rest)).toMatchObject({ since: momentOf(clock.now), first: { accepted: 0 } })
    expect(log.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      expect.stringContaining('The statistics were reset'),
    ])
  })

  test('that cannot be read or written stops neither the start nor the end', async () => {
    const fixture = await startService()
    const { rest, dataFolder, log } = fixture
    await fixture.stop()
    const file = join(dataFolder, 'statistics.json')
    await rm(file, { force: true })
    await mkdir(join(file, 'in the way'), { recursive: true })
    await fixture.restart()
    const { credentials } = await createConnection(rest)
    expect((await postInbound(credentials, '{"event":"a"}')).status).toBe(200)
    expect((await statisticsOf(rest)).first?.accepted).toBe(1)
    await fixture.stop()
    expect(log.text()).toContain('The statistics could not be written')
  })
})
