import { expect, test } from 'vitest'
import type { ImportPreview } from '#shared/model/import-preview.ts'
import {
  constantsOf,
  countOperations,
  fillingProblem,
  inputsOf,
  operationsOf,
  searchOperations,
} from '../../../src-renderer/features/imports/operations.ts'

const out = (operation: string, reason: 'method' | 'server') => ({
  ...{ operation, reason, tags: ['Orders'], message: `because of ${reason}` },
})
const action = (
  operation: string,
  toolName: string,
  more: { isPresent?: boolean; id?: 'constant' } = {},
) => ({
  ...{ toolName, operation, tags: ['Orders'], method: 'GET' as const, path: '/', isEnabled: true, line: 1 },
  ...{ environmentVariables: [], parameters: more.id === undefined ? 3 : 2 },
  placeholders: operation.includes('{id}') ? [{ name: 'id', as: more.id ?? ('parameter' as const) }] : [],
  skippedBecause: more.isPresent === true ? { kind: 'present' as const } : null,
})
const preview: Pick<ImportPreview, 'details' | 'leftOut'> = {
  details: {
    documentBaseUrl: null,
    actions: [
      ...[action('GET /z', 'z'), action('GET /b', 'b', { isPresent: true })],
      ...[action('GET /a/{id}', 'get_a'), action('PUT /a/{id}/{x}', 'put_a', { id: 'constant' })],
    ],
    eventTypes: [],
    environmentVariables: [],
  },
  leftOut: [out('HEAD /a', 'method'), out('GET /c/{id}', 'server')],
}
const operations = operationsOf(preview)
const names = (listed: readonly { readonly key: string }[]) => listed.map(({ key }) => key)

test('operations become actions or stay out with a reason', () => {
  const { create, out: others } = countOperations(operations)
  expect(names(create)).toEqual(['GET /a/{id} get_a', 'PUT /a/{id}/{x} put_a', 'GET /z z'])
  expect(others.map(({ key, why }) => [key, why])).toEqual([
    ['HEAD /a null', 'because of method'],
    ['GET /b b', 'the connection has it already'],
    ['GET /c/{id} null', 'because of server'],
  ])
})

test('each constant takes the place of a parameter, whatever the preview had', () => {
  const { create } = countOperations(operations)
  const inputs = (constants: Record<string, string>) => create.map(one => inputsOf(one, constants))
  expect(inputs({})).toEqual([3, 3, 3].map(parameters => ({ constants: 0, parameters })))
  expect(inputs({ id: '1' })).toEqual([
    { constants: 1, parameters: 2 },
    { constants: 1, parameters: 2 },
    { constants: 0, parameters: 3 },
  ])
})

test('only a chosen and valid value is a constant', () => {
  const fillings = new Map([
    ['a', { isConstant: true, value: '1' }],
    ['b', { isConstant: false, value: '2' }],
    ['c', { isConstant: true, value: '..' }],
    ['d', { isConstant: true, value: '' }],
  ])
  expect(constantsOf(fillings)).toEqual({ a: '1' })
  expect([...fillings.values()].map(filling => fillingProblem(filling) !== null)).toEqual([
    false,
    false,
    true,
    false,
  ])
})

test.each([
  ['', 6],
  ['get', 4],
  ['orders put', 1],
  ['/a/', 2],
  ['get_a', 1],
  ['nothing', 0],
])('a search for “%s” finds operations by method, path, tag and tool name', (query, found) => {
  expect(searchOperations(operations, query)).toHaveLength(found)
})
