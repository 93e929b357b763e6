import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { inputSchemaOf } from '#main/assistant/input-schema.ts'
import { toolsOf } from '#main/assistant/tools.ts'
import { argumentIssues } from '#main/outbound/arguments.ts'
import type { ActionRecord, ConnectionRecord } from '#main/storage/config.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { Tool } from '#shared/model/tool.ts'
import { exampleAction, exampleConnection, now, withConnections } from '../storage/config-fixtures.ts'

const configOf = (...records: ConnectionRecord[]) => withConnections(newConfig(now), ...records)
const withTools = (id: string, changes: Partial<ConnectionRecord>, ...toolNames: string[]) =>
  exampleConnection(id, {
    ...changes,
    actions: toolNames.map((toolName, index) => exampleAction(`${id}_${index}`, { toolName })),
  })
const namesOf = (...records: ConnectionRecord[]) => toolsOf(configOf(...records)).map(({ name }) => name)

describe('the catalogue', () => {
  test('describes a tool as its model has it', () => {
    const action: Partial<ActionRecord> = {
      parameters: [
        { name: 'order_id', type: 'string', description: 'The order', required: true },
        { name: 'filter', type: 'object', description: 'More', required: false },
      ],
    }
    const connection = exampleConnection('conn_Ab3-x9', {
      slug: 'shop',
      actions: [exampleAction('1', action)],
    })
    const tools = toolsOf(configOf(connection))
    expect(tools).toEqual([
      {
        name: 'shop_Ab3x__look_up_1',
        connectionId: 'conn_Ab3-x9',
        actionId: 'act_1',
        toolName: 'look_up_1',
        method: 'GET',
        description: 'Use it when somebody asks where an order is.',
        inputSchema: {
          type: 'object',
          properties: {
            order_id: { type: 'string', description: 'The order' },
            filter: { type: 'object', description: 'More' },
          },
          required: ['order_id'],
          additionalProperties: false,
        },
        annotations: { readOnly: true, destructive: false },
      },
    ])
    expect(z.array(Tool).parse(tools)).toEqual(tools)
  })

  test.each([
    ['GET', true, false],
    ['POST', false, false],
    ['PUT', false, false],
    ['PATCH', false, false],
    ['DELETE', false, true],
  ] as const)('says of a %s whether it only reads: %s, or destroys: %s', (method, readOnly, destructive) => {
    const connection = exampleConnection('conn_1', { actions: [exampleAction('1', { method })] })
    expect(toolsOf(configOf(connection))).toMatchObject([{ annotations: { readOnly, destructive } }])
  })

  test('has enabled actions of enabled connections with a base URL, in the order of creation', () => {
    const on = exampleConnection('conn_aaaa', {
      actions: [exampleAction('1'), exampleAction('2', { isEnabled: false }), exampleAction('3')],
    })
    const all = [
      on,
      exampleConnection('conn_bbbb', { enabled: false }),
      exampleConnection('conn_cccc', { baseUrl: null }),
      exampleConnection('conn_dddd'),
    ]
    expect(toolsOf(configOf(...all)).map(tool => `${tool.connectionId} ${tool.toolName}`)).toEqual([
      'conn_aaaa look_up_1',
      'conn_aaaa look_up_3',
      'conn_dddd look_up_1',
    ])
  })

  test('can be that of one workspace', () => {
    const config = configOf(exampleConnection('conn_a'), exampleConnection('conn_b', { workspaceId: 'ws_1' }))
    const workspace = { ...config.workspaces.get('default'), workspaceId: 'ws_1', name: 'Team' }
    const workspaces = new Map(config.workspaces).set('ws_1', {
      publicBaseUrl: null,
      webhook: null,
      removedWebhooks: 0,
      createdAt: new Date(now).toISOString(),
      updatedAt: new Date(now).toISOString(),
      ...workspace,
    })
    const both = { ...config, workspaces }
    expect(toolsOf(both, 'ws_1').map(({ connectionId }) => connectionId)).toEqual(['conn_b'])
    expect(toolsOf(both)).toHaveLength(2)
    expect(() => toolsOf(both, 'ws_2')).toThrow(expect.objectContaining({ code: 'workspace_not_found' }))
  })
})

