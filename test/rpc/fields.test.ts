import { isDeepStrictEqual } from 'node:util'
import { type AnyContractRouter, isContractProcedure } from '@orpc/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { contract } from '#shared/contract/index.ts'
import { Action, NewAction } from '#shared/model/action.ts'
import { Connection, ConnectionChange, DocumentConnection } from '#shared/model/connection.ts'
import { EventType, NewEventType } from '#shared/model/event-type.ts'
import { Workflow, WorkflowChange, WorkflowTrigger, workflowFields } from '#shared/model/workflow.ts'
import type { Step, StepType } from '#shared/workflows/steps/kinds.ts'
import type { Rest } from '../support/rest-client.ts'
import { startService } from '../support/service-fixture.ts'

const Item = z.record(z.string(), z.unknown())
type Item = z.infer<typeof Item>

/** One of these fits each field except objects and lists: numbers first, since a sample's text below has one. */
const candidates: readonly unknown[] = [
  1,
  5000,
  'a',
  'b',
  '/a',
  'https://a.example',
  '{"a":1.0}',
  true,
  false,
  { scheme: 'github', eventName: { header: 'x-github-event' }, data: 'body' },
  { in: 'header', name: 'X-Key', value: 'Key {{SHOP_KEY}}' },
]

const parameter = {
  ...{ name: 'a', type: 'number', description: 'a', required: true },
  ...{ in: 'query', wireName: 'b', isList: true, style: 'pipe', schema: { type: 'integer' } },
}

/** Values of fields whose own fields must fit together. */
const together: Readonly<Record<string, readonly unknown[]>> = {
  parameters: [[{ ...parameter, value: [1] }], [{ ...parameter, wireName: 'c', value: [2] }]],
}

/** Returns a value for a field; another one than `unlike`, so that a field that is lost cannot look kept. */
function valueFor(schema: z.core.$ZodType, unlike: unknown): unknown {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodNonOptional
  )
    return valueFor(schema.unwrap(), unlike)
  if (schema instanceof z.ZodObject) {
    const values = valuesFor(schema, Item.safeParse(unlike).data ?? {})
    // Some have rules across their fields.
    if (z.safeParse(schema, values).success) return values
  }
  if (schema instanceof z.ZodArray) return [valueFor(schema.element, undefined)]
  if (schema instanceof z.ZodRecord) return { a: valueFor(schema.valueType, undefined) }
  const options = schema instanceof z.ZodEnum ? schema.options : candidates
  const fits = options.find(value => value !== unlike && z.safeParse(schema, value).success)
  if (fits === undefined) throw new Error('No candidate fits this field; add one.')
  return fits
}

function valuesFor(schema: z.ZodObject, unlike: Item): Item {
  return Object.fromEntries(
    Object.entries(schema.shape).map(([name, field]) => [
      name,
      together[name]?.find(value => !isDeepStrictEqual(value, unlike[name])) ?? valueFor(field, unlike[name]),
    ]),
  )
}

const pick = (item: Item, names: readonly string[]) =>
  Object.fromEntries(names.map(name => [name, item[name]]))

async function send(rest: Rest, method: 'POST' | 'PATCH', path: string, body: object): Promise<Item> {
  const answer = await rest(method, path, body)
  if (answer.status >= 300) throw new Error(`${method} ${path} was refused: ${answer.text}`)
  return Item.parse(answer.body)
}

async function read(rest: Rest, path: string): Promise<Item> {
  return Item.parse((await rest('GET', path)).body)
}

/** Returns the entry that was created last. */
async function last(rest: Rest, path: string): Promise<Item> {
  return Item.parse(
    z
      .array(Item)
      .parse((await rest('GET', path)).body)
      .at(-1),
  )
}

/** The fields that answers show of what was given. */
const shown = (given: z.ZodObject, answer: z.ZodObject) =>
  Object.keys(given.shape).filter(name => Object.hasOwn(answer.shape, name) && name !== 'workspaceId')

