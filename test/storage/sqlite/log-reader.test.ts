import { afterEach, beforeEach, expect, test } from 'vitest'
import { LogReader } from '#main/storage/local/sqlite/log-reader.ts'
import { openForReading } from '#main/storage/local/sqlite/own-database.ts'
import type { OpenedEventLog } from '../event-log-contract.ts'
import { bodyOf, eventMaker } from '../event-log-events.ts'
import { openTemporary } from './open-temporary.ts'

let opened: OpenedEventLog & { readonly file: string }
beforeEach(async () => {
  // On a busy machine, a page would end early.
  opened = await openTemporary()
})
afterEach(() => opened.dispose())

test('a search reads one body after the other, and all of them in the end', async () => {
  const { log, file } = opened
  const make = eventMaker()
  const size = 400 * 1024
  const bodies = Array.from({ length: 8 }, (_, at) => bodyOf({ note: `body ${at}`, fill: 'x'.repeat(size) }))
  for (const bodyText of bodies) await log.append(make({ bodyText }))

  const database = openForReading(file)
  try {
    const reader = new LogReader(database)
    const rows = reader.rowsOfAll(reader.scopes(null))
    const visited: unknown[] = []
    const visit = (row: object) => visited.push('body' in row && row.body) < 3
    expect(rows.visit(-1, Number.MAX_SAFE_INTEGER, true, visit)).toBe(false)
    expect(visited).toEqual(bodies.toReversed().slice(0, 3))
  } finally {
    database.close()
  }
  const found = await log.list('conn_a', { limit: 10, text: 'body 0' })
  expect(found.events.map(({ bodyText }) => bodyText)).toEqual(bodies.slice(0, 1))
})
