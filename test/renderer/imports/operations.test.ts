import { expect, test } from 'vitest'
import type { ImportPreview } from '#shared/model/import-preview.ts'
import {
  constantsOf,
  countOperations,
  fillingProblem,
  operationsOf,
  searchOperations,
  stepsOf,
} from '../../../src-renderer/features/imports/operations.ts'

const step = { key: 'a', type: 'http' as const, method: 'GET' as const, url: 'https://a.example/{{id}}' }
const out = (operation: string, reason: 'placeholder' | 'server', toolName: string | null) => ({
  ...{ operation, reason, toolName, tags: ['Orders'], message: `because of ${reason}` },
})
const action = (operation: string, toolName: string, isPresent = false) => ({
  ...{ toolName, operation, tags: [], method: 'GET' as const, path: '/', isEnabled: true, line: 1 },
  environmentVariables: [],
  skippedBecause: isPresent ? { kind: 'present' as const } : null,
})
const preview: Pick<ImportPreview, 'details' | 'leftOut'> = {
  details: {
    documentBaseUrl: null,
    actions: [action('GET /z', 'z'), action('GET /b', 'b', true)],
    eventTypes: [],
    environmentVariables: [],
  },
  leftOut: [
    { ...out('GET /a/{id}', 'placeholder', 'get_a'), httpStep: step },
    out('PUT /a/{id}/{x}', 'placeholder', 'put_a'),
    out('GET /c/{id}', 'server', null),
  ],
}
const operations = operationsOf(preview)
const names = (listed: readonly { readonly key: string }[]) => listed.map(({ key }) => key)

test('constants make actions of the operations that need no others', () => {
  const counted = countOperations(operations, { id: '1' })
  expect(names(counted.create)).toEqual(['GET /a/{id} get_a', 'GET /z z'])
  expect(names(counted.out)).toEqual(['PUT /a/{id}/{x} put_a', 'GET /b b', 'GET /c/{id} null'])
  expect(counted.open).toBe(1)
  expect(operations.map(({ why }) => why)).toEqual([
    null,
    null,
    'the connection has it already',
    'because of server',
    null,
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
  ['', 5],
  ['get', 4],
  ['orders put', 1],
  ['/a/', 2],
  ['get_a', 1],
  ['nothing', 0],
])('a search for “%s” finds operations by method, path, tag and tool name', (query, found) => {
  expect(searchOperations(operations, query)).toHaveLength(found)
})

test('the connection signs the copied steps, and there are none before it exists', () => {
  expect([...stepsOf(preview, 'conn_1')]).toEqual([['GET /a/{id}', { ...step, signWith: 'conn_1' }]])
  expect(stepsOf(preview, null).size).toBe(0)
})
