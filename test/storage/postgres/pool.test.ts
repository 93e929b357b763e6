import { expect, it } from 'vitest'
import type { Connection } from '#main/storage/postgres/connect.ts'
import { Pool } from '#main/storage/postgres/pool.ts'

/** Returns a connection that answers when it is told to. */
function openConnection() {
  const answers: (() => void)[] = []
  const connection: Connection & { isBroken: boolean } = {
    isBroken: false,
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
