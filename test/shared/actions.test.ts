import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { valueAt } from '#shared/json/value-at.ts'
import { ActionFields, NewAction } from '#shared/model/action.ts'
import { ActionHeaders, fillVariables, variablesIn } from '#shared/model/action-headers.ts'
import { fixedQueryNames, pathProblems } from '#shared/model/action-path.ts'
import { joinUrl } from '#shared/model/action-url.ts'
import { Parameter } from '#shared/model/parameter.ts'
import { parseDotPath, ResponseMapping } from '#shared/model/response-mapping.ts'

const parameter = { name: 'order_id', type: 'string', description: 'The order', required: true }
const action = {
  name: 'Look up',
  toolName: 'look_up',
  description: 'When somebody asks.',
  method: 'GET',
  path: '/orders?expand=lines',
  headers: null,
  parameters: [parameter],
  responseMapping: null,
  isEnabled: true,
}

function paths(value: unknown): string[] {
  return (ActionFields.safeParse(value).error?.issues ?? []).map(issue => issue.path.join('.'))
}

describe('an action', () => {
  test('names all that is wrong with it, rules across fields included', () => {
    expect(paths(action)).toEqual([])
    const wrong = {
      ...action,
      name: ' ',
      toolName: 7,
      description: '',
      headers: { Host: 'x', 'X-A': 'a\nb' },
      parameters: [parameter, parameter, { ...parameter, name: 'expand', type: 'date' }],
      responseMapping: { a: 'b..c' },
    }
    expect(paths(wrong).sort()).toEqual([
      'description',
      'headers.Host',
      'headers.X-A',
      'name',
      'parameters.1.name',
      'parameters.2.name',
      'parameters.2.type',
      'responseMapping.a',
      'toolName',
    ])
  })

  test('may have a parameter like a fixed query parameter unless it is a GET', () => {
    const clash = { ...action, parameters: [{ ...parameter, name: 'expand' }] }
    expect(paths(clash)).toEqual(['parameters.0.name'])
    expect(paths({ ...clash, path: '/orders?exp%61nd=lines' })).toEqual(['parameters.0.name'])
    expect(paths({ ...clash, method: 'POST' })).toEqual([])
  })

  test('may leave out what has a default', () => {
    const { name, description, path } = action
    expect(NewAction.parse({ name, description, path })).toEqual({
      name,
      description,
      path,
      method: 'POST',
      parameters: [],
      isEnabled: true,
    })
  })

  test('counts characters of its texts as Unicode does', () => {
    expect(paths({ ...action, name: '🛒'.repeat(120), description: '🛒'.repeat(8000) })).toEqual([])
    expect(paths({ ...action, name: 'x'.repeat(121), description: 'x'.repeat(8001) })).toEqual([
      'name',
      'description',
    ])
  })

  test.each(['get', 'HEAD', 'OPTIONS', 'CONNECT', ''])('has no method %j', method => {
    expect(paths({ ...action, method })).toEqual(['method'])
  })
})

describe('a parameter', () => {
  test.each(['a', 'order_id', 'filter[status]', 'user.name', 'X-Trace', '__proto__', 'a'.repeat(64)])(
    'may be named %s',
    name => {
      expect(Parameter.safeParse({ ...parameter, name }).success).toBe(true)
    },
  )

  test.each(['', 'a b', 'é', 'a&b', 'a=b', 'a/b', 'a'.repeat(65)])('may not be named %j', name => {
    expect(Parameter.safeParse({ ...parameter, name }).success).toBe(false)
  })

  test.each(['integer', 'array', 'String', 'null', ''])('has no type %j', type => {
    expect(Parameter.safeParse({ ...parameter, type }).success).toBe(false)
  })
})

