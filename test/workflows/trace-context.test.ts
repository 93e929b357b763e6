import { describe, expect, onTestFinished, test } from 'vitest'
import { traceContextOf, traceHeaders } from '#main/workflows/trace-context.ts'
import { OccurrencePage } from '#shared/model/activity.ts'
import { RunPage } from '#shared/model/run.ts'
import { Workflow } from '#shared/model/workflow.ts'
import { eventually } from '../support/eventually.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { noPostgres } from '../support/postgres.ts'
import { newDatabase } from '../support/postgres-database.ts'
import { createConnection } from '../support/rest-client.ts'
import { openService, postInbound } from '../support/service-fixture.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`
const tracestate = 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE'
const lines = (...all: string[]) => ['Host: a', ...all].join('\n')

describe('the trace of an event', () => {
  test('is its traceparent and tracestate, in any spelling of their names', () => {
    expect(traceContextOf(lines(`TraceParent: ${traceparent}`, `tracestate: ${tracestate}`))).toEqual({
      ...{ traceparent, tracestate },
    })
    expect(
      traceContextOf(lines(`traceparent: ${traceparent}`, 'Tracestate: a=1', 'tracestate: b=2')),
    ).toEqual({
      ...{ traceparent, tracestate: 'a=1,b=2' },
    })
    const later = `cc-${traceId}-00f067aa0ba902b7-01-more`
    expect(traceContextOf(lines(`traceparent: ${later}`))).toEqual({ traceparent: later })
  })

  test.each([
    `${traceparent}-more`,
    `00-${traceId}-00f067aa0ba902b7`,
    `ff${traceparent.slice(2)}`,
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    traceparent.toUpperCase(),
    `cc${traceparent.slice(2)}x`,
    `cc${traceparent.slice(2)}-${'x'.repeat(201)}`,
    'x'.repeat(16_000),
    '',
  ])('is nothing for the traceparent %s', text => {
    expect(traceContextOf(lines(`traceparent: ${text}`, `tracestate: ${tracestate}`))).toEqual({})
  })

  test('is nothing for two parents, and without one', () => {
    expect(traceContextOf(lines(`traceparent: ${traceparent}`, `traceparent: ${traceparent}`))).toEqual({})
    expect(traceContextOf(lines(`tracestate: ${tracestate}`, `x-traceparent: ${traceparent}`))).toEqual({})
    expect(traceContextOf('')).toEqual({})
  })

  test('leaves out a state of more than 512 characters, or with others than ASCII', () => {
    const stateOf = (state: string) =>
      traceContextOf(lines(`traceparent: ${traceparent}`, `tracestate: ${state}`)).tracestate
    expect(stateOf(`a=${'x'.repeat(510)}`)).toHaveLength(512)
    for (const state of [`a=${'x'.repeat(511)}`, 'a=é', '']) expect(stateOf(state)).toBeUndefined()
  })
})

test('a request with a header of its own keeps that', () => {
  const both = { traceparent, tracestate }
  expect(traceHeaders(both, { 'X-A': '1' })).toEqual(both)
  expect(traceHeaders(both, {}, { TraceState: 'own=1' })).toEqual({ traceparent })
  expect(traceHeaders(both, { Traceparent: '{{OWN}}' })).toEqual({})
  expect(traceHeaders({}, {})).toEqual({})
})

const stores = [
  { name: 'a data folder', skipped: null, options: async () => ({}) },
  {
    name: 'PostgreSQL',
    skipped: noPostgres,
    options: async () => ({
      database: await newDatabase(),
      env: { CUSTOM_CONNECTION_KEY: 'a1'.repeat(32) },
    }),
  },
]

