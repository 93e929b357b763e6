import { isDeepStrictEqual } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { contract } from '#shared/contract/index.ts'
import { shapeNames } from '#shared/model/platform/agent.ts'
import { createAction } from '../support/actions.ts'
import { acceptedShapes } from '../support/agent-shapes.ts'
import { eventually } from '../support/eventually.ts'
import { httpTransport } from '../support/mcp-client.ts'
import { proceduresIn } from '../support/reading-procedures.ts'
import { createConnection } from '../support/rest-client.ts'
import { adminToken, openService, postInbound, type ServiceFixture } from '../support/service-fixture.ts'

/** Inputs that are tested elsewhere, each with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  'activity/live connectionId': 'a stream: test/rpc/activity.test.ts',
  'live/follow since': 'a stream: test/rpc/live.test.ts',
  'statistics/edges since': 'whole hours: test/rpc/edges.test.ts',
  'statistics/hours since': 'whole hours: test/rpc/hour-statistics.test.ts',
  'statistics/hours until': 'whole hours: test/rpc/hour-statistics.test.ts',
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
  return isWrapped ? unwrapped(schema.unwrap()) : schema
}

/** The optional inputs of all procedures that read. */
const inputs = proceduresIn(contract).flatMap(
  ([
    procedure,
    {
      '~orpc': { route, inputSchema },
    },
  ]) => {
    if (route.method !== 'GET' || !(inputSchema instanceof z.ZodObject)) return []
    const fields = Object.entries(inputSchema.shape)
    const isOptional = (schema: z.core.$ZodType) => z.safeParse(schema, undefined).success
    const required = fields.flatMap(([name, schema]) => (isOptional(schema) ? [] : [name]))
    const optional = fields.filter(([, schema]) => isOptional(schema))
    return optional.map(([name, schema]) => {
      return {
        input: `${procedure} ${name}`,
        path: route.path ?? '',
        name,
        schema: unwrapped(schema),
        required,
      }
    })
  },
)

let fixture: ServiceFixture
let seed: Awaited<ReturnType<typeof fillService>>
beforeAll(async () => {
  fixture = await openService()
  seed = await fillService(fixture)
})
afterAll(() => fixture.close())

