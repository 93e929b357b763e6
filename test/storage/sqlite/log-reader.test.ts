import { afterEach, beforeEach, expect, test } from 'vitest'
import { LogReader, longestChunk } from '#main/storage/local/sqlite/log-reader.ts'
import { openForReading } from '#main/storage/local/sqlite/own-database.ts'
import type { OpenedEventLog } from '../event-log-contract.ts'
import { bodyOf, eventMaker } from '../event-log-events.ts'
import { openTemporary } from './open-temporary.ts'

let opened: OpenedEventLog & { readonly file: string }
beforeEach(async () => {
  opened = await openTemporary()
})
afterEach(() => opened.dispose())

test('a search reads large bodies a few at a time, and all of them in the end', async () => {
  const { log, file } = opened
  const make = eventMaker()
  const size = 400 * 1024
  const bodies = Array.from({ length: 8 }, (_, at) => bodyOf({ note: `body ${at}`, fill: 'x'.repeat(size) }))
  for (const bodyText of bodies) await log.append(make({ bodyText }))

  const database = openForReading(file)
  try {
    const reader = new LogReader(database)
    const scope = reader.scope('conn_a')
    const rows = scope && reader.candidates(scope, -1, Number.MAX_SAFE_INTEGER, 512)
    // The third body reaches the limit.
    expect(rows).toHaveLength(Math.ceil(longestChunk / size))
  } finally {
    database.close()
  }
  const found = await log.list('conn_a', { limit: 10, text: 'body 0' })
  expect(found.events.map(({ bodyText }) => bodyText)).toEqual(bodies.slice(0, 1))
})
