import fc from 'fast-check'
import type { NewAction } from '#shared/model/action.ts'
import { type CaseData, FieldType } from '#shared/model/case.ts'
import type { DocumentConnection } from '#shared/model/connection.ts'
import type { NewEventType } from '#shared/model/event-type.ts'
import { turnsDirection } from '#shared/model/text.ts'

/** Text as the model keeps it: without white space at its ends. */
const text = (maxLength: number) =>
  fc
    .string({ unit: 'binary', minLength: 1, maxLength })
    .map(given => given.trim())
    .filter(given => given !== '' && !given.includes('whsec_') && !turnsDirection(given))

const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,20}$/)
const headerName = fc
  .stringMatching(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,20}$/)
  .filter(
    name =>
      name !== '__proto__' &&
      !/^(host|connection|content-length|transfer-encoding|keep-alive|upgrade|expect|te|trailer|x-service-.*|proxy-.*)$/i.test(
        name,
      ),
  )
const headerValue = fc.oneof(
  fc.stringMatching(/^[ -~]{0,40}$/).filter(value => !value.includes('{{') && !value.includes('whsec_')),
  word.map(name => `Bearer {{${name}}}`),
)

const headers = fc.oneof(
  fc.constant(null),
  fc
    .uniqueArray(fc.tuple(headerName, headerValue), {
      maxLength: 4,
      selector: ([name]) => name.toLowerCase(),
    })
    .map(entries => Object.fromEntries(entries)),
)

const parameters = fc.uniqueArray(
  fc.record({
    name: fc.stringMatching(/^[A-Za-z0-9_.[\]-]{1,20}$/),
    type: fc.constantFrom('string', 'number', 'boolean', 'object'),
    description: text(60),
    required: fc.boolean(),
  }),
  { maxLength: 5, selector: ({ name }) => name },
)

const path = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 4 }), fc.option(word))
  .map(([segments, query]) => `/${segments.join('/')}${query === null ? '' : `?fixed-${query}=1`}`)

/** Numbers as JSON writes them, most of which are not exact as doubles: `-0`, `1.10`, `1E+400`. */
const numberText = fc.stringMatching(/^-?(0|[1-9][0-9]{0,24})([.][0-9]{1,20})?([eE][+-]?[0-9]{1,3})?$/)

/** JSON texts with exact numbers, spaces, and keys such as `__proto__`. */
const { jsonText, jsonObject } = fc.letrec<{ jsonText: string; jsonObject: string }>(tie => ({
  jsonText: fc.oneof(
    { maxDepth: 3 },
    numberText,
    fc.string({ unit: 'binary' }).map(given => JSON.stringify(given)),
    fc.constantFrom('true', 'null'),
    tie('jsonObject'),
    fc.array(tie('jsonText'), { maxLength: 3 }).map(items => `[${items.join(' ,')}]`),
  ),
  jsonObject: fc
    .uniqueArray(
      fc.tuple(
        fc.oneof(fc.constantFrom('__proto__', 'constructor', '', '7', 'b'), fc.string({ unit: 'binary' })),
        tie('jsonText'),
      ),
      { maxLength: 4, selector: ([key]) => key },
    )
    .map(entries => `{ ${entries.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(', ')} }`),
}))

const field = fc
  .tuple(
    fc.constantFrom('a', 'a.b.0.c', 'items[0].sku', '[1]', '$status', '$headers.etag', '__proto__.x', 'ä b'),
    fc.oneof(
      fc.record({ rule: fc.constant('equals' as const), valueText: jsonText }),
      fc.record({ rule: fc.constantFrom('exists' as const, 'absent' as const) }),
      fc.record({
        rule: fc.constant('type' as const),
        valueText: fc.constantFrom(...FieldType.options).map(type => JSON.stringify(type)),
      }),
      fc.record({
        rule: fc.constant('matches' as const),
        valueText: fc.string({ unit: 'binary', minLength: 1 }).map(pattern => JSON.stringify(`${pattern}*`)),
      }),
      fc.record({ rule: fc.constant('count' as const), valueText: fc.constantFrom('0', '12', '2.0', '1e3') }),
    ),
  )
  .map(([path, rule]) => ({ path, ...rule }))

const cases: fc.Arbitrary<CaseData[]> = fc.uniqueArray(
  fc
    .record({
      name: text(120),
      argumentsText: jsonObject,
      expect: fc.record({
        status: fc.oneof(
          fc.integer({ min: 100, max: 599 }),
          fc.constantFrom(null, '2xx' as const, '5xx' as const),
        ),
        fields: fc.array(field, { maxLength: 4 }),
      }),
    })
    .filter(given => !JSON.stringify(given).includes('whsec_')),
  { maxLength: 3, selector: ({ name }) => name },
)

const action: fc.Arbitrary<NewAction & { toolName: string }> = fc.record({
  name: text(40),
  toolName: word,
  description: text(200),
  method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
  path,
  headers,
  parameters: parameters.map(all => all.filter(({ name }) => !name.startsWith('fixed-'))),
  responseMapping: fc.oneof(
    fc.constant(null),
    fc.dictionary(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).filter(alias => alias !== '__proto__'),
      fc.constantFrom('a', 'a.b.0.c', 'items[0].sku'),
      { maxKeys: 3 },
    ),
  ),
  isEnabled: fc.boolean(),
})

/** JSON objects with keys such as `__proto__`, as JSON.parse makes them; no -0, which JSON does not keep. */
const samplePayload = fc
  .dictionary(
    fc.oneof(fc.constantFrom('__proto__', 'constructor', 'toString', ''), fc.string()),
    fc.jsonValue({ maxDepth: 4 }),
    { maxKeys: 5 },
  )
  .map(given => JSON.stringify(Object.fromEntries(Object.entries(given))))
  .filter(given => !given.includes('whsec_'))
  .map((given): Record<string, never> => JSON.parse(given))

const eventType: fc.Arbitrary<NewEventType> = fc.record({
  eventName: fc
    .string({ unit: 'binary', minLength: 1, maxLength: 60 })
    .filter(name => !name.includes('whsec_')),
  label: fc.oneof(fc.constant(null), text(40)),
  samplePayload: fc.oneof(fc.constant(null), samplePayload),
})

const connection: fc.Arbitrary<DocumentConnection> = fc.record({
  name: text(40),
  baseUrl: fc.oneof(
    fc.constant(null),
    fc.constantFrom('https://api.example.com', 'http://127.0.0.1:8080/v2', 'https://müller.example/ä'),
  ),
  persistEvents: fc.boolean(),
})

const maxActions = 4

/** Any connection that the model allows, with its actions and event types, and the cases of each action. */
export const anyConnection = fc.record({
  connection,
  actions: fc.uniqueArray(action, { maxLength: maxActions, selector: ({ toolName }) => toolName }),
  casesOfActions: fc.array(cases, { minLength: maxActions, maxLength: maxActions }),
  eventTypes: fc.uniqueArray(eventType, { maxLength: 4, selector: ({ eventName }) => eventName }),
})
