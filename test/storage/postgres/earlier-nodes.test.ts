import { describe, expect, it, onTestFinished } from 'vitest'
import { sessionRecords } from '#main/storage/postgres/sessions.ts'
import { createSessions } from '#main/storage/sessions.ts'
import { noPostgres } from '../../support/postgres.ts'
import { query } from '../../support/postgres-database.ts'
import { openTwo } from './open-database.ts'

/** The statements about sessions of a node of version 0.2.0. */
const ofEarlier = {
  add: `INSERT INTO session (digest, expires_at) VALUES ($1, $2)
    ON CONFLICT (digest) DO UPDATE SET expires_at = excluded.expires_at`,
  open: 'SELECT digest FROM session WHERE digest = ANY ($1::text[]) AND expires_at > $2',
  end: 'DELETE FROM session WHERE digest = $1',
  tell: "SELECT pg_notify('custom_connection', $1)",
}

describe.skipIf(noPostgres !== null)('beside a node of version 0.2.0', () => {
  it('sessions begin and end on both, and each is told of the other’s ends', async () => {
    const { url, nodes, close } = await openTwo()
    onTestFinished(close)
    const [{ pool, signals, onError }, other] = nodes
    const sessions = createSessions(sessionRecords(pool), signals, Date.now, onError)
    onTestFinished(sessions.close)
    const told: string[] = []
    other.signals.on('sessions', digest => told.push(digest))
    const [theirs, ours] = ['1'.repeat(64), '2'.repeat(64)]

    await query(url, ofEarlier.add, [theirs, Date.now() + 600_000])
    await sessions.add(ours, 600_000)
    expect(await query(url, ofEarlier.open, [[theirs, ours], Date.now()])).toHaveLength(2)
    expect([await sessions.isOpen(theirs), await sessions.isOpen(ours)]).toEqual([true, true])

    const over: string[] = []
    for (const digest of [theirs, ours]) sessions.onOver(digest, () => over.push(digest))
    await query(url, ofEarlier.end, [theirs])
    await query(url, ofEarlier.tell, [JSON.stringify(['sessions', theirs])])
    await expect.poll(() => over).toEqual([theirs])
    await sessions.end(ours)
    await expect.poll(() => told).toEqual([theirs, ours])
    expect(await query(url, ofEarlier.open, [[theirs, ours], Date.now()])).toEqual([])
  })
})
