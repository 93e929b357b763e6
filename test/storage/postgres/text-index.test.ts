import { describe, expect, it, onTestFinished } from 'vitest'
import type { LoggedEvent } from '#main/storage/event-log.ts'
import { lookUp } from '#main/storage/postgres/text-index.ts'
import { noPostgres } from '../../support/postgres.ts'
import { bodyOf, type EventParts, eventMaker } from '../event-log-events.ts'
import { openTemporary } from './open-events.ts'

/** A log, and how its events are indexed. */
async function open() {
  const opened = await openTemporary()
  onTestFinished(opened.dispose)
  const { log, pool } = opened
  let now = 1_000_000
  const make = eventMaker(() => now)
  return {
    ...opened,
    setNow(ms: number) {
      now = ms
    },
    async append(parts: EventParts = {}): Promise<LoggedEvent> {
      const event = make(parts)
      await log.append(event)
      return event
    },
    async index() {
      while (!(await log.textIndex.step(0)));
    },
    texts: async () => (await pool.query('SELECT text FROM event_text ORDER BY seq')).map(({ text }) => text),
    find: async (text: string) => (await log.list('conn_a', { text, limit: 10 })).events,
  }
}

describe.skipIf(noPostgres !== null)('the index of texts in PostgreSQL', () => {
  it('has the events that no node can precede any more, and searches find the others too', async () => {
    const { append, index, texts, find, setNow } = await open()
    const old = await append({ bodyText: bodyOf({ name: 'Größe' }) })
    for (let count = 0; count < 150; count++) await append()
    setNow(Date.now())
    const young = await append({ bodyText: bodyOf({ name: 'GRÖSSE größe' }) })
    await index()
    expect(await texts()).toHaveLength(151)
    expect((await texts())[0]).toContain('größe')
    expect(await find('GRÖßE')).toEqual([young, old])
    const later = await append({ bodyText: bodyOf({ name: 'größer' }) })
    expect(await find('größe')).toEqual([later, young, old])
  })

  it('keeps nothing of events that were deleted', async () => {
    const { append, index, texts, log } = await open()
    const first = await append()
    await append()
    await append({ connectionId: 'conn_b', bodyText: bodyOf({ b: 1 }) })
    await index()
    expect(await texts()).toHaveLength(3)
    await log.remove('conn_a', first.eventId)
    expect(await texts()).toHaveLength(2)
    await log.clear('conn_a')
    await expect.poll(texts).toEqual([bodyOf({ b: 1 })])
  })

  it('is not created for few events', async () => {
    const { append, texts, log } = await open()
    await append()
    expect(await log.textIndex.step()).toBe(true)
    expect(await texts()).toEqual([])
  })

  it('gives up a look-up that takes too long', async () => {
    const { pool } = await open()
    expect(await lookUp(pool, { name: 'sleep', text: 'SELECT pg_sleep($1)' }, [10])).toBeNull()
    expect(await lookUp(pool, { name: 'one', text: 'SELECT $1::int AS one' }, [1])).toEqual([{ one: 1 }])
  })

  it('is left out where the server does not let it be created', async () => {
    const { append, log, pool, find } = await open()
    const event = await append()
    await pool.query(
      'CREATE ROLE limited; GRANT ALL ON SCHEMA public TO limited; GRANT ALL ON ALL TABLES IN SCHEMA public TO limited',
    )
    await pool.query('SET ROLE limited')
    onTestFinished(async () => {
      await pool.query('RESET ROLE; DROP OWNED BY limited; DROP ROLE limited')
    })
    await expect(log.textIndex.step(0)).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect(await find('order')).toEqual([event])
  })
})
