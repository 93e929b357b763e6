import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Alert } from '#shared/model/alert.ts'
import { Run } from '#shared/model/run.ts'
import { eventually } from '../support/eventually.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { createConnection, errorCode, issuePaths, type Rest } from '../support/rest-client.ts'
import { postInbound, type ServiceFixture, sharedService, startService } from '../support/service-fixture.ts'
import { addWorkflow } from '../support/workflows.ts'

const cleanService = sharedService()
const minute = 60_000
const secret = `whsec_${'a'.repeat(43)}=`

const alertsOf = async (rest: Rest, query = '') =>
  z.array(z.strictObject(Alert.shape)).parse((await rest('GET', `/alerts${query}`)).body)

const runsOf = async (rest: Rest, workflowId: string) =>
  z.object({ runs: z.array(Run) }).parse((await rest('GET', `/runs?workflowId=${workflowId}`)).body).runs

/** Lets time pass, and evaluates all alerts. */
async function letPass({ clock, service }: ServiceFixture, ms: number): Promise<void> {
  clock.now += ms
  await service.alerts.step()
}

type Credentials = Parameters<typeof postInbound>[0]
async function refuse(credentials: Credentials, at: number): Promise<void> {
  for (let count = 0; count < 5; count++)
    expect((await postInbound({ ...credentials, signingSecret: secret }, '{"event":"a"}', at)).status).toBe(
      401,
    )
}

