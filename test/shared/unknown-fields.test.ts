import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { contract } from '#shared/contract/index.ts'
import { Condition } from '#shared/model/condition.ts'
import { JsonValue } from '#shared/model/json-value.ts'
import { nearestName } from '#shared/nearest-name.ts'
import { unknownFields } from '#shared/unknown-fields.ts'
import { createAction } from '../support/actions.ts'
import { proceduresIn } from '../support/reading-procedures.ts'
import { createConnection, ErrorBody, type RestAnswer } from '../support/rest-client.ts'
import { signIn } from '../support/rpc-client.ts'
import { adminToken, openService, type ServiceFixture, sharedService } from '../support/service-fixture.ts'

const cleanService = sharedService()

let fixture: ServiceFixture
beforeAll(async () => {
  fixture = await openService()
})
afterAll(() => fixture.close())

type Operation = {
  readonly name: string
  readonly method: string
  readonly path: string
  /** Where its input takes an object of known fields, as steps: `['parameters', 0]`. */
  readonly places: readonly (readonly (string | number)[])[]
  /** Its input has the parts `query` and `body`. */
  readonly isDetailed: boolean
}

const Node = z.object({
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
})

/** Every operation of the contract. */
const operations: Operation[] = proceduresIn(contract).map(([name, procedure]) => {
  const { route, inputSchema } = procedure['~orpc']
  const { method = 'POST', path = '/', inputStructure } = route
  const places = inputSchema instanceof z.ZodType ? placesOf(inputSchema) : [[]]
  return { name, method, path, places, isDetailed: inputStructure === 'detailed' }
})

function placesOf(schema: z.ZodType): (string | number)[][] {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' })
  return objectsOf(json, [])
}

/** The places of a JSON Schema where an object has named fields. */
function objectsOf(schema: unknown, path: (string | number)[]): (string | number)[][] {
  const { properties, items, anyOf = [] } = Node.safeParse(schema).data ?? {}
  return [
    ...(properties === undefined ? [] : [path]),
    ...Object.entries(properties ?? {}).flatMap(([name, inner]) => objectsOf(inner, [...path, name])),
    ...(items === undefined ? [] : objectsOf(items, [...path, 0])),
    ...anyOf.flatMap(inner => objectsOf(inner, path)),
  ]
}
/** An input whose only field, at this place, is one that no schema has. */
function withUnknown(place: readonly (string | number)[]): Record<string, unknown> {
  let value: unknown = { nonsense: 1 }
  for (const step of place.toReversed()) value = typeof step === 'number' ? [value] : { [step]: value }
  return z.record(z.string(), z.unknown()).parse(value)
}

/** The path of the unknown field in an answer, which does not name the part of an input. */
const pathOf = ({ isDetailed }: Operation, place: readonly (string | number)[]) =>
  [...(isDetailed ? place.slice(1) : place), 'nonsense'].join('.')

const issuesOf = (body: unknown) => ErrorBody.parse(body).data?.issues ?? []

async function callRest(
  { method, path, isDetailed }: Operation,
  input: Record<string, unknown>,
): Promise<unknown> {
  const filled = path.replace(/\{\w+\}/g, 'x')
  const [inQuery, inBody] = isDetailed
    ? [input.query ?? {}, input.body]
    : method === 'GET'
      ? [input, undefined]
      : [{}, input]
  const query = new URLSearchParams(z.record(z.string(), z.coerce.string()).parse(inQuery))
  const url = `${fixture.dashboardUrl}/api/v1${filled}?${query}`
  const body = inBody === undefined ? {} : { body: JSON.stringify(inBody) }
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  const answer = await fetch(url, { method, headers, ...body })
  expect([url, answer.status]).toEqual([url, 400])
  return answer.json()
}

