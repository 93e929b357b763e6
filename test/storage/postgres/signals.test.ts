import { connect, createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listenOn } from '#main/lib/listen-on.ts'
import { connectorTo } from '#main/storage/postgres/connect.ts'
import { Pool } from '#main/storage/postgres/pool.ts'
import { openSignals } from '#main/storage/postgres/signals.ts'
import { noPostgres } from '../../support/postgres.ts'
import { newDatabase, query } from '../../support/postgres-database.ts'
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
  it('are refused where notifications are lost, as by a pooler in transaction mode', async () => {
    const url = await newDatabase()
    const deaf = await withoutListen(url)
    const pool = new Pool(connectorTo(url), 1)
    onTestFinished(() => pool.close())
    await expect(openSignals(connectorTo(deaf), pool, () => {})).rejects.toMatchObject({
      code: 'unsupported_database',
      message: expect.stringContaining('session mode'),
    })
    await expect
      .poll(() => query(url, `SELECT FROM pg_stat_activity WHERE query LIKE 'LISTEN %'`))
      .toEqual([])
  })
})

/** Returns the URL of a database on which LISTEN has no effect for its own connection. */
async function withoutListen(url: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const server = createServer(incoming => {
    const outgoing = connect(Number(port), hostname)
    outgoing.pipe(incoming)
    incoming.on('data', data =>
      outgoing.write(data.toString('latin1').replace('LISTEN custom_', 'LISTEN kustom_'), 'latin1'),
    )
    for (const socket of [incoming, outgoing]) {
      socket.on('error', () => {})
      socket.on('close', () => (socket === incoming ? outgoing : incoming).destroy())
    }
  })
  const { port: own } = await listenOn(server, '127.0.0.1', 0)
  onTestFinished(() => void server.close())
  return Object.assign(new URL(url), { port: own }).href
}
