import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Config } from '#main/storage/config.ts'
import { diffConfig, goneConnectionIds, type RecordDiff } from '#main/storage/config-diff.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { exampleConnection, now, withBodyLimit, withConnections, withOneOfEach } from './config-fixtures.ts'

const empty = newConfig(now)
const withVariables = (entries: Iterable<readonly [string, string]>): Config => ({
  ...empty,
  environment: new Map(entries),
})

/** Applies a diff as its description says. */
function applied(previous: ReadonlyMap<string, string>, diff: readonly RecordDiff<string>[]) {
  const result = new Map(previous)
  for (const { id, after, at } of diff) if (after === undefined || at !== undefined) result.delete(id)
  for (const { id, after, at } of diff) {
    if (after === undefined) continue
    if (at === undefined || at >= result.size) result.set(id, after)
    else {
      const entries = [...result].toSpliced(at, 0, [id, after])
      result.clear()
      for (const [key, value] of entries) result.set(key, value)
    }
  }
  return result
}

test('a diff turns the previous records into the next ones, in their order', () => {
  const records = fc.uniqueArray(fc.tuple(fc.constantFrom(...'abcdefgh'), fc.constantFrom('1', '2')), {
    selector: ([id]) => id,
  })
  fc.assert(
    fc.property(records, records, (before, after) => {
      const [previous, next] = [withVariables(before), withVariables(after)]
      const { environment } = diffConfig(previous, next)
      expect([...applied(previous.environment, environment)]).toEqual(after)
      for (const { id, before, after } of environment) {
        expect(before).toBe(previous.environment.get(id))
        expect(after).toBe(next.environment.get(id))
      }
    }),
  )
})

test.for<[string, string, string, object[]]>([
  ['a record that is added at the end', 'ab', 'abc', [{ id: 'c', before: undefined, after: 'c' }]],
  ['a record that is added in between', 'ab', 'acb', [{ id: 'c', before: undefined, after: 'c', at: 1 }]],
  ['a record that moves to the end', 'abcd', 'bcda', [{ id: 'a', before: 'a', after: 'a', at: 3 }]],
  ['a removed record', 'abc', 'ac', [{ id: 'b', before: 'b', after: undefined }]],
  ['nothing in a copy', 'abc', 'abc', []],
])('names %s, and no other', ([, before, after, diff]) => {
  const [previous, next] = [before, after].map(ids => withVariables(Array.from(ids, id => [id, id])))
  expect(diffConfig(previous ?? empty, next ?? empty).environment).toEqual(diff)
})

test('names the part in which something changed', () => {
  const changedParts = (next: Config) =>
    Object.entries(diffConfig(empty, next)).flatMap(([name, part]) =>
      part === false || (Array.isArray(part) && part.length === 0) ? [] : [name],
    )
  expect(changedParts(empty)).toEqual([])
  expect(changedParts(withBodyLimit(empty, 2000))).toEqual(['settings'])
  expect(changedParts(withConnections(empty, exampleConnection('conn_1')))).toEqual(['connections'])
  expect(changedParts(withOneOfEach(empty))).toEqual([
    ...['listener', 'metricsToken', 'environment', 'connections', 'cases', 'workflows'],
    ...['clientTokens', 'agents', 'held'],
  ])
})

test('a connection is gone when it is neither there nor held', () => {
  const [one, two] = [exampleConnection('conn_1'), exampleConnection('conn_2')]
  const both = withConnections(empty, one, two)
  const held = { ...withConnections(empty, two), held: new Map([['conn_1', heldOf(one)]]) }
  const gone = (previous: Config, next: Config) => goneConnectionIds(next, diffConfig(previous, next))
  expect(gone(both, held)).toEqual([])
  expect(gone(held, both)).toEqual([])
  expect(gone(held, withConnections(empty, two))).toEqual(['conn_1'])
  expect(gone(both, empty)).toEqual(['conn_1', 'conn_2'])
})

const heldOf = (record: ReturnType<typeof exampleConnection>) => ({ record, deletedAt: now, place: 0 })
