import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { readHour } from '#main/storage/hour-counts.ts'
import { HourList } from '#shared/model/hour-statistics.ts'
import { createAction, testAction } from '../support/actions.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { createConnection, errorCode, issuePaths, type Rest } from '../support/rest-client.ts'
import { postInbound, sharedService, startOfTests, startService } from '../support/service-fixture.ts'
import { addWorkflow } from '../support/workflows.ts'

const cleanService = sharedService()

const hourMs = 3_600_000
const momentOf = (ms: number) => new Date(ms).toISOString()
const startOfHour = Math.floor(startOfTests / hourMs) * hourMs
const nothing = {
  ...{ accepted: 0, repeated: 0, duplicates: 0, refused: {}, calls: {}, answerMs: null, callMs: null },
  runs: { succeeded: 0, failed: 0, cancelled: 0 },
}

async function hoursOf(rest: Rest, query = '') {
  return z.strictObject(HourList.shape).parse((await rest('GET', `/statistics/hours${query}`)).body)
}

/** Saves two workflows that end at once, started by the events `fail` and `work`. */
const addWorkflows = async (rest: Rest, connectionId: string) => [
  await addWorkflow(
    rest,
    { connectionId, eventName: 'fail' },
    { key: 'end', type: 'stop', outcome: 'failed' },
  ),
  await addWorkflow(
    rest,
    { connectionId, eventName: 'work' },
    { key: 'end', type: 'stop', outcome: 'succeeded' },
  ),
]

