import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { RunDetails } from '#main/storage/runs.ts'
import { summaryOf } from '#main/workflows/run-view.ts'
import { createWorkflow } from '#main/workflows/workflows.ts'
import { NewWorkflow } from '#shared/model/workflow.ts'
import { stepTypes } from '#shared/workflows/steps/kinds.ts'
import { eventually } from '../support/eventually.ts'
import { openExternalSystem, type SystemRequest } from '../support/external-system.ts'
import { noPostgres } from '../support/postgres.ts'
import { newDatabase } from '../support/postgres-database.ts'
import { createConnection } from '../support/rest-client.ts'
import { openService, postInbound } from '../support/service-fixture.ts'
import { data, kinds, rowsAt, secret } from './step-rows.ts'

const ways = ['a small event', 'a large event', 'a replay', 'an event of many workflows'] as const
type Way = 'Test' | (typeof ways)[number]

/** How a run ended, and what the other system received of it. */
type Outcome = { readonly run: unknown; readonly calls: readonly unknown[] }
type Outcomes = Readonly<Record<string, Outcome>>

const stores = [
  { name: 'the local storage', skipped: null, options: async () => ({}) },
  {
    name: 'PostgreSQL',
    skipped: noPostgres,
    options: async () => ({
      database: await newDatabase(),
      env: { CUSTOM_CONNECTION_KEY: 'a1'.repeat(32) },
    }),
  },
]

/** More than a run may have that ends while the sender waits. */
const largeText = 'x'.repeat(20 * 1024)
/** An event that starts more workflows is a fan-out. */
const ofOneEvent = 16
/** The event that starts all. */
const ofAll = 'all.rows'
const createdAt = '2026-11-21T09:30:00.000Z'

/** Runs every row in every way. Returns the outcomes of each way, by the names of the rows. */
async function runAll(options: object): Promise<ReadonlyMap<Way, Outcomes>> {
  const service = await openService({ service: { ...options, clock: () => Date.now() } })
  const system = await openExternalSystem((_request, response) => {
    response.setHeader('content-type', 'application/json').end('{"ok":true}')
  })
  try {
    return await runAllIn(service, system)
  } finally {
    system.close()
    await service.close()
  }
}

async function runAllIn(
  { rest, service: { storage } }: Awaited<ReturnType<typeof openService>>,
  { url, requests }: Awaited<ReturnType<typeof openExternalSystem>>,
): Promise<ReadonlyMap<Way, Outcomes>> {
  const sender = await createConnection(rest, {
    ...{ name: 'Shop', baseUrl: url, persistEvents: true },
    // Hundreds of runs call at once, and a call that is given up is made again.
    timeoutMs: 120_000,
  })
  const { connectionId } = sender
  await rest('PUT', `/environment/${secret.name}`, { value: secret.value })
  await rest('POST', `/connections/${connectionId}/actions`, {
    ...{ name: 'Take', toolName: 'take', description: 'Takes a value.', method: 'POST', path: '/take' },
    parameters: ['value', 'note'].map(name => ({
      ...{ name, type: 'string', description: 'A value.', required: name === 'value' },
    })),
  })

  const rows = [...rowsAt({ url: `${url}/http`, connectionId })]
  const nameOf = new Map<string, string>()
  const workflowsOf = new Map<string, string[]>()
  // A few at a time: a database gives up a change that takes seconds.
  for (let first = 0; first < rows.length; first += ofOneEvent) {
    const created = await storage.config.update(config => {
      let next = config
      const result: (readonly [id: string, name: string, eventName: string])[] = []
      for (const [offset, [name, steps]] of rows.slice(first, first + ofOneEvent).entries())
        for (const eventName of [`row.${first / ofOneEvent}`, ofAll]) {
          // Every event fits, which must make no difference.
          const when = { value: '{{list.1.sku}}', operator: 'starts_with', operand: 'KB-' }
          const trigger = { type: 'external.event', connectionId, eventName, ...(offset % 2 > 0 && { when }) }
          const input = NewWorkflow.parse({ name, trigger, steps })
          const change = createWorkflow(next, input, createdAt, randomBytes)
          next = change.next
          result.push([change.result.workflowId, name, eventName])
        }
      return { next, result }
    })
    for (const [workflowId, name, eventName] of created) {
      nameOf.set(workflowId, name)
      workflowsOf.set(eventName, [...(workflowsOf.get(eventName) ?? []), workflowId])
    }
  }
  workflowsOf.delete(ofAll)

  const send = (way: Way, event: string, more: object = {}) =>
    postInbound(sender.credentials, JSON.stringify({ event, data: { ...data, way, ...more } }), Date.now())
  await Promise.all([...workflowsOf.keys()].map(event => send('a small event', event)))
  const Stored = z.object({ events: z.array(z.object({ eventId: z.string(), eventName: z.string() })) })
  const stored = Stored.parse((await rest('GET', `/connections/${connectionId}/events?limit=100`)).body)
  const small = new Map(stored.events.map(({ eventId, eventName }) => [eventName, eventId]))
  for (const [event, eventId] of small) {
    const tested = workflowsOf.get(event) ?? []
    await Promise.all([
      send('a large event', event, { text: largeText }),
      rest('POST', `/connections/${connectionId}/events/${eventId}/replay`, {}),
      ...tested.map(workflowId => rest('POST', `/workflows/${workflowId}/test`, { eventId })),
    ])
  }
  await send('an event of many workflows', ofAll)
  await eventually(async () => expect(await storage.runs.laneCounts()).toEqual([]))

  const byRun = Map.groupBy(requests, ({ headers }) => String(headers['idempotency-key']).split('.')[0] ?? '')
  const outcomes = new Map<Way, Record<string, Outcome>>()
  for (let before: string | undefined; ; ) {
    const page = await storage.runs.list({ limit: 200, before })
    await Promise.all(
      page.runs.map(async ({ runId }) => {
        const run = await storage.runs.get(runId)
        if (run === null) throw new Error('The run is gone.')
        const way = wayOf(run)
        const ofWay = outcomes.get(way) ?? {}
        outcomes.set(way, ofWay)
        ofWay[nameOf.get(run.workflowId) ?? ''] = {
          ...withoutId(runId, { run: endOf(run), calls: (byRun.get(runId) ?? []).map(shownCall) }),
        }
      }),
    )
    if (page.nextBefore === null) break
    before = page.nextBefore
  }
  return outcomes
}

