import { describe, expect, test } from 'vitest'
import { ActionFields } from '#shared/model/action.ts'

const base = {
  ...{ name: 'a', toolName: 'a', description: 'a', responseMapping: null, isEnabled: true },
  ...{ method: 'POST', path: '/orders', headers: null },
}
type Given = Record<string, unknown>
const parameter = (fields: Given): Given => ({
  ...{ name: 'id', type: 'string', description: 'a', required: true },
  ...fields,
})

function issues(fields: Given, ...parameters: Given[]): string[] {
  const action = { ...base, ...fields, parameters: parameters.map(parameter) }
  return (ActionFields.safeParse(action).error?.issues ?? []).map(
    ({ path, message }) => `${path.join('.')}: ${message}`,
  )
}

const form = { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }
const xml = { headers: { 'content-type': 'text/xml' } }

describe('how an action is sent', () => {
  test.each<[string, Given, Given[]]>([
    ['a path parameter', { path: '/orders/{id}' }, [{ in: 'path' }]],
    [
      'several in one segment',
      { path: '/{a}-{b}' },
      [
        { in: 'path', wireName: 'a' },
        { name: 'x', in: 'path', wireName: 'b' },
      ],
    ],
    ['a constant in a path', { path: '/{id}' }, [{ in: 'path', required: false, value: 'v1' }]],
    ['a name in the request that arguments cannot have', {}, [{ in: 'query', wireName: 'page[size]' }]],
    ['the same name in two places', {}, [{ in: 'query' }, { name: 'b', wireName: 'id', in: 'body' }]],
    ['a list in a query', { method: 'GET' }, [{ isList: true, style: 'brackets' }]],
    ['an object in a form', form, [{ type: 'object', in: 'body', style: 'deep' }]],
    ['a text as the whole body', xml, [{ in: 'entireBody' }]],
    ['a list as the whole JSON body', {}, [{ in: 'entireBody', type: 'object', isList: true }]],
    ['no body', { sendsBody: false }, [{}]],
    [
      'constants',
      {},
      [
        { value: ['a'], isList: true, schema: { enum: ['a'] } },
        { name: 'b', value: null },
      ],
    ],
    ['a header', {}, [{ in: 'header', wireName: 'X-Trace' }]],
    ['another type of a body that the fields do not name', xml, [{}]],
  ])('can be %s', (_name, fields, parameters) => {
    expect(issues(fields, ...parameters)).toEqual([])
  })

  const repeated = 'Another parameter is sent as id in the same place.'
  test.each<[string, Given, Given[], string[]]>([
    [
      'a path parameter without a placeholder',
      {},
      [{ in: 'path' }],
      ['parameters.0.name: The path has no placeholder {id}.'],
    ],
    [
      'a placeholder in the fixed query',
      { path: '/a?b={id}' },
      [{ in: 'path' }],
      [
        'parameters.0.name: The path has no placeholder {id}.',
        'path: A path must not contain placeholders. Send the value as a parameter instead. With "in": "path", it fills {its name}.',
      ],
    ],
    [
      'an optional path parameter',
      { path: '/{id}' },
      [{ in: 'path', required: false }],
      ['parameters.0.required: A parameter of the path is required: without it there is no path.'],
    ],
    [
      'two of one place and name',
      {},
      [{ in: 'query' }, { name: 'b', wireName: 'id', in: 'query' }],
      [`parameters.1.wireName: ${repeated}`],
    ],
    [
      'two headers of one name',
      {},
      [
        { in: 'header', wireName: 'X-A' },
        { name: 'b', wireName: 'x-a', in: 'header' },
      ],
      ['parameters.1.wireName: Another parameter is sent as x-a in the same place.'],
    ],
    [
      'the whole body beside a part of it',
      {},
      [{ in: 'entireBody', type: 'object' }, { name: 'b' }],
      ['parameters.1.in: Another parameter is the entire body.'],
    ],
    ['a body of a GET', { method: 'GET' }, [{ in: 'body' }], ['parameters.0.in: A GET has no body.']],
    [
      'a body where there is none',
      { sendsBody: false },
      [{ in: 'body' }],
      ['parameters.0.in: The calls of this action have no body ("sendsBody": false).'],
    ],
    [
      'a repeated list in a path',
      { path: '/{id}' },
      [{ in: 'path', isList: true, style: 'repeat' }],
      ['parameters.0.style: A path cannot be written as repeat. Use space, pipe, comma, fields, json.'],
    ],
    [
      'the header Authorization',
      {},
      [{ in: 'header', wireName: 'authorization' }],
      ['parameters.0.wireName: A parameter cannot set the header authorization.'],
    ],
    [
      'a header of the service',
      {},
      [{ in: 'header', wireName: 'Host' }],
      ['parameters.0.wireName: The header Host is set by the service itself.'],
    ],
    [
      'a constant that a header cannot carry',
      {},
      [{ in: 'header', wireName: 'X-A', value: 'a\r\nB: c' }],
      ['parameters.0.value: The value contains a character that a header cannot carry.'],
    ],
    [
      'a constant that leaves the path empty',
      { path: '/{id}' },
      [{ in: 'path', value: '' }],
      ['parameters.0.value: The value must not be empty: it is a part of the path.'],
    ],
    [
      'a parameter of a body that is one text',
      xml,
      [{ in: 'body' }],
      [
        'parameters.0.in: A body of the Content-Type text/xml is one text: a parameter with "in": "entireBody".',
      ],
    ],
    [
      'an object as the whole body that is one text',
      xml,
      [{ in: 'entireBody', type: 'object' }],
      ['parameters.0.type: The entire body of this Content-Type is a text.'],
    ],
    [
      'any parameter of a body that is one text, once the action has a new field',
      xml,
      [{ wireName: 'b' }],
      [
        'parameters.0.in: A body of the Content-Type text/xml is one text: a parameter with "in": "entireBody".',
      ],
    ],
    [
      'a name that another one is sent as',
      {},
      [{ name: 'b', wireName: 'id' }, {}],
      [`parameters.1.name: ${repeated}`],
    ],
    [
      'a constant that its schema refuses',
      {},
      [{ value: { a: 1 }, type: 'object', schema: { properties: { a: { type: 'string' } } } }],
      ['parameters.0.value: The value at a must be a text, not a number.'],
    ],
    [
      'a constant of another type',
      {},
      [{ value: '1', type: 'number', in: 'query' }],
      ['parameters.0.value: The value must be a number, not a string.'],
    ],
    [
      'a single constant for a list',
      {},
      [{ value: 'a', isList: true }],
      ['parameters.0.value: The value must be a list.'],
    ],
    [
      'a fixed query parameter of any method',
      { path: '/a?id=1' },
      [{ in: 'query' }],
      ['parameters.0.name: The path already has a fixed query parameter id.'],
    ],
    [
      'an empty name',
      {},
      [{ wireName: '' }],
      ['parameters.0.wireName: The name in the request has 1 to 255 characters.'],
    ],
    [
      'a schema with a reference to another document',
      {},
      [{ schema: { properties: { a: { $ref: 'https://example.com/a.json' } } } }],
      ['parameters.0.schema.properties.a.$ref: A reference begins with # or #/ and stays in this schema.'],
    ],
  ])('cannot be %s', (_name, fields, parameters, expected) => {
    expect(issues(fields, ...parameters)).toEqual(expected)
  })
})