describe('the counts of hours', () => {
  test('have what happened, each in its hour, and leave out hours without anything', async () => {
    const { rest, clock } = await startService()
    const system = await startExternalSystem(
      (request, response) => void response.writeHead(request.url === '/orders' ? 200 : 500).end('{}'),
    )
    const { connectionId, credentials } = await createConnection(rest, { baseUrl: system.url })
    await addWorkflows(rest, connectionId)
    for (const event of ['a', 'work', 'work', 'fail']) await postInbound(credentials, `{"event":"${event}"}`)
    await rest('PATCH', `/connections/${connectionId}`, { ignoreRepeats: true })
    await postInbound(credentials, '{"event":"b"}')
    await postInbound(credentials, '{"event":"b"}')
    clock.now += 2 * hourMs
    await postInbound(credentials, 'no JSON', clock.now)
    await postInbound({ ...credentials, signingSecret: 'wrong' }, '{"event":"a"}', clock.now)
    const unknown = {
      ...credentials,
      inboundUrl: credentials.inboundUrl.replace(/.{4}\/events$/, 'none/events'),
    }
    await postInbound(unknown, '{"event":"a"}', clock.now)
    const action = await createAction(rest, connectionId)
    const failing = await createAction(rest, connectionId, { name: 'Fail', path: '/no' })
    await testAction(rest, { connectionId, actionId: action.actionId })
    await testAction(rest, { connectionId, actionId: failing.actionId })

    const durations = { p50: expect.any(Number), p95: expect.any(Number) }
    const first = {
      ...{ ...nothing, from: momentOf(startOfHour), accepted: 5, repeated: 1, answerMs: durations },
      runs: { succeeded: 2, failed: 1, cancelled: 0 },
    }
    const second = {
      ...{ ...nothing, from: momentOf(startOfHour + 2 * hourMs), callMs: durations },
      ...{ refused: { invalid_json: 1, invalid_signature: 1 }, calls: { '2xx': 1, '5xx': 1 } },
    }
    const kept = { keptFrom: momentOf(startOfHour) }
    expect(await hoursOf(rest, `?connectionId=${connectionId}`)).toEqual({ hours: [first, second], ...kept })
    expect(await hoursOf(rest, '?workspaceId=default')).toEqual({ hours: [first, second], ...kept })
    const ofService = { ...second, refused: { ...second.refused, unknown_token: 1 } }
    expect(await hoursOf(rest)).toEqual({ hours: [first, ofService], ...kept })
    const { hours: days } = await hoursOf(rest, '?by=day')
    expect(days).toEqual([
      {
        ...{ ...first, from: momentOf(Math.floor(startOfTests / (24 * hourMs)) * 24 * hourMs) },
        ...{ refused: ofService.refused, calls: ofService.calls, callMs: durations },
      },
    ])
  })

  test('of a connection are kept by workflow and event, and by workflow and tool', async () => {
    const fixture = await startService()
    const { rest } = fixture
    const system = await startExternalSystem((_request, response) => void response.writeHead(500).end('{}'))
    const { connectionId, credentials } = await createConnection(rest, { baseUrl: system.url })
    const { actionId, toolName } = await createAction(rest, connectionId)
    const [failing] = await addWorkflows(rest, connectionId)
    const calling = await addWorkflow(
      rest,
      { connectionId, eventName: 'fail' },
      {
        ...{ key: 'call', type: 'action', connectionId, toolName, arguments: {} },
      },
    )
    await testAction(rest, { connectionId, actionId })
    for (const event of ['fail', 'fail', 'other']) await postInbound(credentials, `{"event":"${event}"}`)
    await expect.poll(async () => (await hoursOf(rest)).hours[0]?.calls).toEqual({ '5xx': 3 })
    await fixture.restart()
    const { hourCounts } = fixture.service.storage
    const rows = await hourCounts.read(connectionId, { from: 0, until: Number.MAX_SAFE_INTEGER })
    expect(rows.map(({ doc }) => readHour(doc))).toEqual([
      expect.objectContaining({
        started: { [`${failing} fail`]: [2, 2], [`${calling} fail`]: [2, 0], ' other': [1, 0] },
        called: { [` ${toolName}`]: [1, 1], [`${calling} ${toolName}`]: [2, 2] },
      }),
    ])
  })

  test('of a range are those of the hours in it', async () => {
    const { rest, clock } = await startService()
    const { credentials } = await createConnection(rest)
    for (let hour = 0; hour < 3; hour++) {
      clock.now = startOfTests + hour * hourMs
      await postInbound(credentials, '{"event":"a"}', clock.now)
    }
    const fromOf = async (since: number, until: number) =>
      (await hoursOf(rest, `?since=${since}&until=${momentOf(until)}`)).hours.map(({ from }) => from)
    const all = [0, 1, 2].map(hour => momentOf(startOfHour + hour * hourMs))
    expect(await fromOf(startOfTests, clock.now + 1)).toEqual(all)
    expect(await fromOf(startOfHour + hourMs, startOfHour + 2 * hourMs)).toEqual([all[1]])
    expect(await fromOf(startOfHour + hourMs - 1, startOfHour + 2 * hourMs + 1)).toEqual(all)
    clock.now += 24 * hourMs
    expect((await hoursOf(rest)).hours).toEqual([])
    expect(await fromOf(clock.now - 1000 * hourMs, clock.now)).toEqual(all)
  })

  test('last over a restart, and go with their connection', async () => {
    const fixture = await startService()
    const { rest, clock } = fixture
    const { connectionId, credentials } = await createConnection(rest)
    await postInbound(credentials, '{"event":"a"}')
    await fixture.restart()
    const { pathname } = new URL(credentials.inboundUrl)
    const again = { ...credentials, inboundUrl: fixture.listenerUrl + pathname }
    await postInbound(again, '{"event":"b"}')
    clock.now += hourMs
    await postInbound(again, '{"event":"c"}', clock.now)
    const before = await hoursOf(rest, `?connectionId=${connectionId}`)
    expect(before.hours.map(({ accepted }) => accepted)).toEqual([2, 1])
    await fixture.restart()
    expect(await hoursOf(rest, `?connectionId=${connectionId}`)).toEqual(before)
    await rest('DELETE', `/connections/${connectionId}`)
    expect((await hoursOf(rest)).hours.map(({ accepted }) => accepted)).toEqual([2, 1])
  })
})

describe('the counts of hours and the edges', () => {
  test.each([
    ['hours?since=2026-11-21T10:00:00Z&until=2026-11-21T10:00:00Z', 'since'],
    ['hours?since=2026-11-22T10:00:00Z', 'since'],
    ['hours?since=2026-10-01T10:00:00Z&until=2026-11-21T10:00:00Z', 'since'],
    ['hours?since=yesterday', 'since'],
    ['hours?by=week', 'by'],
    ['hours?unknown=1', 'unknown'],
    ['edges?since=2026-10-01T10:00:00Z', 'since'],
    ['edges?since=2026-11-22T10:00:00Z', 'since'],
    ['edges?since=yesterday', 'since'],
    ['edges?until=2026-11-21T10:00:00Z', 'until'],
  ])('are refused for %s', async (query, path) => {
    const { rest } = await cleanService()
    const answer = await rest('GET', `/statistics/${query}`)
    expect([answer.status, errorCode(answer), issuePaths(answer)]).toEqual([400, 'invalid_input', [path]])
  })

  test.each(['hours', 'edges'])('are of known connections and workspaces: %s', async path => {
    const { rest } = await cleanService()
    const codes = ['connectionId=conn_none', 'workspaceId=ws_none'].map(async query =>
      errorCode(await rest('GET', `/statistics/${path}?${query}`)),
    )
    expect(await Promise.all(codes)).toEqual(['connection_not_found', 'workspace_not_found'])
  })
})