describe('a combined name', () => {
  test('is cut to 64 characters, with a hash that tells it from others', () => {
    const long = 'a'.repeat(63)
    const names = namesOf(
      withTools('conn_abcdef', { slug: 'a_slug_of_20_letters' }, `${long}b`, `${long}c`, 'a'.repeat(37)),
    )
    expect(names[0]).toMatch(/^a_slug_of_20_letters_abcd__a{28}_[0-9a-f]{8}$/)
    expect(names[1]).toMatch(/^a_slug_of_20_letters_abcd__a{28}_[0-9a-f]{8}$/)
    expect(names[0]).not.toBe(names[1])
    expect(names[2]).toBe(`a_slug_of_20_letters_abcd__${'a'.repeat(37)}`)
  })

  test('differs for connections whose ids begin alike', () => {
    const alike = ['conn_abcd1', 'conn_abcd2', 'conn_abcd', 'conn_ab', 'conn_--_-'].map(id =>
      withTools(id, { slug: 'shop' }, 'find'),
    )
    const names = namesOf(...alike)
    expect(names.slice(0, 2)).toEqual(['shop_abcd__find', 'shop_bcd2__find'])
    expect(new Set(names).size).toBe(5)
  })

  test('stays when others are switched off', () => {
    const first = withTools('conn_abcd1', { slug: 'shop' }, 'find')
    const second = withTools('conn_abcd2', { slug: 'shop' }, 'find')
    const before = namesOf(first, second)
    expect(namesOf({ ...first, enabled: false }, second)).toEqual(before.slice(1))
  })

  test('of a tool that is called like another’s cut name differs from it', () => {
    const changes = { slug: 'a_slug_of_20_letters' }
    const long = 'a'.repeat(64)
    const [cut = ''] = namesOf(withTools('conn_abcd', changes, long))
    const names = namesOf(withTools('conn_abcd', changes, long, cut.slice(cut.indexOf('__') + 2)))
    expect(new Set(names).size).toBe(2)
    expect(names[1]).toBe(cut)
  })

  test('is always valid, and unique in the catalogue', () => {
    const toolName = fc.oneof(
      fc.stringMatching(/^[a-z][a-z0-9_]{0,63}$/),
      fc.string({ unit: fc.constantFrom('a', '_'), minLength: 30, maxLength: 63 }).map(rest => `a${rest}`),
    )
    const connection = fc.record({
      // Few letters, so that they often begin alike.
      id: fc.string({ unit: fc.constantFrom('a', 'b', '-', '_'), minLength: 1, maxLength: 21 }),
      slug: fc.constantFrom('a', 'a_b', 'shop', 'a_slug_of_20_letters', '', 'é__x_', 'A-B'),
      toolNames: fc.uniqueArray(toolName, { maxLength: 5 }),
    })
    const catalogue = fc.uniqueArray(connection, { selector: ({ id }) => id, maxLength: 12 })
    fc.assert(
      fc.property(catalogue, connections => {
        const tools = toolsOf(
          configOf(
            ...connections.map(({ id, slug, toolNames }) => withTools(`conn_${id}`, { slug }, ...toolNames)),
          ),
        )
        for (const { name } of tools) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
        expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length)
        expect(tools).toHaveLength(connections.flatMap(({ toolNames }) => toolNames).length)
      }),
      { numRuns: 500 },
    )
  })
})

describe('the input schema', () => {
  const value = fc.oneof(
    fc.string(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.dictionary(fc.string(), fc.integer()),
    fc.constant(null),
    fc.array(fc.integer()),
  )
  const name = fc.constantFrom('a', 'b', 'order_id', 'filter[x]')
  const parameter = fc.record({
    name,
    type: fc.constantFrom('string', 'number', 'boolean', 'object'),
    description: fc.constant('x'),
    required: fc.boolean(),
  })

  test('accepts what a call accepts, apart from null for what is not given, and nothing else', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(parameter, { selector: one => one.name }),
        fc.dictionary(name, value),
        (parameters, given) => {
          const schema = z.fromJSONSchema(inputSchemaOf(parameters))
          const optional = new Set<string>(
            parameters.filter(({ required }) => !required).map(one => one.name),
          )
          const present = Object.entries(given).filter(([key, one]) => one !== null || !optional.has(key))
          const isAccepted = schema.safeParse(Object.fromEntries(present)).success
          expect(isAccepted).toBe(argumentIssues(parameters, given).length === 0)
        },
      ),
      { numRuns: 1000 },
    )
  })

  test('has a parameter named like something inherited', () => {
    const schema = inputSchemaOf([{ name: '__proto__', type: 'string', description: 'x', required: true }])
    expect(JSON.stringify(schema)).toContain('"properties":{"__proto__":{"type":"string"')
  })
})
