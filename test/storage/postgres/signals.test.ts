import { describe, expect, it, onTestFinished } from 'vitest'
import { noPostgres } from '../../support/postgres.ts'
import { query } from '../../support/postgres-database.ts'
import { openTwo } from './open-database.ts'

describe.skipIf(noPostgres !== null)('signals in a database', () => {
  it('go on after what another program has sent on their channel', async () => {
    const { url, nodes, close } = await openTwo()
    onTestFinished(close)
    const [a, b] = nodes
    const heard: string[] = []
    b.signals.on('a', text => heard.push(text))
    for (const text of ['{', '', '1', 'null', '[]', '["a"]', '[{"toString":1},"b"]', '["a",{"toString":1}]'])
      await query(url, 'SELECT pg_notify($1, $2)', ['custom_connection', text])
    a.signals.send('a', 'one')
    await expect.poll(() => heard).toEqual(['one'])
    expect(b.errors).toEqual([])
  })
})
