import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pathProblems } from '#shared/model/action-path.ts'
import { joinUrl } from '#shared/model/action-url.ts'
import { Constant, openPath, pathParts, placeholdersIn } from '#shared/model/placeholders.ts'

test.each([
  ['/orders', []],
  ['/orders/{id}', ['id']],
  ['/repos/{owner}/{repo}/issues/{owner}', ['owner', 'repo']],
  ['/files/{name}.{ext}', ['name', 'ext']],
  ['/v1/users/:userId/things:cancel', ['userId']],
  [':id/x', ['id']],
  ['/users/<id>', ['id']],
  ['/a/{pet-id}/{ odd name }', ['pet-id', ' odd name ']],
  ['/a/{}/{b', []],
  ['/a/{b/c}', []],
  ['/a?to={to}', ['to']],
  ['/{__proto__}', ['__proto__']],
])('finds the placeholders of %s', (path, names) => {
  expect(placeholdersIn(path)).toEqual(names)
  expect(
    pathParts(path)
      .map(({ text }) => text)
      .join(''),
  ).toBe(path)
})

test.each([
  ['prj_42', '/p/prj_42/x'],
  ['a/b', '/p/a%2Fb/x'],
  ['../x', '/p/..%2Fx/x'],
  ['a?b#c', '/p/a%3Fb%23c/x'],
  ['50%', '/p/50%25/x'],
  ['%2e%2e', '/p/%252e%252e/x'],
  ['a b', '/p/a%20b/x'],
  ['a\\b', '/p/a%5Cb/x'],
  ['{y}', '/p/%7By%7D/x'],
  [':y', '/p/%3Ay/x'],
  ['ü', '/p/%C3%BC/x'],
])('fills in %s as one segment', (constant, path) => {
  expect(Constant.safeParse(constant).success).toBe(true)
  expect(openPath('/p/{id}/x', { id: constant }, name => name)).toEqual({ path, open: [] })
  expect(pathProblems(path)).toEqual([])
})

test.each(['', ' ', '.', '..', '\ud800', 'a'.repeat(501)])('refuses %j as a constant', constant => {
  expect(Constant.safeParse(constant).success).toBe(false)
})

test('a constant never changes the structure of a path, and is what the other side decodes', () => {
  const constant = fc
    .oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
      fc.string({ unit: fc.constantFrom('.', '/', '\\', '%', '2', 'e', '?', '#', '{', '}', ' ', ':', 'a') }),
    )
    .filter(text => Constant.safeParse(text).success)
  const template = fc.constantFrom('/a/{x}/b/{y}', '{x}/{y}', '/a/:x/c/<y>', '/{x}/{x}/{y}')
  fc.assert(
    fc.property(template, constant, constant, (path, x, y) => {
      const filled = openPath(path, { x, y }, name => name)
      expect(filled.open).toEqual([])
      expect(pathProblems(filled.path)).toEqual([])
      const { origin, target } = joinUrl('https://api.example.com/v2', filled.path)
      const url = new URL(origin + target)
      expect(url.search + url.hash).toBe('')
      const given = path.replace(/^\//, '').split('/')
      const segments = url.pathname.split('/').slice(2).map(decodeURIComponent)
      const wanted = given.map(segment => (/x/.test(segment) ? x : /y/.test(segment) ? y : segment))
      expect(segments).toEqual(wanted)
    }),
  )
})

test('a placeholder without a constant has the name of its argument, and inherited names are not constants', () => {
  const opened = openPath('/{a}/<b c>/:d/{toString}', { a: '1' }, name => name.replace(' ', '_'))
  expect(opened).toEqual({ path: '/1/{b_c}/{d}/{toString}', open: ['b c', 'd', 'toString'] })
})
