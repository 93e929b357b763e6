import { describe, expect, it, onTestFinished } from 'vitest'
import { createPresence } from '#main/storage/postgres/presence.ts'
import { noPostgres } from '../../support/postgres.ts'
import { query } from '../../support/postgres-database.ts'
import { openTwo } from './open-database.ts'

describe.skipIf(noPostgres !== null)('what nodes show in PostgreSQL', () => {
  it('is hidden when the node has stopped, or has said nothing for a while, and written again when it is lost', async () => {
    const { url, nodes, close } = await openTwo()
    onTestFinished(close)
    const [a, b, c] = [nodes[0], nodes[0], nodes[1]].map(({ pool, signals, onError }) =>
      createPresence(pool, signals, Date.now, onError),
    )
    if (!a || !b || !c) throw new Error('Three were made.')
    onTestFinished(async () => {
      for (const presence of [a, b, c]) await presence.close()
    })
    let texts: readonly string[] = []
    c.follow('c', 'things', shown => {
      texts = shown.toSorted()
    })
    a.show('a', 'things', () => 'of a')
    b.show('b', 'things', () => 'of b')
    await expect.poll(() => texts).toEqual(['of a', 'of b'])
    await b.close()
    await expect.poll(() => texts).toEqual(['of a'])
    await query(url, 'TRUNCATE board')
    await expect.poll(() => query(url, 'SELECT node FROM board')).toEqual([{ node: 'a' }])
    await query(
      url,
      `INSERT INTO board (topic, node, doc, at) VALUES ('things', 'dead', '', ${Date.now() - 15_001})`,
    )
    const other = createPresence(nodes[1].pool, nodes[1].signals, Date.now, nodes[1].onError)
    onTestFinished(() => other.close())
    let first: readonly string[] = []
    other.follow('d', 'things', shown => {
      first = shown
    })
    await expect.poll(() => first).toEqual(['of a'])
  })
})