const Started = z.object({ data: z.object({ way: z.enum(ways) }) })

function wayOf(run: RunDetails): Way {
  const { mode, replayOf } = summaryOf(run)
  if (mode !== undefined) return 'Test'
  return replayOf === undefined ? Started.parse(JSON.parse(run.data ?? '')).data.way : 'a replay'
}

/** Returns an outcome with the same text for each run's own id. */
function withoutId(runId: string, outcome: Outcome): Outcome {
  return JSON.parse(JSON.stringify(outcome).replaceAll(runId, 'run_id'))
}

/** Returns what does not depend on when and how the run was started. */
const endOf = ({ state, error, steps }: RunDetails) => ({
  ...{ state, error },
  steps: steps.map(({ startedAt: _from, endedAt, callId, ...step }) => ({
    ...step,
    hasEnded: endedAt !== null,
    hasCalled: callId !== null,
  })),
})

function shownCall({ method, url, headers, body }: SystemRequest) {
  const key = String(headers['idempotency-key']).replace(/^[^.]*/, '')
  const { 'x-value': value, 'content-type': type } = headers
  return { method, url, key, value, type, isSigned: 'x-service-signature' in headers, body }
}

test('each type of step stands before others, but for an action', () => {
  for (const type of stepTypes) expect([type, kinds[type].behind !== null]).toEqual([type, type !== 'action'])
})

describe.each(stores)('a workflow on $name', ({ skipped, options }) => {
  let outcomes: ReadonlyMap<Way, Outcomes>
  beforeAll(async () => {
    if (skipped === null) outcomes = await runAll(await options())
  })

  test.skipIf(skipped !== null).each(ways)('does for %s what its test does', way => {
    const [tested = {}, started = {}] = [outcomes.get('Test'), outcomes.get(way)]
    const names = Object.keys(tested)
    expect(Object.keys(started).toSorted()).toEqual(names.toSorted())
    const differing = names.filter(name => !isDeepStrictEqual(started[name], tested[name]))
    expect(differing.map(name => [name, started[name]])).toEqual(differing.map(name => [name, tested[name]]))
  })

  test.skipIf(skipped !== null)('sends the value of an environment variable in a header', () => {
    const rows = Object.entries(outcomes.get('Test') ?? {}).filter(([name]) =>
      name.startsWith('http header with environment'),
    )
    expect(rows.length).toBeGreaterThan(5)
    for (const [name, { calls }] of rows)
      expect([name, calls.at(-1)]).toEqual([name, expect.objectContaining({ value: `v ${secret.value}` })])
  })
})
