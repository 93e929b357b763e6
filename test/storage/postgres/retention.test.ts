import { describe, expect, it, onTestFinished } from 'vitest'
import { eventIdOf } from '#main/lib/sequence.ts'
import { connectorTo } from '#main/storage/postgres/connect.ts'
import { exportRows } from '#main/storage/postgres/export-rows.ts'
import { dayMs } from '#shared/durations.ts'
import { noPostgres } from '../../support/postgres.ts'
import { openTemporary } from './open-events.ts'

const now = Date.UTC(2026, 0, 40)
const forever = { maxEvents: 1_000_000, maxDays: 3650 }

describe.skipIf(noPostgres !== null)('retention of events', () => {
  /** Opens a log with so many events of conn_a, the last of them now, so many milliseconds apart. */
  async function open(events: number, apartMs: number) {
    const opened = await openTemporary({ clock: () => now })
    onTestFinished(opened.dispose)
    const { log, pool } = opened
    const append = (seq: number, receivedAt: number, to = log) =>
      to.append({
        ...{ eventId: eventIdOf(seq), connectionId: 'conn_a', eventName: 'order.created', bodyText: '{}' },
        ...{ headerLines: '', receivedAt, repeat: false, replayOf: null },
      })
    await append(1000, now - (events - 1) * apartMs)
    await pool.query(
      `INSERT INTO event (seq, connection, name, received_at, flags, headers, body)
        SELECT 1000 * n, (SELECT id FROM connection), 'order.created', $1::bigint - ($2::int - n) * $3::bigint, 0, '', '{}'
        FROM generate_series(2, $2) AS n`,
      [now, events, apartMs],
    )
    const shown = async () =>
      Number(await log.countBetween({ connectionIds: null, above: -1, below: Number.MAX_SAFE_INTEGER }))
    const stored = async () => Number((await pool.query('SELECT count(*) AS events FROM event'))[0]?.events)
    return { ...opened, append, shown, stored }
  }

  it('hides what is beyond a bound before it deletes that in steps', async () => {
    const { log, pool, shown, stored } = await open(5000, 1000)
    await pool.transaction(async connection => {
      await connection.query('SELECT FROM event WHERE seq = 1000 FOR UPDATE')
      log.setRetention('conn_a', { ...forever, maxEvents: 100 })
      await expect.poll(shown).toBe(100)
      expect(await stored()).toBe(5000)
    })
    await expect.poll(stored).toBe(100)
    const { events } = await log.list('conn_a', { limit: 200 })
    expect(events.at(-1)?.eventId).toBe(eventIdOf(4901 * 1000))
  })

  it('deletes more old events than one step takes', async () => {
    const { log, stored } = await open(5000, dayMs / 100)
    log.setRetention('conn_a', { ...forever, maxDays: 2 })
    await expect.poll(stored).toBe(201)
  })

  it('shows an event that another node stores late, below those that are kept', async () => {
    const { log, pool, shown, stored } = await open(3, dayMs)
    log.setRetention('conn_a', { ...forever, maxDays: 1 })
    await expect.poll(stored).toBe(2)
    await pool.query('UPDATE event SET seq = 1500 WHERE seq = 3000')
    expect(await shown()).toBe(2)
  })

  it('does not accept the numbers of deleted events again', async () => {
    const { url, log, append, reopen, stored } = await open(2000, 1000)
    await log.clear('conn_a')
    await expect.poll(stored).toBe(0)
    for await (const rows of exportRows(connectorTo(url)))
      expect(rows.log?.[0]?.newestSeq ?? 2000 * 1000).toBe(2000 * 1000)
    const reopened = await reopen()
    await expect(append(2000 * 1000, now, reopened)).rejects.toThrow(RangeError)
  })
})
