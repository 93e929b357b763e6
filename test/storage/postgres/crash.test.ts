import { describe, expect, it, onTestFinished } from 'vitest'
import { connectorTo } from '#main/storage/postgres/connect.ts'
import { openConversations } from '#main/storage/postgres/conversations.ts'
import { createHeldCalls } from '#main/storage/postgres/held-calls.ts'
import { migrate } from '#main/storage/postgres/migrate.ts'
import { Pool } from '#main/storage/postgres/pool.ts'
import { sessionRecords } from '#main/storage/postgres/sessions.ts'
import { createSessions } from '#main/storage/sessions.ts'
import { createCluster, noPostgres } from '../../support/postgres.ts'
import { query } from '../../support/postgres-database.ts'
import { sealer } from '../config-fixtures.ts'
import { openNode } from './open-database.ts'

describe.skipIf(noPostgres !== null)('a crash of the database', () => {
  it('keeps all but uploads, texts that are taken once, what nodes show, and who follows the activity', async () => {
    const cluster = createCluster()
    onTestFinished(() => cluster.remove())
    let server = await cluster.start()
    onTestFinished(() => server.stop('SIGQUIT'))
    const migrating = new Pool(connectorTo(server.url()), 1)
    await migrate(migrating)
    migrating.close()
    const { pool, signals, onError, close } = await openNode(server.url())
    onTestFinished(close)
    const conversations = await openConversations(pool, signals, Date.now, onError)
    const held = createHeldCalls(pool, signals, Date.now, sealer, onError)
    const sessions = createSessions(sessionRecords(pool), signals, Date.now, onError)
    onTestFinished(() => {
      for (const store of [conversations, held, sessions]) store.close()
    })
    const bounds = { mostPerWorkspace: 10, mostBytes: 1000, oldest: 0 }
    const conversation = { number: 1, workspaceId: 'default', updated: 1, head: '{}', text: '', bytes: 10 }
    await conversations.create(conversation, bounds)
    await conversations.own(1, 'a', 600_000)
    await held.hold({ id: 'one', kind: 'mcp', doc: '{}', size: 1, expiresAt: null }, null)
    await sessions.add('digest', 600_000)
    const { port } = server
    await server.stop('SIGQUIT')
    server = await cluster.start({}, port)
    await expect.poll(() => sessions.isOpen('digest').catch(() => null)).toBe(true)
    expect((await conversations.get(1))?.conversation.owners).toEqual(['a'])
    expect(await held.list('mcp')).toHaveLength(1)
    const unlogged =
      "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relpersistence = 'u' ORDER BY 1"
    const tables = ['activity_follower', 'board', 'once', 'upload', 'upload_piece']
    expect(await query(server.url(), unlogged)).toEqual(tables.map(name => ({ name })))
  })
})