describe('alerts', () => {
  test('tell the webhook, the activity and workflows of this service once of each transition', async () => {
    const fixture = await startService({ service: { env: { HOOK_SECRET: secret } } })
    const { rest, clock } = fixture
    const requests: { readonly id: string | undefined; readonly body: string }[] = []
    const system = await startExternalSystem((request, response) => {
      requests.push({ id: String(request.headers['idempotency-key']), body: request.body })
      response.end('{}')
    })
    await rest('PATCH', '/workspaces/default', {
      webhook: { url: system.url, secretVariable: 'HOOK_SECRET', alerts: true },
    })
    const { connectionId, credentials } = await createConnection(rest, { name: 'Billing Bridge' })
    const stop = { key: 'end', type: 'stop', outcome: 'succeeded' }
    const fail = { key: 'end', type: 'stop', outcome: 'failed' }
    const named = await addWorkflow(
      rest,
      { connectionId: 'conn_service', eventName: 'service.refused.*' },
      stop,
    )
    const failing = await addWorkflow(rest, { connectionId: 'conn_service', eventName: 'service.*' }, fail)
    const any = await addWorkflow(rest, { connectionId: null, eventName: null }, stop)
    await letPass(fixture, minute)
    await refuse(credentials, clock.now)
    for (let step = 0; step < 3; step++) await letPass(fixture, minute)

    const [alert] = await alertsOf(rest)
    expect(alert).toMatchObject({
      ...{ kind: 'refused', workspaceId: 'default', connectionId, state: 'open', closedAt: null },
      ...{ value: 100, threshold: 20, unit: 'percent', muted: false, mutedUntil: null },
      message: 'Billing Bridge has refused 5 of 5 requests of the last hour.',
    })
    // A request whose answer comes too late is made again, with its key.
    const keys = () => new Set(requests.map(({ id }) => id))
    await eventually(() => expect(keys().size).toBe(1))
    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({
      event: 'alert.opened',
      data: {
        ...{ alertId: alert?.alertId, kind: 'refused', state: 'open', workflow: null },
        connection: { connectionId, name: 'Billing Bridge' },
      },
    })

    // The refusals are over an hour later, in which nothing was refused.
    for (let step = 0; step < 3; step++) await letPass(fixture, 65 * minute)
    expect(await alertsOf(rest)).toEqual([])
    expect((await alertsOf(rest, '?state=closed')).map(({ kind }) => kind)).toEqual(['refused'])
    await eventually(() => expect(keys().size).toBe(2))
    expect((await runsOf(rest, named)).map(({ eventName, connectionId: of }) => [eventName, of])).toEqual([
      ['service.refused.closed', 'conn_service'],
      ['service.refused.opened', 'conn_service'],
    ])
    expect(await runsOf(rest, failing)).toHaveLength(2)
    expect(await runsOf(rest, any)).toEqual([])
    const { body } = await rest('GET', '/activity/list?kinds=alert.opened,alert.closed')
    expect(body).toMatchObject({
      items: [
        { type: 'alert.closed', alertId: alert?.alertId, connectionId },
        { type: 'alert.opened', alertId: alert?.alertId, alertKind: 'refused' },
      ],
    })
    // It is in no list, and its events are not stored.
    expect(errorCode(await rest('GET', '/connections/conn_service'))).toBe('connection_not_found')
    await fixture.restart()
    expect((await alertsOf(rest, '?state=all')).map(({ alertId }) => alertId)).toEqual([alert?.alertId])
  })

  test('are raised by failing runs, but never by runs that an alert has started', async () => {
    const fixture = await startService()
    const { rest, clock } = fixture
    const { connectionId, credentials } = await createConnection(rest)
    const fail = { key: 'end', type: 'stop', outcome: 'failed' }
    const failing = await addWorkflow(rest, { connectionId, eventName: null }, fail)
    const paging = await addWorkflow(rest, { connectionId: 'conn_service', eventName: null }, fail)
    for (const event of ['a', 'b', 'c']) await postInbound(credentials, `{"event":"${event}"}`, clock.now)
    for (let step = 0; step < 6; step++) await letPass(fixture, minute)
    expect((await alertsOf(rest, '?state=all')).map(({ kind, workflowId }) => [kind, workflowId])).toEqual([
      ['runs_failing', failing],
    ])
    expect(await runsOf(rest, paging)).toHaveLength(1)
    await rest('DELETE', `/workflows/${failing}`)
    await letPass(fixture, minute)
    expect(await alertsOf(rest)).toEqual([])
  })

  test('of silence count only the time in which the service was up', async () => {
    const fixture = await startService()
    const { rest, clock } = fixture
    const { connectionId, credentials } = await createConnection(rest)
    const never = await createConnection(rest, { name: 'Never' })
    for (const id of [connectionId, never.connectionId])
      await rest('PATCH', `/connections/${id}/watch`, { silent: { enabled: true, hours: 1 } })
    await postInbound(credentials, '{"event":"a"}', clock.now)
    await letPass(fixture, minute)
    // Nothing was evaluated meanwhile: the service was down.
    await letPass(fixture, 90 * minute)
    expect(await alertsOf(rest)).toEqual([])
    for (let passed = 0; passed < 60; passed++) await letPass(fixture, minute)
    expect((await alertsOf(rest)).map(({ kind, connectionId: of }) => [kind, of])).toEqual([
      ['silent', connectionId],
    ])
    await postInbound(credentials, '{"event":"a"}', clock.now)
    await letPass(fixture, minute)
    expect(await alertsOf(rest)).toEqual([])
  })

  test('of old backups open when there was one, and close with a newer one', async () => {
    const fixture = await startService()
    const { rest, clock } = fixture
    await letPass(fixture, minute)
    await rest('POST', '/backups/note', { at: clock.now - 3 * 24 * 60 * minute })
    await letPass(fixture, minute)
    expect((await alertsOf(rest)).map(({ kind, unit }) => [kind, unit])).toEqual([['backup_old', 'ms']])
    await rest('POST', '/backups/note', {})
    await letPass(fixture, minute)
    expect(await alertsOf(rest)).toEqual([])
  })

  test('can be muted while they are open', async () => {
    const fixture = await startService()
    const { rest, clock } = fixture
    const { connectionId, credentials } = await createConnection(rest)
    await refuse(credentials, clock.now)
    await letPass(fixture, minute)
    const [alert] = await alertsOf(rest, `?kind=refused&connectionId=${connectionId}&limit=1`)
    const path = `/alerts/${alert?.alertId}`
    const until = new Date(clock.now + 2 * 60 * minute).toISOString()
    expect((await rest('POST', `${path}/mute`, { hours: 2 })).body).toMatchObject({
      muted: true,
      mutedUntil: until,
    })
    expect((await rest('POST', `${path}/mute`, { hours: null })).body).toMatchObject({
      muted: true,
      mutedUntil: null,
    })
    expect((await rest('POST', `${path}/unmute`)).body).toMatchObject({ muted: false })
    expect(issuePaths(await rest('POST', `${path}/mute`, { hours: 721 }))).toEqual(['hours'])
    await rest('DELETE', `/connections/${connectionId}`)
    await letPass(fixture, minute)
    expect((await rest('GET', path)).body).toMatchObject({ state: 'closed' })
    const late = await rest('POST', `${path}/mute`, { hours: 1 })
    expect([late.status, errorCode(late)]).toEqual([409, 'alert_closed'])
    expect(await alertsOf(rest, `?state=all&after=${alert?.alertId}`)).toEqual([])
  })

  test('of changed payloads and of a wrong clock say in words what differs, without values outside', async () => {
    const fixture = await startService({ service: { env: { HOOK_SECRET: secret } } })
    const { rest, clock } = fixture
    const bodies: string[] = []
    const system = await startExternalSystem((request, response) => {
      bodies.push(request.body)
      response.end('{}')
    })
    await rest('PATCH', '/workspaces/default', {
      webhook: { url: system.url, secretVariable: 'HOOK_SECRET', alerts: true },
    })
    const { connectionId, credentials } = await createConnection(rest, {
      name: 'Warehouse WMS',
      persistEvents: true,
    })
    const sampleText = '{"level":12,"reason":"recount","list":[{"a":1}],"none":null}'
    const type = { eventName: 'stock.adjusted', sampleText }
    const { body: created } = await rest('POST', `/connections/${connectionId}/event-types`, type)
    const { eventTypeId } = z.object({ eventTypeId: z.string() }).parse(created)
    const trigger = { connectionId, eventName: 'stock.adjusted' }
    const reading = await addWorkflow(rest, trigger, {
      key: 'set',
      type: 'set',
      values: { of: { value: '{{level}}' } },
    })
    await addWorkflow(rest, trigger, { key: 'set', type: 'set', values: { of: { value: '{{list}}' } } })
    const watch = async () =>
      z
        .object({ now: z.looseObject({ clock: z.unknown(), payloads: z.unknown() }) })
        .parse((await rest('GET', `/connections/${connectionId}/watch`)).body).now
    const long = 'x'.repeat(100)
    for (let count = 0; count < 10; count++) {
      const data = `{"level":"${long}","list":[{"a":2}],"bin":"A-14","none":5}`
      // Signed by a clock that is 112 seconds behind.
      const sent = await postInbound(
        credentials,
        `{"event":"stock.adjusted","data":${data}}`,
        clock.now - 112_000,
      )
      expect(sent.status).toBe(200)
      // Of one second, one event is measured.
      await postInbound(credentials, '{"event":"stock.adjusted","data":{}}', clock.now)
      await eventually(async () => expect((await watch()).clock).toMatchObject({ samples: count + 1 }))
      clock.now += 1000
    }
    const fields = (now: boolean) => [
      { path: 'level', change: 'type', ...(now && { sample: '12', now: `"${long}`.slice(0, 64) }) },
      { path: 'reason', change: 'missing', ...(now && { sample: '"recount"', now: null }) },
      { path: 'bin', change: 'added', ...(now && { sample: null, now: '"A-14"' }) },
    ]
    const counts = { of: 10, differing: 10, workflows: [reading] }
    const offset = { medianMs: -112_000, p95Ms: 112_000, samples: 10, refusedFrom: null }
    expect(await watch()).toMatchObject({
      clock: offset,
      payloads: [{ eventName: 'stock.adjusted', ...counts, fields: fields(true) }],
    })
    await letPass(fixture, minute)
    const alerts = await alertsOf(rest)
    expect(alerts.map(({ kind, message }) => [kind, message])).toEqual([
      ['payload', '3 fields of an event differ from the sample: stock.adjusted of Warehouse WMS.'],
      ['clock', 'The clock of Warehouse WMS is 1 min 52 s behind.'],
    ])
    expect(alerts[0]).toMatchObject({
      ...{ eventName: 'stock.adjusted', value: 100, threshold: 90, unit: 'percent' },
      details: { ...counts, fields: fields(true) },
    })
    expect(alerts[1]).toMatchObject({ value: 112_000, threshold: 60_000, unit: 'ms', details: offset })
    await eventually(() => expect(bodies).toHaveLength(2))
    const told = bodies.map(
      body => z.object({ data: z.looseObject({ kind: z.string() }) }).parse(JSON.parse(body)).data,
    )
    expect(told.find(({ kind }) => kind === 'payload')).toMatchObject({
      details: { ...counts, fields: fields(false) },
    })
    expect(bodies.join()).not.toMatch(/recount|A-14|xxx/)

    // What was measured outlives a restart, and its values are hidden when events are no longer stored.
    await fixture.restart()
    await rest('PATCH', `/connections/${connectionId}`, { persistEvents: false })
    expect(await watch()).toMatchObject({
      clock: offset,
      payloads: [
        {
          fields: [
            { path: 'level', sample: 'number', now: 'string' },
            { path: 'reason', sample: 'string', now: null },
            { path: 'bin', sample: null, now: 'string' },
          ],
        },
      ],
    })
    await rest('PATCH', `/connections/${connectionId}/event-types/${eventTypeId}`, { sampleText: '{"a":1}' })
    await letPass(fixture, minute)
    expect((await alertsOf(rest)).map(({ kind }) => kind)).toEqual(['clock'])
    expect((await watch()).payloads).toBeNull()
  })

  test('that are unknown have an error of their own', async () => {
    const { rest } = await cleanService()
    for (const [method, path, body] of [
      ['GET', '/alerts/alert_0i3mxhytq73', undefined],
      ['GET', '/alerts/none', undefined],
      ['POST', '/alerts/alert_0i3mxhytq73/mute', { hours: 1 }],
      ['POST', '/alerts/alert_0i3mxhytq73/unmute', undefined],
    ] as const) {
      const answer = await rest(method, path, body)
      expect([answer.status, errorCode(answer)]).toEqual([404, 'alert_not_found'])
    }
  })
})