describe('a path', () => {
  test.each([
    '/',
    '/orders',
    'orders',
    '/orders/',
    '/items:cancel',
    'items:cancel',
    '/at?time=12:30',
    '/a/./b',
    '/a..b/...',
    '/search?q=&x',
    '/café',
    '/%2F',
    '//j',
    '//v1/orders',
    '///orders?at=12:30',
    '//items:cancel',
    '//localhosts/a',
    '//a..b/c',
    `/${'a'.repeat(2047)}`,
  ])('may be %s', path => {
    expect(pathProblems(path)).toEqual([])
  })

  test.each([
    '',
    ' ',
    '/a b',
    '/a\n',
    '/a\u0000',
    '/a\\b',
    'https://host/a',
    'HTTP://host',
    'http:a',
    'ftp://host',
    '//host.example/a',
    '//host.example',
    '///host.example?a=b',
    '//HOST.EXAMPLE:8443/a',
    '//host:80/a',
    '//localhost/a',
    '//localhost:8080',
    '//127.0.0.1/a',
    '//[::1]/a',
    '//user@host/a',
    '/a#b',
    '/a/../b',
    '..',
    '/a/%2e%2E/b',
    '/a/.%2e',
    `/${'a'.repeat(2048)}`,
  ])('may not be %j', path => {
    expect(pathProblems(path)).not.toEqual([])
  })

  test.each([
    '/orders/{id}',
    '/orders/{{id}}',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: that is the path
    '/orders/${id}',
    '/orders/<id>',
    '/orders?id={id}',
    '/orders/:id',
    '/:id/lines',
  ])('has no placeholder that no parameter fills: %j', path => {
    expect(paths({ ...action, path })).toEqual(['path'])
    expect(paths({ ...action, path, parameters: [{ ...parameter, name: 'id' }] })).toContain('path')
  })

  test('is saved with one slash in place of several at its start', () => {
    for (const path of ['//j', '///j', '/j', 'j'])
      expect(ActionFields.parse({ ...action, path }).path).toBe(path === 'j' ? 'j' : '/j')
    expect(ActionFields.parse({ ...action, path: '//' }).path).toBe('/')
    expect(ActionFields.parse({ ...action, path: '/a//b?c=//d' }).path).toBe('/a//b?c=//d')
  })

  test('leads to the host of the base URL, whatever it is', () => {
    const part = fc.constantFrom(
      '/',
      '//',
      'evil.example',
      'j',
      '@',
      ':80',
      '[::1]',
      '?',
      '.',
      'localhost',
      '%2f',
    )
    fc.assert(
      fc.property(fc.array(part, { minLength: 1 }), parts => {
        const path = parts.join('')
        const { data } = ActionFields.safeParse({ ...action, path })
        for (const one of [path, data?.path ?? path]) {
          const { origin, target } = joinUrl('https://h.example/v2', one)
          expect(new URL(origin + target).host).toBe('h.example')
        }
      }),
    )
  })

  test('gives the names of its fixed query, decoded', () => {
    expect(fixedQueryNames('/a?b=1&c%20d=2&e+f&&g=h=i?j=k')).toEqual(['b', 'c d', 'e f', 'g'])
    expect(fixedQueryNames('/a?%zz=1')).toEqual(['%zz'])
    expect(fixedQueryNames('/a')).toEqual([])
  })
})

describe('headers', () => {
  const problems = (headers: unknown) =>
    (ActionHeaders.safeParse(headers).error?.issues ?? []).map(issue => issue.path.join('.'))

  test.each([
    { Authorization: 'Bearer {{SHOP_KEY}}' },
    { 'X-A': '', "!#$%&'*+-.^_`|~": 'é\tÿ', 'content-type': 'text/plain' },
    { 'X-Two': '{{_a}}{{B9}}', 'X-Brace': '{x} }}' },
  ])('may be %j', headers => {
    expect(problems(headers)).toEqual([])
  })

  test('are at most 1,000', () => {
    const headers = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, 'b']))
    const messages = (count: number) =>
      ActionHeaders.safeParse(headers(count)).error?.issues.map(issue => issue.message)
    expect(messages(1000)).toBeUndefined()
    expect(messages(1001)).toEqual(['An action has at most 1000 headers.'])
  })

  test.each([
    'Host',
    'HOST',
    'connection',
    'Content-Length',
    'Transfer-Encoding',
    'Keep-Alive',
    'Upgrade',
    'Expect',
    'TE',
    'X-Service-Signature',
    'x-service-anything',
    'X A',
    'X:A',
    'X\r\nY',
    '',
    'é',
  ])('may not be named %j', name => {
    expect(problems({ [name]: 'x' })).toEqual([name])
  })

  test.each([
    'a\nb',
    'a\rb',
    'a\u0000',
    'a\u007f',
    '€',
    '🛒',
    '{{9A}}',
    '{{A-B}}',
    '{{ A }}',
    '{{',
    `{{${'A'.repeat(129)}}}`,
  ])('may not have the value %j', value => {
    expect(problems({ 'X-A': value })).toEqual(['X-A'])
  })

  test('are given once, whatever the case', () => {
    expect(problems({ 'X-A': '1', 'x-a': '2' })).toEqual(['x-a'])
  })

  test('name their variables once, in order, and take values in their place', () => {
    expect(variablesIn('{{B}} {{A}} {{B}}')).toEqual(['B', 'A'])
    expect(fillVariables('x {{A}}{{B}}', name => `$&${name}`)).toBe('x $&A$&B')
  })
})

describe('a response mapping', () => {
  test.each([
    ['customer.name', ['customer', 'name']],
    ['items.0.sku', ['items', '0', 'sku']],
    ['items[0].sku', ['items', '0', 'sku']],
    ['[0].a', ['0', 'a']],
    ['a[0][1]', ['a', '0', '1']],
    ['a b.c-d', ['a b', 'c-d']],
  ])('takes %s', (path, steps) => {
    expect(parseDotPath(path)).toEqual(steps)
  })

  test.each(['', '.', 'a.', 'a..b', 'a[', 'a[]', 'a[x]', 'a]'])('does not take %j', path => {
    expect(parseDotPath(path)).toBeNull()
    expect(ResponseMapping.safeParse({ alias: path }).success).toBe(false)
  })

  test('reads own fields only', () => {
    const value = { items: [{ sku: 'a' }], ...JSON.parse('{"__proto__": {"x": 1}}') }
    expect(valueAt(value, ['items', '0', 'sku'])).toBe('a')
    expect(valueAt(value, ['__proto__', 'x'])).toBe(1)
    for (const steps of [['constructor'], ['items', 'map'], ['items', '1'], ['items', '0', 'sku', 'length']])
      expect(valueAt(value, steps)).toBeUndefined()
  })
})
