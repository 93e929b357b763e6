import { expect, test } from 'vitest'
import { writeRequest } from '#shared/request/write-request.ts'
import { read } from './fixtures.ts'

const url = 'https://api.example.com/a'
const json = (value: unknown) => ({ kind: 'text', text: JSON.stringify(value) })
const text = (value: string) => ({ kind: 'text', text: value })
const part = (name: string, value: string) => ({ name, content: { text: value }, contentType: null })

function actionOf(options: string) {
  const [action] = read(`curl ${url} ${options}`, 'curl').content?.actions ?? []
  if (action === undefined) throw new Error('There is no action.')
  return action.fields
}

function sent(options: string, given: Record<string, unknown>) {
  const action = actionOf(options)
  const { method, path, headers = null, parameters, sendsBody } = action
  expect(action.isEnabled).toBe(true)
  const written = writeRequest({ method, path, headers, parameters, sendsBody }, given)
  if ('issues' in written) throw new Error(JSON.stringify(written.issues))
  return { contentType: headers?.['Content-Type'] ?? null, ...written }
}

const form = 'application/x-www-form-urlencoded'
const multipart = 'multipart/form-data'

test.each<[string, string, Record<string, unknown>, string | null, unknown]>([
  ['a form', `-d a=1 -d 'b=x y'`, { a: 2, b: 'p&q' }, form, text('a=2&b=p%26q')],
  ['an encoded form', `--data-urlencode 'q=a b'`, { q: 'c d' }, form, text('q=c%20d')],
  ['a repeated field', `-d 't[]=1' -d 't[]=2'`, { 't[]': [3, 4] }, form, text('t%5B%5D=3&t%5B%5D=4')],
  ['a list', `-d '[1,2]'`, { body: [3] }, null, json([3])],
  ['a mixed list', `-d '[1,"a",[2]]'`, { body: [[3], null] }, null, json([[3], null])],
  ['a field that is a list', `-d '{"a":["x"]}'`, { a: ['y'] }, null, json({ a: ['y'] })],
  ['a field with a space', `-d '{"a b":1}'`, { a_b: 2 }, null, json({ 'a b': 2 })],
  ['XML', `-H 'Content-Type: application/xml' -d '<a/>'`, { body: '<b/>' }, 'application/xml', text('<b/>')],
  ['a file', '-T f', { body: 'AAE=' }, 'application/octet-stream', { kind: 'bytes', base64: 'AAE=' }],
  [
    'a file of a type',
    `-H 'Content-Type: image/png' --data-binary @f.png`,
    { body: 'AAE=' },
    ...['image/png', { kind: 'bytes', base64: 'AAE=' }],
  ],
  [
    'a multipart form',
    `-F note=x -F 'about={"a":1};type=application/json' -F f=@f.png -F t=1 -F t=2`,
    { note: 'y', about: { b: 2 }, f: 'AAE=', t: ['3', '4'] },
    multipart,
    {
      kind: 'parts',
      parts: [
        part('note', 'y'),
        { name: 'about', content: { text: '{"b":2}' }, contentType: 'application/json' },
        { name: 'f', content: { base64: 'AAE=' }, contentType: 'application/octet-stream' },
        ...[part('t', '3'), part('t', '4')],
      ],
    },
  ],
  ['no body', '-X POST', {}, null, { kind: 'none' }],
] as [string, string, Record<string, unknown>, string | null, unknown][])(
  'a command with %s sends it',
  (_name, options, given, contentType, body) => {
    expect(sent(options, given)).toMatchObject({ contentType, body })
  },
)

test('a repeated name of a query takes a list', () => {
  expect(sent(`-G -d t=1 -d t=2 -d q=x`, { t: [3, 4], q: 'y' }).path).toBe('/a?t=3&t=4&q=y')
})

test('a query that the shell fills in is a parameter of a POST too', () => {
  expect(sent('-X POST --url-query "day=$DAY" --url-query v=1', { day: 'x' }).path).toBe('/a?v=1&day=x')
})

test('a header that the shell creates is a parameter', () => {
  for (const value of ['$(date)', '`date`', `\${D:-1}`]) {
    const { headers } = sent(`-H "X-Date: ${value}"`, { 'X-Date': 'today' })
    expect(headers).toEqual({ 'X-Date': 'today' })
  }
})

test('a body of plain JSON fields needs none of the fields that say how it is sent', () => {
  expect(actionOf(`-d '{"a":1,"b":{"c":true}}'`)).toMatchObject({
    headers: null,
    parameters: [
      { name: 'a', type: 'number', description: 'The value of a.', required: true },
      { name: 'b', type: 'object', description: 'The value of b.', required: true },
    ],
  })
  expect(actionOf(`-d '{"a":1}'`)).not.toHaveProperty('sendsBody')
})
