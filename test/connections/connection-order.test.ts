import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listConnections } from '#main/connections/connection-order.ts'
import type { Config } from '#main/storage/config.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { exampleConnection, now, withConnections } from '../storage/config-fixtures.ts'

const configOf = (ids: Iterable<string>) =>
  withConnections(newConfig(now), ...Array.from(ids, id => exampleConnection(id)))
const idsOf = (config: Config, limit?: number, after?: string) =>
  listConnections(config, undefined, { limit, after }).map(({ connectionId }) => connectionId)

describe('the pages of the connections', () => {
  test('have each connection once that is there from the first to the last, whatever comes and goes', () => {
    const change = fc.record({ remove: fc.nat(), add: fc.boolean(), restore: fc.boolean() })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(change, { maxLength: 20 }), (limit, changes) => {
        const created = Array.from({ length: 12 }, (_, index) => `conn_${index}`)
        let present = [...created]
        const removed: { readonly id: string; readonly place: number }[] = []
        const stayed = new Set(present)
        const read: string[] = []
        const pending = [...changes]
        for (let page = idsOf(configOf(present), limit); page.length > 0; ) {
          read.push(...page)
          const { remove, add, restore } = pending.shift() ?? { remove: -1, add: false, restore: false }
          const back = restore ? removed.pop() : undefined
          if (back !== undefined) present.splice(back.place, 0, back.id)
          // The one at the end of the page is removed as often as another.
          const gone = remove % 2 === 0 ? page.at(-1) : present[remove % present.length]
          if (remove >= 0 && gone !== undefined && present.includes(gone)) {
            removed.push({ id: gone, place: present.indexOf(gone) })
            present = present.filter(id => id !== gone)
            stayed.delete(gone)
          }
          if (add) present = [...present, `conn_${created.push('') - 1}`]
          page = idsOf(configOf(present), limit, page.at(-1))
        }
        expect(read.filter(id => stayed.has(id))).toEqual([...stayed])
      }),
      { numRuns: 300 },
    )
  })

  test('are those of one workspace, and end with a shorter one', () => {
    const config = withConnections(
      newConfig(now),
      ...['a', 'b', 'c', 'd'].map(id =>
        exampleConnection(id, { workspaceId: id === 'b' ? 'ws_1' : 'default' }),
      ),
    )
    const page = (after?: string) =>
      listConnections(config, 'default', { limit: 2, after }).map(({ connectionId }) => connectionId)
    expect(page()).toEqual(['a', 'c'])
    expect(page('c')).toEqual(['d'])
    expect(page('d')).toEqual([])
    // Its place is known, although it is in another workspace.
    expect(page('b')).toEqual(['c', 'd'])
    expect(() => page('conn_never')).toThrow(expect.objectContaining({ code: 'invalid_input' }))
  })
})
