import { expect, test } from 'vitest'
import { previewImport } from '#main/importing/imports.ts'
import { read, withStockedShop } from './fixtures.ts'

const nothing = 'The document has no actions and no events.'

/** Returns the problems of a document for a connection, as `path: message`. */
function problems(document: unknown, only?: { actions?: string[]; eventTypes?: string[] }) {
  const { config, shop } = withStockedShop()
  const target = { connectionId: shop.connectionId, workspaceId: null, ...(only && { only }) }
  return previewImport(config, read(JSON.stringify(document)), target).issues.map(
    ({ path, message }) => `${path}: ${message}`,
  )
}

const path =
  'A path must not contain placeholders. Send the value as a parameter instead. With "in": "path", it fills {its name}.'
const action = { name: 'a', description: 'b', path: '/a' }

test.each<[string, unknown, string[]]>([
  ['an action', { actions: [{ ...action, path: '/{id}' }] }, [`actions[0].path: ${path}`]],
  ['an action of a list', [{ ...action, path: '/{id}' }], [`[0].path: ${path}`]],
  [
    'an action beside no events',
    { actions: [{ ...action, path: '/{id}' }], events: [] },
    [`actions[0].path: ${path}`],
  ],
  [
    'an event type',
    { events: [{ eventName: '' }] },
    ['events[0].eventName: An event name has at least one character.'],
  ],
  ['an entry that is none', { actions: [1] }, ['actions[0]: This must be an object.']],
  ['a list that is none', { actions: {} }, ['actions: This must be an array.']],
])('gives the error of the only entry alone: %s', (_name, document, expected) => {
  expect(problems(document)).toEqual(expected)
})

test.each([
  ['an empty document', {}],
  ['an empty list', []],
  ['empty lists', { actions: [], events: [] }],
])('says that there is nothing in %s', (_name, document) => {
  expect(problems(document)).toEqual([`: ${nothing}`])
})

test('does not say so of a document whose entries are not selected', () => {
  expect(problems({ actions: [action] }, { actions: [] })).toEqual([])
})

test('does not say that a connection with an invalid entry already exists', () => {
  const { config, shop } = withStockedShop()
  const connection = { name: shop.name, baseUrl: shop.baseUrl }
  const text = JSON.stringify({ connection, actions: [{ ...action, path: '/{id}' }] })
  const { issues } = previewImport(config, read(text), { connectionId: null, workspaceId: null })
  expect(issues.map(({ message }) => message)).toEqual([
    'A connection with this name already exists. The import creates a second one. To extend the first, import into it.',
    path,
  ])
})
