import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { openTracing } from '#main/tracing/open-tracing.ts'
import { mostWaiting, openSpanExport } from '#main/tracing/otlp-spans.ts'
import type { Span } from '#main/workflows/run-spans.ts'
import {
  type CliService,
  createConnection,
  rest,
  serve,
  stop,
  temporaryFolder,
} from '../support/cli-service.ts'
import { eventually } from '../support/eventually.ts'
import { type SystemRequest, startExternalSystem } from '../support/external-system.ts'
import { postInbound } from '../support/service-fixture.ts'

const Value = z.union([z.object({ stringValue: z.string() }), z.object({ intValue: z.number() })])
const Attributes = z.array(z.object({ key: z.string(), value: Value }))
const Exported = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: Attributes }),
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              ...{ traceId: z.string(), spanId: z.string(), parentSpanId: z.string().optional() },
              ...{ name: z.string(), attributes: Attributes },
            }),
          ),
        }),
      ),
    }),
  ),
})
const spansOf = (requests: readonly SystemRequest[]) =>
  requests
    .flatMap(({ body }) => Exported.parse(JSON.parse(body)).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))

const runsAre = (status: string, service: CliService) =>
  eventually(async () => {
    const { body } = await rest(service, 'GET', `/runs?status=${status}`)
    expect(z.object({ runs: z.array(z.unknown()) }).parse(body).runs).toHaveLength(2)
  })

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const senderSpan = '00f067aa0ba902b7'

test('a receiver sees the event, the run, the step and the call of a request in one trace, over a restart', async () => {
  const receiver = await startExternalSystem()
  const system = await startExternalSystem()
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=canary-header',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  }
  const data = temporaryFolder()
  const first = await serve(data, [], { env })
  const { connectionId, credentials } = await createConnection(first, 'canary-name')
  const wait = { key: 'later', type: 'wait', seconds: 3600 }
  const send = {
    key: 'send',
    type: 'http',
    method: 'POST',
    url: `${system.url}/canary-path?canary-query`,
    body: 'canary-body',
  }
  const trigger = { type: 'external.event', connectionId, eventName: null }
  await rest(first, 'POST', '/workflows', {
    body: { name: 'canary-workflow', trigger, steps: [wait, send] },
  })
  /** Two with the same body and time would be one event. */
  const post = (number: number, headers: Record<string, string>) => {
    const data = { a: 'canary-data', number }
    return postInbound(credentials, JSON.stringify({ event: 'canary.event', data }), Date.now(), headers)
  }
  const traced = { traceparent: `00-${traceId}-${senderSpan}-01`, tracestate: 'canary=state' }
  expect((await post(1, traced)).status).toBe(200)
  expect((await post(2, { traceparent: `00-${traceId}-${senderSpan}-00` })).status).toBe(200)
  // A wait counts from its beginning.
  await runsAre('waiting', first)
  expect(await stop(first)).toBe(0)
  expect(system.requests).toEqual([])
  expect(spansOf(receiver.requests).map(({ name }) => name)).toEqual(['event'])

  // Its runs are due.
  const second = await serve(data, ['--clock-ahead', String(2 * 3_600_000)], { env })
  await runsAre('succeeded', second)
  expect(await stop(second)).toBe(0)

  const spans = spansOf(receiver.requests)
  const named = new Map(spans.map(span => [span.name, span]))
  expect(spans.map(({ name }) => name).sort()).toEqual(['call', 'event', 'run', 'step'])
  expect(new Set(spans.map(span => span.traceId))).toEqual(new Set([traceId]))
  const idOf = (name: string) => named.get(name)?.spanId
  expect(['event', 'run', 'step', 'call'].map(name => named.get(name)?.parentSpanId)).toEqual([
    ...[senderSpan, idOf('event'), idOf('run'), idOf('step')],
  ])
  // What is not sampled is sent on as it came.
  expect(system.requests.map(({ headers }) => [headers.traceparent, headers.tracestate]).sort()).toEqual(
    [
      [`00-${traceId}-${senderSpan}-00`, undefined],
      [`00-${traceId}-${idOf('call')}-01`, 'canary=state'],
    ].sort(),
  )
  expect(named.get('call')?.attributes).toEqual(
    expect.arrayContaining([
      { key: 'http.request.method', value: { stringValue: 'POST' } },
      { key: 'http.response.status_code', value: { intValue: 200 } },
      { key: 'server.address', value: { stringValue: new URL(system.url).host } },
    ]),
  )
  for (const { url, headers, body } of receiver.requests) {
    expect([url, headers['x-key'], headers['content-type']]).toEqual([
      ...['/v1/traces', 'canary-header', 'application/json'],
    ])
    expect(body).not.toContain('canary')
    const { resource } = Exported.parse(JSON.parse(body)).resourceSpans[0] ?? {}
    expect(resource?.attributes).toEqual(
      expect.arrayContaining([
        { key: 'service.name', value: { stringValue: 'custom-connection' } },
        { key: 'deployment.environment.name', value: { stringValue: 'test' } },
      ]),
    )
  }
})