const fields = {
  connection: shown(ConnectionChange, Connection),
  document: shown(DocumentConnection, Connection),
  actions: shown(NewAction, Action),
  'event-types': shown(NewEventType, EventType),
}

test('every field that can be given is one that answers show', () => {
  expect(fields.connection).toEqual(Object.keys(ConnectionChange.shape))
  expect(fields.document).toEqual(Object.keys(DocumentConnection.shape))
  expect(fields.actions).toEqual(Object.keys(NewAction.shape))
  expect(fields['event-types']).toEqual(Object.keys(NewEventType.shape))
})

/** Returns the procedures of the contract that have a path, with the fields of their inputs. */
function operations(router: AnyContractRouter): { method: string; path: string; fields: string[] }[] {
  if (!isContractProcedure(router)) return Object.values(router).flatMap(operations)
  const { route, inputSchema } = router['~orpc']
  const { method, path } = route
  if (method === undefined || path === undefined) return []
  return [{ method, path, fields: inputSchema instanceof z.ZodObject ? Object.keys(inputSchema.shape) : [] }]
}

test('everything that can be changed can be given at the creation', () => {
  const all = operations(contract)
  const pairs = all
    .filter(({ method }) => method === 'PATCH')
    .flatMap(change => {
      const [, parent] = /^(.*)\/\{\w+\}$/.exec(change.path) ?? []
      const creation = all.find(({ method, path }) => method === 'POST' && path === parent)
      return creation === undefined ? [] : [{ change, creation }]
    })
  expect(pairs.length).toBeGreaterThan(5)
  for (const { change, creation } of pairs) {
    const ids = [...change.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const changeable = change.fields.filter(name => !ids.includes(name) && name !== 'ifUpdatedAt')
    expect([change.path, changeable.filter(name => !creation.fields.includes(name))]).toEqual([
      change.path,
      [],
    ])
  }
})

test('a new connection takes all its settings, and keeps the default of what is left out', async () => {
  const { rest } = await startService()
  await send(rest, 'PATCH', '/settings', { defaultRetention: { maxEvents: 77, maxDays: 7 } })
  const wanted = { timeoutMs: 5000, ignoreRepeats: true, enabled: false, retention: { maxDays: 3 } }
  const created = await send(rest, 'POST', '/connections', { name: 'a', ...wanted })
  expect(created).toMatchObject({ ...wanted, retention: { maxEvents: 77, maxDays: 3 } })
})

test('a change of what cannot be changed is refused, and so is another id than that of the path', async () => {
  const { rest } = await startService()
  const made = await send(rest, 'POST', '/connections', { name: 'a' })
  const other = await send(rest, 'POST', '/connections', { name: 'b' })
  const path = `/connections/${made.connectionId}`
  for (const field of ['createdAt', 'updatedAt', 'workspaceId', 'actionCount']) {
    const { status, body } = await rest('PATCH', path, { name: 'c', [field]: made[field] })
    expect([field, status, body]).toMatchObject([
      field,
      400,
      { data: { issues: [{ path: field, message: `\`${field}\` cannot be changed.` }] } },
    ])
  }
  for (const [method, at, body] of [
    ['PATCH', path, { connectionId: other.connectionId }],
    ['POST', `${path}/rotate-secret`, { connectionId: other.connectionId }],
    [
      'POST',
      `${path}/actions`,
      { name: 'a', description: 'a', path: '/a', connectionId: other.connectionId },
    ],
    ['PATCH', '/workspaces/default', { workspaceId: 'other' }],
  ] as const) {
    const answer = await rest(method, at, body)
    const id = at.startsWith('/connections') ? 'connectionId' : 'workspaceId'
    expect([at, answer.status, answer.body]).toMatchObject([
      at,
      400,
      { data: { issues: [{ path: id, message: `The path has another \`${id}\`.` }] } },
    ])
  }
  expect(await read(rest, path)).toMatchObject({ name: 'a', updatedAt: made.updatedAt })
  const same = await rest('PUT', '/environment/API_KEY', { name: 'API_KEY', value: 'a value' })
  expect(same.status, same.text).toBe(200)
})

test('no name can turn the direction of text, whatever it names', async () => {
  const { rest } = await startService()
  const { connectionId } = await send(rest, 'POST', '/connections', { name: 'a' })
  const at = `/connections/${connectionId}`
  const name = 'Shop \u202egnp'
  for (const [method, path, body] of [
    ['POST', '/workspaces', { name }],
    ['PATCH', '/workspaces/default', { name }],
    ['POST', '/connections', { name }],
    ['PATCH', at, { name }],
    ['POST', `${at}/actions`, { name, description: 'a', path: '/a' }],
    ['POST', `${at}/event-types`, { eventName: 'a', label: name }],
    [
      'POST',
      '/workflows',
      { name, trigger: { type: 'external.event', connectionId: null, eventName: null } },
    ],
    ['POST', '/assistant/tokens', { name }],
    ['POST', '/conversations', { title: name }],
  ] as const) {
    const answer = await rest(method, path, body)
    expect([path, answer.status]).toEqual([path, 400])
    expect(answer.text).toContain('direction of text')
  }
  const workflow = { name, trigger: { type: 'external.event', connection: null, eventName: 'a' }, steps: [] }
  const document = await rest('POST', '/workflows/import', { text: JSON.stringify({ workflow }) })
  expect(document.status).toBe(400)
  expect(document.text).toContain('direction of text')
  const text = JSON.stringify({ connection: { name }, actions: [{ name, description: 'a', path: '/a' }] })
  expect((await rest('POST', '/import/preview', { text })).text).toContain('direction of text')
  const openapi = {
    ...{ openapi: '3.1.0', info: { title: name, version: '1' } },
    paths: { '/a': { get: { summary: name, responses: {} } } },
  }
  const imported = await send(rest, 'POST', '/import', { text: JSON.stringify(openapi) })
  const actions = await last(rest, `/connections/${imported.connectionId}/actions`)
  expect(actions.name).toBe('Shop gnp')
})

test('every field survives the file, an export and an import', async () => {
  const service = await startService()
  const { rest } = service
  const plain = await send(rest, 'POST', '/connections', { name: 'b' })
  const wanted = valuesFor(ConnectionChange, plain)
  const created = await send(rest, 'POST', '/connections', pick(wanted, fields.document))
  expect(pick(created, fields.document)).toEqual(pick(wanted, fields.document))
  const path = `/connections/${created.connectionId}`
  await send(rest, 'PATCH', path, wanted)

  const entries = { actions: NewAction, 'event-types': NewEventType }
  const given: Record<string, Item> = {}
  for (const [kind, schema] of Object.entries(entries)) {
    // The least that can be given tells the defaults, which the values then differ from.
    const least = valuesFor(schema, {})
    const needed = Object.keys(schema.shape).filter(
      name => !z.safeParse(schema, { ...least, [name]: undefined }).success,
    )
    const withDefaults = await send(
      rest,
      'POST',
      `/connections/${plain.connectionId}/${kind}`,
      pick(least, needed),
    )
    given[kind] = valuesFor(schema, withDefaults)
    await send(rest, 'POST', `${path}/${kind}`, given[kind])
    expect(pick(await last(rest, `${path}/${kind}`), Object.keys(schema.shape))).toEqual(given[kind])
  }

  await service.restart()
  expect(pick(await read(rest, path), fields.connection)).toEqual(wanted)

  // Into another workspace: where the connection is, there would be nothing to create. As text, for its numbers.
  const { workspaceId } = await send(rest, 'POST', '/workspaces', { name: 'b' })
  const { text } = await rest('GET', `${path}/export`)
  const copy = await send(rest, 'POST', '/import', { text, workspaceId })
  const copied = `/connections/${copy.connectionId}`
  expect(pick(await read(rest, copied), fields.document)).toEqual(pick(wanted, fields.document))
  for (const [kind, values] of Object.entries(given)) {
    expect(pick(await last(rest, `${path}/${kind}`), Object.keys(values))).toEqual(values)
    expect(pick(await last(rest, `${copied}/${kind}`), Object.keys(values))).toEqual(values)
  }
})

/** A step of each type with every field that it can have; two for a wait, which has one of two fields. */
function everyStep(connectionId: string): Step[] {
  const common = (key: string) => ({ key, onFailure: 'continue' as const })
  const notify: Step = { ...common('tell'), type: 'notify', message: 'A {{a}}' }
  const when = {
    any: [{ all: [{ value: '{{a}}', operator: 'equals' as const, operand: { a: [1, null] } }] }],
  }
  const ofType: { [Type in StepType]: Extract<Step, { type: Type }> } = {
    action: {
      ...common('act'),
      type: 'action',
      connectionId,
      toolName: 'a',
      arguments: { a: { b: '{{a}}' } },
    },
    http: {
      ...{ ...common('request'), type: 'http', method: 'PUT', url: 'https://a.example/{{a}}' },
      ...{ headers: { 'X-A': '{{a}}' }, body: ['{{a}}'], signWith: connectionId },
    },
    set: {
      ...{ ...common('compute'), type: 'set' },
      values: { a: { value: { b: ['{{a}}'] }, as: 'json' }, b: { value: '{{a}}' } },
    },
    branch: {
      ...{ ...common('fork'), type: 'branch', cases: [{ when, steps: [notify] }] },
      otherwise: [{ ...notify, key: 'tell_other' }],
    },
    each: { ...common('loop'), type: 'each', items: '{{lines}}', steps: [{ ...notify, key: 'tell_each' }] },
    wait: { ...common('pause'), type: 'wait', seconds: 60 },
    notify: { ...common('tell_all'), type: 'notify', message: 'B' },
    stop: { ...common('end'), type: 'stop', outcome: 'failed', message: 'C {{a}}' },
  }
  return [...Object.values(ofType), { ...common('until'), type: 'wait', until: '{{due}}' }]
}

test('every field of a workflow survives a change, the file, an export and an import', async () => {
  const service = await startService()
  const { rest } = service
  const { connectionId } = await send(rest, 'POST', '/connections', { name: 'b' })
  if (typeof connectionId !== 'string') throw new Error('A connection has an id.')
  const once = { key: '{{a}}', hours: 24 }
  const when = { any: [{ all: [{ value: '{{a}}', operator: 'equals', operand: { a: [1, null] } }] }] }
  const trigger = {
    ...{ type: 'external.event', connectionId, eventName: null, eventNames: ['a', 'b.*'] },
    ...{ when, once },
  }
  const steps = everyStep(connectionId)
  const wanted = { name: 'a', enabled: false, trigger, steps, ordered: true, concurrency: 3 }
  const names = Object.keys(workflowFields)
  expect(Object.keys(wanted).sort()).toEqual([...names].sort())
  expect(Object.keys(WorkflowChange.shape).sort()).toEqual([...names].sort())
  expect(Object.keys(trigger)).toEqual(Object.keys(WorkflowTrigger.shape))
  expect(names.every(name => Object.hasOwn(Workflow.shape, name))).toBe(true)

  const created = await send(rest, 'POST', '/workflows', wanted)
  expect(pick(created, names)).toEqual(wanted)
  const plain = await send(rest, 'POST', '/workflows', { name: 'b', trigger: { type: 'external.event' } })
  for (const name of names) expect(plain[name], name).not.toEqual(pick(wanted, names)[name])
  const changed = await send(rest, 'PATCH', `/workflows/${plain.workflowId}`, wanted)
  expect(pick(changed, names)).toEqual(wanted)
  const document = await read(rest, `/workflows/${plain.workflowId}/export`)
  const { workflow } = await send(rest, 'POST', '/workflows/import', document)
  expect(pick(Item.parse(workflow), names)).toEqual(wanted)
  await service.restart()
  for (const { workflowId } of [created, plain, Item.parse(workflow)])
    expect(pick(await read(rest, `/workflows/${workflowId}`), names)).toEqual(wanted)
})
