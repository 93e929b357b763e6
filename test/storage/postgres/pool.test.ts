import { describe, expect, it, onTestFinished } from 'vitest'
import { type Connection, connectorTo } from '#main/storage/postgres/connect.ts'
import { Pool } from '#main/storage/postgres/pool.ts'
import { noPostgres } from '../../support/postgres.ts'
import { emptyDatabase } from './open-database.ts'

/** Locks a number until the transaction ends. Those who wait for it get it in turn, unlike those who wait for a row. */
const lock = 'SELECT pg_advisory_xact_lock($1)'

/** Returns a connection that answers when it is told to. */
function openConnection() {
  const answers: (() => void)[] = []
  const connection: Connection & { isBroken: boolean } = {
    isBroken: false,
    server: 1,
    query: () => new Promise<never[]>(resolve => answers.push(() => resolve([]))),
    onNotification: () => {},
    end() {
      connection.isBroken = true
    },
  }
  return { connection, answer: () => answers.shift()?.() }
}

it('serves who has waited longest, also if others come just then', async () => {
  const { connection, answer } = openConnection()
  const pool = new Pool(async () => connection, 1)
  const served: string[] = []
  const ask = (name: string) =>
    pool.use(async one => {
      served.push(name)
      await one.query('')
    })
  const first = ask('first')
  const second = ask('second')
  await expect.poll(() => served).toEqual(['first'])
  const third = first.then(() => ask('third'))
  answer()
  await expect.poll(() => served).toEqual(['first', 'second'])
  answer()
  await expect.poll(() => served).toEqual(['first', 'second', 'third'])
  answer()
  await Promise.all([second, third])
})

it('does not let those who wait try to connect one after another', async () => {
  const { connection, answer } = openConnection()
  const attempts: (() => void)[] = []
  let isFirst = true
  const pool = new Pool(() => {
    if (!isFirst) return new Promise((_, reject) => attempts.push(() => reject(new Error('away'))))
    isFirst = false
    return Promise.resolve(connection)
  }, 1)
  const first = pool.query('')
  const others = [1, 2, 3].map(() => pool.query('').catch(error => error.message))
  await expect.poll(() => answer).toBeDefined()
  connection.isBroken = true
  await Promise.resolve()
  answer()
  await first
  await expect.poll(() => attempts).toHaveLength(1)
  attempts.shift()?.()
  expect(await Promise.all(others)).toEqual(['away', 'away', 'away'])
  const later = pool.query('').catch(error => error.message)
  attempts.shift()?.()
  expect(await later).toBe('away')
})

describe.skipIf(noPostgres !== null)('on a server', () => {
  it('runs a statement once more whose table has changed since it was prepared', async () => {
    const pool = new Pool(connectorTo(await emptyDatabase()), 1)
    onTestFinished(() => pool.close())
    await pool.query('CREATE TABLE row AS SELECT 1 AS id')
    const all = { name: 'all', text: 'SELECT * FROM row' }
    expect(await pool.query(all)).toEqual([{ id: 1 }])
    await pool.query('ALTER TABLE row ADD COLUMN other int DEFAULT 2')
    expect(await pool.query(all)).toEqual([{ id: 1, other: 2 }])
    expect(await pool.query(all)).toEqual([{ id: 1, other: 2 }])
  })

  it('runs a statement once more that the server has ended in favour of others', async () => {
    const pool = new Pool(connectorTo(await emptyDatabase()), 4)
    onTestFinished(() => pool.close())
    const waiting = (count: number) =>
      expect
        .poll(() =>
          pool.query(
            "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
          ),
        )
        .toHaveLength(count)
    let [ended, other]: Promise<unknown>[] = []
    await pool.transaction(async gate => {
      await gate.query(lock, [3])
      const hasFirst = Promise.withResolvers<void>()
      other = pool.transaction(async connection => {
        // Only the statement looks for those who wait for each other, so that it is the one that ends.
        await connection.query("SET LOCAL deadlock_timeout = '1min'")
        await connection.query(lock, [1])
        hasFirst.resolve()
        await waiting(1)
        await connection.query(lock, [2])
      })
      await hasFirst.promise
      ended = pool.query(`${lock}, pg_advisory_xact_lock($2), pg_advisory_xact_lock($3)`, [2, 3, 1])
      await waiting(2)
    })
    await other
    expect(await ended).toHaveLength(1)
  })

  it('runs a statement and a transaction once more that the server could not put into an order', async () => {
    const pool = new Pool(connectorTo(await emptyDatabase()), 1)
    onTestFinished(() => pool.close())
    await pool.query(`CREATE SEQUENCE calls; CREATE FUNCTION fail_once() RETURNS bigint LANGUAGE plpgsql AS $$
      DECLARE call bigint := nextval('calls');
      BEGIN IF call % 2 = 1 THEN RAISE 'not in order' USING ERRCODE = '40001'; END IF; RETURN call; END $$`)
    expect(await pool.query('SELECT fail_once() AS call')).toEqual([{ call: 2 }])
    const call = pool.repeatable(connection => connection.query('SELECT fail_once() AS call'))
    expect(await call).toEqual([{ call: 4 }])
  })

  it('runs a transaction once more that the server has ended in favour of another one, if it may', async () => {
    const pool = new Pool(connectorTo(await emptyDatabase()), 3)
    onTestFinished(() => pool.close())
    let runs = 0
    const locked = new Map([1, 2].map(id => [id, Promise.withResolvers<void>()]))
    const lockBoth = (one: number, other: number) => async (connection: Connection) => {
      runs++
      await connection.query(lock, [one])
      locked.get(one)?.resolve()
      await locked.get(other)?.promise
      await connection.query(lock, [other])
      return runs
    }
    await Promise.all([pool.repeatable(lockBoth(1, 2)), pool.repeatable(lockBoth(2, 1))])
    expect(runs).toBe(3)
    const fails = async () => {
      runs++
      throw new Error('Not a deadlock.')
    }
    await expect(pool.repeatable(fails)).rejects.toThrow('Not a deadlock.')
    expect(runs).toBe(4)
  })
})