for (const { name, skipped, options } of stores)
  test.skipIf(skipped !== null)(`calls send the trace of their event on: ${name}`, async () => {
    let status = 200
    const system = await startExternalSystem((_request, response) => {
      response.statusCode = status
      response.end('{}')
    })
    const fixture = await openService({ service: { ...(await options()), clock: () => Date.now() } })
    onTestFinished(() => fixture.close())
    const { rest } = fixture
    const { connectionId, credentials } = await createConnection(rest, {
      ...{ baseUrl: system.url, persistEvents: true },
    })
    const action = { description: 'Takes it.', method: 'POST', path: '/act', parameters: [] }
    await rest('POST', `/connections/${connectionId}/actions`, { ...action, name: 'Act', toolName: 'act' })
    const own = { headers: { Traceparent: 'own' }, path: '/own' }
    await rest('POST', `/connections/${connectionId}/actions`, {
      ...{ ...action, ...own, name: 'Own', toolName: 'own' },
    })
    const act = (toolName: string) => ({
      ...{ key: toolName, type: 'action', connectionId, toolName, arguments: {} },
    })
    const http = (path: string, more: object = {}) => ({
      ...{ key: path.slice(1), type: 'http', method: 'POST', url: system.url + path, body: '', ...more },
    })
    const create = async (eventName: string, steps: object[], more: object = {}) => {
      const trigger = { type: 'external.event', connectionId, eventName, ...more }
      return Workflow.parse((await rest('POST', '/workflows', { name: 'W', trigger, steps })).body).workflowId
    }
    const wait = { key: 'later', type: 'wait', seconds: 1 }
    const one = await create('one', [
      act('act'),
      wait,
      http('/late'),
      act('own'),
      http('/mine', { headers: { tracestate: 'my=1' } }),
    ])
    const failing = await create('fails', [http('/retried', { onFailure: 'stop' })])
    for (let index = 0; index < 20; index++) await create('many', [http('/many')])
    const when = { value: '{{at}}', operator: 'greater', operand: '1' }
    await create('keyed', [http('/keyed')], { once: { key: '{{id}}', hours: 1 }, when })

    const trace = { traceparent, tracestate }
    const send = (event: string, headers: Record<string, string> = trace) => {
      const { pathname } = new URL(credentials.inboundUrl)
      const to = { ...credentials, inboundUrl: new URL(pathname, fixture.listenerUrl).href }
      return postInbound(to, JSON.stringify({ event, data: { at: 2 } }), Date.now(), headers)
    }
    const seen = (path: string) =>
      system.requests.flatMap(({ url, headers }) =>
        url === path ? [[headers.traceparent, headers.tracestate]] : [],
      )
    const whole = [traceparent, tracestate]

    expect((await send('one')).status).toBe(200)
    expect((await send('one', { ...trace, 'x-service-signature': 'sha256=00' })).status).toBe(401)
    await eventually(() => expect(seen('/act')).toEqual([whole]))
    // Its run does not go on before the restart.
    await rest('PATCH', `/workflows/${one}`, { enabled: false })
    await fixture.restart()
    await rest('PATCH', `/workflows/${one}`, { enabled: true })
    await eventually(() => expect(seen('/mine')).toEqual([[traceparent, 'my=1']]))
    expect([seen('/late'), seen('/own')]).toEqual([[whole], [['own', undefined]]])

    await send('many')
    await send('keyed')
    await eventually(() => expect([seen('/many').length, seen('/keyed').length]).toEqual([20, 1]))
    expect([...seen('/many'), ...seen('/keyed')]).toEqual(Array(21).fill(whole))

    status = 500
    await send('fails')
    const runs = async (query: string) => RunPage.parse((await rest('GET', `/runs?${query}`)).body).runs
    const ofFailing = `workflowId=${failing}`
    await eventually(async () => expect(await runs(ofFailing)).toMatchObject([{ status: 'failed' }]))
    status = 200
    const [failed] = await runs(ofFailing)
    await rest('POST', `/runs/${failed?.runId}/retry`)
    await eventually(() => expect(seen('/retried')).toEqual([whole, whole]))

    const page = await rest('GET', '/activity/list?kinds=event.accepted')
    const [event] = OccurrencePage.parse(page.body).items
    if (event?.type !== 'event.accepted') throw new Error('No event was accepted.')
    await rest('POST', `/connections/${connectionId}/events/${event.eventId}/replay`)
    await eventually(() => expect(seen('/retried')).toEqual([whole, whole, [undefined, undefined]]))
    await send('fails', { traceparent: 'wrong', tracestate })
    await eventually(() => expect(seen('/retried').at(-1)).toEqual([undefined, undefined]))
    expect(await runs(`text=${traceId}`)).toEqual([])
    expect((await rest('GET', '/runs')).text).not.toContain(traceId)
  })