test('a run that is retried after its end has a span for each end, and no id is exported twice', async () => {
  const receiver = await startExternalSystem()
  let status = 404
  const system = await startExternalSystem((_request, response) => void response.writeHead(status).end())
  const service = await serve(temporaryFolder(), [], { env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } })
  const { connectionId, credentials } = await createConnection(service, 'Shop')
  const steps = [{ key: 'send', type: 'http', method: 'POST', url: system.url, body: 'x' }]
  const trigger = { type: 'external.event', connectionId, eventName: null }
  await rest(service, 'POST', '/workflows', { body: { name: 'W', trigger, steps } })
  expect((await postInbound(credentials, '{"event":"a"}', Date.now())).status).toBe(200)
  const Runs = z.object({ runs: z.array(z.object({ runId: z.string(), status: z.string() })) })
  const ended = (expected: string) =>
    eventually(async () => {
      const [run] = Runs.parse((await rest(service, 'GET', '/runs')).body).runs
      expect(run?.status).toBe(expected)
      return run?.runId
    })
  const runId = await ended('failed')
  status = 200
  expect((await rest(service, 'POST', `/runs/${runId}/retry`)).status).toBe(200)
  await ended('succeeded')
  expect(await stop(service)).toBe(0)

  const spans = spansOf(receiver.requests)
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length)
  const named = (name: string) => spans.filter(span => span.name === name)
  const stateOf = (span: (typeof spans)[number]) =>
    span.attributes.find(({ key }) => key === 'custom_connection.run_state')?.value
  expect(named('run').map(stateOf)).toEqual([{ stringValue: 'failed' }, { stringValue: 'succeeded' }])
  const [event] = named('event')
  expect(named('run').map(run => run.parentSpanId)).toEqual([event?.spanId, event?.spanId])
  expect(named('step').map(step => step.parentSpanId)).toEqual(named('run').map(({ spanId }) => spanId))
  expect(named('call').map(call => call.parentSpanId)).toEqual(named('step').map(({ spanId }) => spanId))
})

const span = (): Span => ({
  ...{ name: 'event', traceId, spanId: randomBytes(8).toString('hex'), parentId: null },
  ...{ isParentRemote: false, startedAt: 1, endedAt: 2, attributes: {}, hasFailed: false },
})

describe('the export of spans', () => {
  test('drops and counts what its queue has no room for, and what a receiver does not take', async () => {
    // It answers nothing.
    const receiver = await startExternalSystem(() => {})
    const warnings: string[] = []
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/` }
    const opened = openSpanExport({ env, version: '1.2.3', warn: text => void warnings.push(text) })
    for (let index = 0; index < mostWaiting + 1000; index++) opened?.sink.add(span())
    expect(opened?.dropped()).toBeGreaterThan(0)
    expect(opened?.dropped()).toBeLessThanOrEqual(1000)
    await eventually(() => expect(receiver.requests.length).toBeGreaterThan(0))
    expect(warnings).toEqual([])
    const closed = await startExternalSystem((_request, response) => void response.writeHead(400).end())
    const refusing = openSpanExport({
      ...{ env: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${closed.url}/own` }, version: '1.2.3' },
      warn: () => {},
    })
    refusing?.sink.add(span())
    await refusing?.stop()
    expect(closed.requests.map(({ url }) => url)).toEqual(['/own'])
    expect(refusing?.dropped()).toBe(1)
  })

  test.each([
    ['always_on', undefined, true, true],
    ['always_off', undefined, false, false],
    ['traceidratio', '0', false, false],
    ['parentbased_traceidratio', '0', true, false],
    ['parentbased_always_off', undefined, true, false],
    [undefined, undefined, true, true],
  ])('samples as the sampler %s says', (name, ratio, ofSampled, ofNone) => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      ...{ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio },
    }
    const { sink } = openSpanExport({ env, version: '1', warn: () => {} }) ?? {}
    expect(sink?.isSampled({ traceId, sender: { spanId: senderSpan, isSampled: true } })).toBe(ofSampled)
    expect(sink?.isSampled({ traceId, sender: null })).toBe(ofNone)
  })

  test.each([
    [{}, 0],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_SDK_DISABLED: 'true' }, 0],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 1],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'canary' }, 1],
  ])('is off with %o', async (env, count) => {
    const warnings: string[] = []
    const opened = await openTracing({
      ...{ env, version: '1', clock: () => 0 },
      warn: text => void warnings.push(text),
    })
    expect(opened.spans).toBeUndefined()
    expect(warnings).toHaveLength(count)
    expect(warnings.join()).not.toContain('canary')
  })
})