describe('a field that no resource has', () => {
  test('is refused by every operation of REST, at every place that takes named fields', async () => {
    expect(operations.length).toBeGreaterThan(45)
    const places = operations.flatMap(operation => operation.places.map(place => ({ operation, place })))
    expect(places.map(({ operation, place }) => `${operation.name} ${place.join('.')}`)).toEqual(
      expect.arrayContaining([
        'actions/create parameters.0',
        'actions/update parameters.0',
        'connections/update retention',
        'settings/update defaultRetention',
      ]),
    )
    for (const { operation, place } of places) {
      const [part] = place
      // REST has no other part.
      if (operation.isDetailed && part !== 'query' && part !== 'body') continue
      const body = await callRest(operation, withUnknown(place))
      expect(body, operation.name).toMatchObject({ code: 'invalid_input' })
      expect(
        issuesOf(body).map(({ path }) => path),
        operation.name,
      ).toContain(pathOf(operation, place))
    }
  })

  test('is refused by every procedure that the dashboard calls', async () => {
    const headers = {
      ...(await signIn(fixture.dashboardUrl)),
      'x-csrf-token': 'orpc',
      'content-type': 'application/json',
    }
    for (const operation of operations)
      for (const place of operation.places) {
        const { name, isDetailed } = operation
        // The path itself has these.
        if (isDetailed && place[0] === 'params') continue
        const answer = await fetch(`${fixture.dashboardUrl}/rpc/${name}`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ json: withUnknown(place) }),
        })
        expect([name, answer.status]).toEqual([name, 400])
        const { json } = z.object({ json: z.unknown() }).parse(await answer.json())
        const issues = z
          .object({ data: z.object({ issues: z.array(z.object({ path: z.string() })) }) })
          .parse(json)
        expect(issues.data.issues.map(({ path }) => path)).toContain(pathOf(operation, place))
      }
  })

  test('changes nothing, and the answer names the nearest field that there is, beside the other problems', async () => {
    const { rest } = await cleanService()
    const { connectionId } = await createConnection(rest)
    const path = `/connections/${connectionId}`
    const issues = ({ status, body }: RestAnswer) => {
      expect(status).toBe(400)
      return issuesOf(body)
    }
    expect(issues(await rest('PATCH', path, { isEnabled: false }))).toEqual([
      { path: 'isEnabled', message: 'There is no field `isEnabled` here. Did you mean `enabled`?' },
    ])
    expect(
      issues(await rest('PATCH', path, { retention: { max_days: 7 }, timeoutMs: 1, name: 'Other' })),
    ).toEqual([
      {
        path: 'retention.max_days',
        message: 'There is no field `max_days` here. Did you mean `maxDays`?',
      },
      { path: 'timeoutMs', message: expect.any(String) },
    ])
    expect((await rest('GET', path)).body).toMatchObject({ enabled: true, name: 'Shop' })
    expect(issues(await rest('GET', `${path}/events?eventname=a`))).toEqual([
      { path: 'eventname', message: 'There is no field `eventname` here. Did you mean `eventName`?' },
    ])
    const { actionId } = await createAction(rest, connectionId)
    const parameter = { name: 'a', type: 'string', description: 'x', require: true }
    expect(issues(await rest('PATCH', `${path}/actions/${actionId}`, { parameters: [parameter] }))).toEqual([
      {
        path: 'parameters.0.require',
        message: 'There is no field `require` here. Did you mean `required`?',
      },
      { path: 'parameters.0.required', message: expect.any(String) },
    ])
  })

  test('is any key of a map: headers, arguments, data, samples and response mappings', async () => {
    const { rest } = await cleanService()
    const { connectionId } = await createConnection(rest)
    const path = `/connections/${connectionId}`
    const fields = { headers: { 'X-Nonsense': '1' }, responseMapping: { nonsense: 'a.b' } }
    const { actionId } = await createAction(rest, connectionId, fields)
    const nonsense = { nonsense: { nonsense: [{ nonsense: 1 }] } }
    const answers = [
      await rest('POST', `${path}/actions/${actionId}/test`, { arguments: nonsense }),
      await rest('POST', `${path}/send`, { event: 'a', data: nonsense }),
      await rest('POST', `${path}/event-types`, { eventName: 'a', samplePayload: nonsense }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 201])
  })

  test('is not lost if it is `__proto__`: maps of texts refuse it, and data is taken as it is written', async () => {
    const { rest } = await cleanService()
    const { connectionId } = await createConnection(rest, { baseUrl: 'http://127.0.0.1:1' })
    const path = `/connections/${connectionId}`
    const parameters = [{ name: '__proto__', type: 'boolean', description: 'x', required: true }]
    const { actionId, toolName } = await createAction(rest, connectionId, { method: 'POST', parameters })
    const action = `${path}/actions/${actionId}`
    const odd: unknown = JSON.parse('{"__proto__":"x"}')
    const steps = (fields: object) => ({
      name: 'A',
      trigger: { type: 'external.event', connectionId, eventName: 'a' },
      steps: [{ key: 'a', ...fields }],
    })
    const toUrl = { type: 'http', method: 'POST', url: 'http://127.0.0.1:1/' }
    const document = { text: 'curl http://127.0.0.1:1/{a}', connectionId: null }
    for (const [method, at, body, issue] of [
      ['PATCH', action, { headers: odd }, 'headers.__proto__'],
      ['PATCH', action, { responseMapping: odd }, 'responseMapping.__proto__'],
      ['POST', '/import', { ...document, placeholders: odd }, 'placeholders.__proto__'],
      ['POST', '/workflows', steps({ ...toUrl, headers: odd }), 'steps.0.headers.__proto__'],
      [
        'POST',
        '/workflows',
        steps({ type: 'action', connectionId, toolName, arguments: odd }),
        'steps.0.arguments.__proto__',
      ],
    ] as const) {
      const refused = await rest(method, at, body)
      expect([at, refused.status]).toEqual([at, 400])
      expect(issuesOf(refused.body)).toEqual([{ path: issue, message: expect.stringContaining('__proto__') }])
    }
    const call = await rest('POST', `${action}/test`, { arguments: JSON.parse('{"__proto__":true}') })
    expect(call).toMatchObject({ status: 200, body: { request: { body: '{"__proto__":true}' } } })
    const sample = await rest('POST', `${path}/event-types`, { eventName: 'a', samplePayload: odd })
    expect(sample).toMatchObject({ status: 201, body: { sampleText: '{"__proto__":"x"}' } })
    expect((await rest('POST', `${path}/send`, { event: 'a', data: odd })).status).toBe(200)
    expect((await rest('POST', `${path}/send`, { body: { event: 'a', data: odd } })).status).toBe(200)
  })

  test('is not looked for below the deepest level, which would exhaust the stack', () => {
    let deep: object = { vlaue: 'x' }
    for (let level = 0; level < 50_000; level++) deep = { any: [deep] }
    expect(unknownFields(Condition, { value: 'x', any: [deep], operator: 'exists' })).toEqual([])
    expect(JsonValue.safeParse(deep).success).toBe(true)
    expect(JsonValue.safeParse([{ at: new Date(0) }]).success).toBe(false)
  })

  test('is named at most 50 times, in short, and compared only where that is quick', () => {
    const schema = z.object({ enabled: z.boolean() })
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`x${index}`, 1]))
    expect(unknownFields(schema, many)).toHaveLength(50)
    expect(unknownFields(z.array(schema), Array(1000).fill({ x: 1 }))).toHaveLength(50)
    const [long] = unknownFields(schema, { ['enabled'.repeat(100_000)]: 1 })
    expect(long?.path.length).toBe(101)
    expect(long?.message).not.toContain('Did you mean')
    const inherited: unknown = JSON.parse('{"__proto__":1,"constructor":1,"toString":1}')
    expect(unknownFields(schema, inherited).map(({ path }) => path)).toEqual([
      '__proto__',
      'constructor',
      'toString',
    ])
  })
})

test.each([
  ['isEnabled', ['name', 'enabled', 'ignoreRepeats'], 'enabled'],
  ['base_url', ['name', 'baseUrl'], 'baseUrl'],
  ['headres', ['method', 'headers'], 'headers'],
  ['colour', ['name', 'path'], null],
  ['x', ['a', 'toolName'], null],
])('the nearest name to %s of %j is %j', (name, known, nearest) => {
  expect(nearestName(name, known)).toBe(nearest)
})
