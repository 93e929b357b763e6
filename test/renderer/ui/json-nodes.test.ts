import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  indexOfSteps,
  isBeyondDouble,
  matchingNodes,
  nodeAt,
  openDepth,
  readJsonNodes,
  visibleNodes,
  withContainers,
} from '#renderer/ui/json-nodes.ts'
import { valueAt } from '#shared/json/value-at.ts'
import { parseDotPath } from '#shared/model/response-mapping.ts'

function read(text: string) {
  const nodes = readJsonNodes(text)
  if (nodes === null) throw new Error('This is not JSON.')
  return nodes
}
const all = (text: string) => {
  const nodes = read(text)
  return nodes.kinds.map((_, index) => nodeAt(nodes, index))
}
const open = () => false

const order = `{"number":9007199254740993,"total":149.00,"customer":{"name":"Ana","a.b":1},
  "items":[{"sku":"KB-87"},{"sku":"CBL"}],"empty":{},"none":null}`

test('keeps the digits of numbers and the path of each value', () => {
  expect(all(order).map(({ path, kind, value, children }) => [path, kind, value, children])).toEqual([
    [null, 'object', '', 6],
    ['number', 'number', '9007199254740993', 0],
    ['total', 'number', '149.00', 0],
    ['customer', 'object', '', 2],
    ['customer.name', 'string', 'Ana', 0],
    [null, 'number', '1', 0],
    ['items', 'array', '', 2],
    ['items.0', 'object', '', 1],
    ['items.0.sku', 'string', 'KB-87', 0],
    ['items.1', 'object', '', 1],
    ['items.1.sku', 'string', 'CBL', 0],
    ['empty', 'object', '', 0],
    ['none', 'literal', 'null', 0],
  ])
})

test.each([
  ['9007199254740993', true],
  ['1e400', true],
  ['0.10000000000000000001', true],
  ['9007199254740992', false],
  ['149.00', false],
  ['1E3', false],
])('of %s says that JavaScript would change it: %s', (source, expected) => {
  expect(all(source).map(isBeyondDouble)).toEqual([expected])
})

test.each(['', '{', "{'a': 1}", '[1,]'])('%j is not JSON', text => {
  expect(readJsonNodes(text)).toBeNull()
})

test('ignores a byte order mark', () => {
  expect(all('\ufeff[true]').map(({ value }) => value)).toEqual(['', 'true'])
})

describe('for any document', () => {
  /** Rebuilds a value from the nodes. */
  function rebuild(text: string): unknown {
    const nodes = read(text)
    const values = new Map<number, unknown>()
    for (let index = nodes.kinds.length - 1; index >= 0; index--) {
      const { kind, value } = nodeAt(nodes, index)
      if (kind === 'string') values.set(index, value)
      else if (kind === 'number' || kind === 'literal') values.set(index, JSON.parse(value))
      else {
        const entries: [string, unknown][] = []
        const end = nodes.ends[index] ?? 0
        for (let child = index + 1; child < end; child = nodes.ends[child] ?? end)
          entries.push([String(nodes.names[child]), values.get(child)])
        values.set(index, kind === 'array' ? entries.map(([, item]) => item) : Object.fromEntries(entries))
      }
    }
    return values.get(0)
  }

  test('the leaves are the values of the document', () => {
    fc.assert(
      fc.property(fc.json(), text => {
        expect(rebuild(text)).toEqual(JSON.parse(text))
      }),
    )
  })

  test('a response mapping finds the value of each path', () => {
    fc.assert(
      fc.property(fc.json(), text => {
        const document: unknown = JSON.parse(text)
        for (const node of all(text)) {
          if (node.path === null || node.children > 0) continue
          const found = valueAt(document, parseDotPath(node.path) ?? [])
          expect(found).toEqual(
            node.kind === 'string' ? node.value : JSON.parse(node.value || JSON.stringify(found)),
          )
        }
      }),
    )
  })
})

test('hides the content of closed containers', () => {
  const nodes = read(order)
  const customer = indexOfSteps(nodes, ['customer']) ?? -1
  const shown = visibleNodes(nodes, index => index === customer).map(index => nodeAt(nodes, index).name)
  expect(shown).toEqual([null, 'number', 'total', 'customer', 'items', 0, 'sku', 1, 'sku', 'empty', 'none'])
})

test('opens as many levels as fit into the rows', () => {
  const nodes = read(order)
  const rowsOf = (limit: number) => {
    const depth = openDepth(nodes, limit)
    return visibleNodes(nodes, index => (nodes.depths[index] ?? 0) >= depth).length
  }
  expect([rowsOf(1), rowsOf(11), rowsOf(100)]).toEqual([7, 11, 13])
})

test('finds words in keys and values, with their containers', () => {
  const nodes = read(order)
  const found = matchingNodes(nodes, 'SKU')
  expect(withContainers(nodes, found).map(index => nodeAt(nodes, index).path)).toEqual([
    null,
    'items',
    'items.0',
    'items.0.sku',
    'items.1',
    'items.1.sku',
  ])
  expect(matchingNodes(nodes, 'kb-8').size).toBe(1)
})

test('a hundred thousand levels do not overflow the stack', () => {
  const depth = 100_000
  const nodes = read(`${'['.repeat(depth)}1${']'.repeat(depth)}`)
  expect(visibleNodes(nodes, open)).toHaveLength(depth + 1)
  expect(nodeAt(nodes, depth).steps).toHaveLength(depth)
})