describe('the thresholds of alerts', () => {
  test('of a connection are changed one by one, with what is measured now', async () => {
    const { rest, clock } = await cleanService()
    const { connectionId, credentials } = await createConnection(rest)
    const path = `/connections/${connectionId}/watch`
    const defaults = {
      silent: { enabled: false, hours: 24, suggestedHours: null },
      ...{ refused: { enabled: true, percent: 20 }, callsFailing: { enabled: true, percent: 20 } },
      ...{ payload: { enabled: true, mutedEvents: [] }, clock: { enabled: true, seconds: 60 } },
      secretGrace: { enabled: true },
    }
    const unknown = {
      ...{ silentForMs: null, refusedPercent: null, callsFailingPercent: null },
      ...{ clock: null, payloads: null },
      lastHour: { requests: 0, refused: 0, calls: 0, callsFailed: 0 },
    }
    expect((await rest('GET', path)).body).toEqual({
      ...defaults,
      now: unknown,
      updatedAt: expect.any(String),
    })
    await postInbound(credentials, '{"event":"a"}', clock.now)
    const { body } = await rest('PATCH', path, { refused: { percent: 5 }, silent: { hours: 3 } })
    expect(body).toMatchObject({
      ...{ refused: { enabled: true, percent: 5 }, silent: { enabled: false, hours: 3 } },
      now: { silentForMs: 0, refusedPercent: 0, callsFailingPercent: null },
    })
    expect((await rest('GET', path)).body).toMatchObject({ refused: { percent: 5 } })
    const stale = await rest('PATCH', path, {
      refused: { percent: 6 },
      ifUpdatedAt: '2026-01-01T00:00:00.000Z',
    })
    expect(stale).toMatchObject({ status: 409, body: { code: 'changed_meanwhile' } })
    for (const [change, at] of [
      [{ refused: { percent: 0 } }, 'refused.percent'],
      [{ callsFailing: { percent: 101 } }, 'callsFailing.percent'],
      [{ silent: { hours: 721 } }, 'silent.hours'],
      [{ clock: { seconds: 300 } }, 'clock.seconds'],
      [{ payload: { mutedEvents: [''] } }, 'payload.mutedEvents.0'],
      [{ secretGrace: { enabled: 1 } }, 'secretGrace.enabled'],
    ] as const)
      expect(issuePaths(await rest('PATCH', path, change))).toEqual([at])
  })

  test('of several connections are read at once, without the suggestion', async () => {
    const { rest, clock } = await cleanService()
    const busy = await createConnection(rest, { name: 'Busy' })
    const quiet = await createConnection(rest, { name: 'Quiet' })
    await postInbound(busy.credentials, '{"event":"a"}', clock.now)
    await postInbound({ ...busy.credentials, signingSecret: secret }, '{"event":"a"}', clock.now)
    const ids = [quiet.connectionId, busy.connectionId, 'conn_gone', busy.connectionId]
    const { body } = await rest('GET', `/watch/connections?${ids.map(id => `connectionIds=${id}`).join('&')}`)
    expect(body).toMatchObject([
      { connectionId: quiet.connectionId, now: { refusedPercent: null, lastHour: { requests: 0 } } },
      { connectionId: busy.connectionId, now: { refusedPercent: 50, lastHour: { requests: 2, refused: 1 } } },
    ])
    const { body: one } = await rest('GET', `/connections/${busy.connectionId}/watch`)
    expect(z.array(z.object({ now: z.unknown() })).parse(body)[1]?.now).toEqual(
      z.object({ now: z.unknown() }).parse(one).now,
    )
    expect(z.array(z.object({ silent: z.object({}).loose() })).parse(body)[0]?.silent).not.toHaveProperty(
      'suggestedHours',
    )
  })

  test('of the service are changed one by one', async () => {
    const { rest } = await cleanService()
    const { body: before } = await rest('GET', '/watch')
    expect(before).toMatchObject({ runsFailing: { enabled: true, count: 3 }, disk: { freeBytes: null } })
    const { body } = await rest('PATCH', '/watch', { disk: { freeBytes: 5 }, node: { enabled: false } })
    expect(body).toEqual({
      ...Object(before),
      disk: { enabled: true, freeBytes: 5 },
      node: { enabled: false },
    })
    expect((await rest('GET', '/watch')).body).toEqual(body)
    expect(issuePaths(await rest('PATCH', '/watch', { backup: { days: 0 } }))).toEqual(['backup.days'])
  })

  test('a trigger of this service with an unknown event has an issue', async () => {
    const { rest } = await cleanService()
    const issues = async (trigger: object) => {
      const body = {
        name: 'Page',
        trigger: { type: 'external.event', connectionId: 'conn_service', ...trigger },
        steps: [{ key: 'end', type: 'stop', outcome: 'succeeded' }],
      }
      const answer = await rest('POST', '/workflows', body)
      expect(answer.status, answer.text).toBe(201)
      const { issues: found } = z
        .object({ issues: z.array(z.object({ code: z.string() })) })
        .parse(answer.body)
      return found.map(({ code }) => code)
    }
    expect(await issues({ eventName: 'service.silent.*' })).toEqual([])
    expect(await issues({ eventName: 'service.silent.opened' })).toEqual([])
    expect(await issues({ eventName: null })).toEqual([])
    expect(await issues({ eventName: 'service.none.opened' })).toEqual(['unknown_event'])
    expect(await issues({ eventName: null, once: { key: '{{alertId}}', hours: 1 } })).toEqual(['unused_key'])
  })
})