/** Fills two workspaces, so that each input has something to leave out. */
async function fillService({ rest, clock, dashboardUrl, service }: ServiceFixture) {
  async function send<Shape extends z.ZodRawShape>(path: string, body: object, shape: Shape) {
    return z.object(shape).parse((await rest('POST', path, body)).body)
  }
  async function get<Shape extends z.ZodRawShape>(path: string, shape: Shape) {
    return z.object(shape).parse((await rest('GET', path)).body)
  }

  async function fill(workspaceId: string, word: string, outcome: string) {
    const baseUrl = 'http://127.0.0.1:1'
    const used = { name: word, workspaceId, baseUrl, persistEvents: true }
    const { connectionId, credentials } = await createConnection(rest, used)
    const idle = await createConnection(rest, { name: `${word} 2`, workspaceId, enabled: false })
    const description = 'Finds a line.'
    const { actionId } = await createAction(rest, connectionId, { description })
    await createAction(rest, connectionId, { name: 'Another', description })
    const trigger = { type: 'external.event', connectionId, eventName: null }
    const workflow = { name: word, workspaceId, trigger, steps: [{ key: 'end', type: 'stop', outcome }] }
    const { workflowId } = await send('/workflows', workflow, { workflowId: z.string() })
    const conversation = { workspaceId, title: word }
    const { conversationId } = await send('/conversations', conversation, { conversationId: z.string() })
    const post = (event: string, note: string) =>
      postInbound(credentials, JSON.stringify({ event, data: { note } }), clock.now)
    async function callTool() {
      const versionNegotiation = { mode: { pin: '2026-07-28' } }
      const client = new Client({ name: word, version: '1' }, { versionNegotiation })
      await client.connect(httpTransport(`${dashboardUrl}/mcp/${connectionId}`, adminToken))
      await client.callTool({ name: 'look_up', arguments: {} })
      await client.close()
    }
    return {
      workspaceId,
      connectionId,
      idleId: idle.connectionId,
      workflowId,
      actionId,
      conversationId,
      post,
      callTool,
    }
  }

  async function addFile(workspaceId: string, agentId: string, name: string) {
    const lines = Array.from({ length: 300 }, (_, line) => `Line ${line} of ${name}.\n\n`)
    const query = new URLSearchParams({ workspaceId, agentId, name })
    const answer = await fetch(`${dashboardUrl}/api/v1/platform/knowledge?${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'text/plain' },
      body: lines.join(''),
    })
    return z.object({ fileId: z.string() }).parse(await answer.json()).fileId
  }

  const { workspaceId } = await send('/workspaces', { name: 'Other' }, { workspaceId: z.string() })
  const own = await fill('default', 'needle', 'succeeded')
  const other = await fill(workspaceId, 'hay', 'failed')
  await own.post('order.paid', 'needle')
  await own.post('stock.low', 'hay')
  await other.post('order.paid', 'hay')
  for (const { callTool } of [own, own, other]) await callTool()
  await addFile('default', 'default', 'a.txt')
  const fileId = await addFile('default', 'default', 'b.txt')
  const { tokenId } = await send('/assistant/tokens', { name: 'Client' }, { tokenId: z.string() })
  await addFile('default', 'sales', 'c.txt')
  await addFile(workspaceId, 'default', 'd.txt')
  for (const label of ['first', 'second']) {
    await rest('POST', '/backups/note', { label, at: fixture.clock.now - label.length })
  }
  const words = {
    workflowId: null,
    eventName: null,
    node: null,
    unit: null,
    message: 'It is so.',
    details: null,
  }
  const doc = { ...words, value: 1, threshold: 1, connectionName: null, workflowName: null, calmSince: null }
  const one = {
    ...{ number: 1, kind: 'refused', subject: 'a', workspaceId: 'default', connectionId: own.connectionId },
    ...{ openedAt: 1, closedAt: null, isTold: true, mutedUntil: 0 },
    doc: JSON.stringify({ ...doc, isQuiet: false, items: [1, 2] }),
  }
  const { alerts } = service.storage
  await alerts.write({
    readAt: (await alerts.load()).memory.at,
    memory: { at: clock.now, doc: '{}' },
    alerts: [
      one,
      { ...one, number: 2, subject: 'b', workspaceId, connectionId: null },
      { ...one, number: 3, kind: 'silent', closedAt: 2 },
    ],
  })
  for (const name of shapeNames)
    for (const agent of ['agentId=sales', `workspaceId=${workspaceId}`])
      await rest('PUT', `/platform/${name}?${agent}`, acceptedShapes[name])
  await eventually(async () => {
    const counts = await get('/runs/counts', { succeeded: z.int(), failed: z.int() })
    expect(counts).toEqual({ succeeded: 2, failed: 1 })
    expect((await get('/assistant/calls', { calls: z.array(z.unknown()) })).calls).toHaveLength(3)
  })
  const Run = z.object({ runId: z.string(), eventId: z.string() })
  const { runs } = await get(`/runs?workflowId=${own.workflowId}`, { runs: z.tuple([Run], Run) })
  const Item = z.object({ id: z.string() })
  const { items } = await get('/activity/list', { items: z.tuple([Item], Item) })
  return { own, other, fileId, tokenId, run: runs[0], newest: items[0] }
}

/** Returns the required inputs of a procedure. */
function given(required: readonly string[]): Query {
  const { own, fileId, tokenId, run } = seed
  const all = new Map<string, unknown>(
    Object.entries({ ...own, ...run, fileId, tokenId, text: 'note', query: 'line' }),
  )
  return Object.fromEntries(required.map(name => [name, all.get(name)]))
}

/** Returns values that an optional input may have. One of them has to change the answer. */
function valuesOf(name: string, schema: z.core.$ZodType, places: readonly string[]): readonly unknown[] {
  if (schema instanceof z.ZodEnum) return schema.options
  const { own, other, fileId, run, newest } = seed
  const known = new Map<string, readonly unknown[]>([
    ['workspaceId', [other.workspaceId]],
    ['connectionId', [own.connectionId, own.idleId]],
    ['connectionIds', [own.connectionId]],
    ['agentId', ['sales']],
    ['workflowId', [own.workflowId]],
    ['eventId', [run.eventId]],
    ['actionId', [own.actionId]],
    ['buckets', [3]],
    ['ids', [newest.id]],
    ['fileId', [fileId]],
    ['eventName', ['stock.low']],
    ['text', ['needle']],
    ['kinds', ['event.accepted']],
    ['cause', ['stopped']],
    ['since', [fixture.clock.now + 1000]],
    ['until', [fixture.clock.now - 1000]],
    ['made', [true, false]],
    ['state', ['failing']],
    ['storing', [false]],
    ['limit', [1]],
    ['from', [1]],
    ['at', [300]],
    ['before', places],
    ['after', [...places, newest.id]],
  ])
  const found = known.get(name)
  if (found === undefined) throw new Error(`Name a value of the input "${name}" above.`)
  return found
}

type Query = Readonly<Record<string, unknown>>

async function ask(path: string, query: Query) {
  const inQuery = Object.entries(query).filter(([name]) => !path.includes(`{${name}}`))
  const search = new URLSearchParams(
    inQuery.map(([name, value]) => [name, String(value)] as [string, string]),
  )
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => String(query[name]))
  const { status, body } = await fixture.rest('GET', `${filled}?${search}`)
  return { status, body }
}

/** Returns what may name a place in a list: the texts in its first page. */
async function placesIn(path: string, query: Query): Promise<readonly string[]> {
  const { body } = await ask(path, { ...query, limit: 1 })
  const named = /"(?:nextBefore|nextAfter|id|connectionId|alertId|name|at)":("(?:[^"\\]|\\.)*")/g
  return [...JSON.stringify(body).matchAll(named)].map(([, text = '""']) => JSON.parse(text))
}

const tested = inputs.filter(({ input }) => !Object.hasOwn(exceptions, input))
test.each(tested)('$input changes the answer', async ({ input, path, name, schema, required }) => {
  const query = given(required)
  const first = await ask(path, query)
  expect(first.status, JSON.stringify(first.body)).toBe(200)
  const places = name === 'before' || name === 'after' ? await placesIn(path, query) : []
  for (const value of valuesOf(name, schema, places)) {
    const key = schema instanceof z.ZodArray ? `${name}[]` : name
    const answer = await ask(path, { ...query, [key]: value })
    if (answer.status !== 200 || isDeepStrictEqual(answer, first)) continue
    // Otherwise the answer has changed meanwhile, whatever the input.
    if (!isDeepStrictEqual(answer, await ask(path, query))) return
  }
  expect.unreachable(`${input} is declared, and no answer depends on it.`)
})

test('the exceptions are optional inputs', () => {
  expect(inputs.map(({ input }) => input)).toEqual(expect.arrayContaining(Object.keys(exceptions)))
})
