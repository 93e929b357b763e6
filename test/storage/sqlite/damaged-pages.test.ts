import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import type { EventLogQuery, LoggedEvent } from '#main/storage/event-log.ts'
import { openSqliteEventLog } from '#main/storage/local/sqlite/sqlite-event-log.ts'
import { newFolder } from '../config-fixtures.ts'
import { bodyOf, countOf, eventMaker } from '../event-log-events.ts'
import { openTemporary } from './open-temporary.ts'

const pageSize = 4096
const tableLeaf = 0x0d
const indexLeaf = 0x0a
/** Where a page's header has the number of its cells. */
const cellCountOffset = 3
type Pages = { readonly bytes: Buffer; of(kind: number): number[] }

/** Returns a database file with some of its pages changed, given those of its leaves that belong to events. */
function change(file: Buffer, act: (pages: Pages) => void): Buffer {
  const bytes = Buffer.from(file)
  const of = (kind: number) =>
    Array.from({ length: bytes.length / pageSize }, (_, page) => page * pageSize).filter(
      at =>
        at > 0 &&
        bytes[at] === kind &&
        // Other indexes have a few entries or none.
        (kind === indexLeaf
          ? bytes.readUInt16BE(at + cellCountOffset) > 50
          : bytes.subarray(at, at + pageSize).includes('needle')),
    )
  act({ bytes, of })
  return bytes
}

function swap(bytes: Buffer, one: number, other: number): void {
  const kept = Buffer.from(bytes.subarray(one, one + pageSize))
  bytes.copyWithin(one, other, other + pageSize)
  kept.copy(bytes, other)
}

const third = (of: readonly number[]) => of[Math.floor(of.length / 3)] ?? 0
const twoThirds = (of: readonly number[]) => of[Math.floor((of.length * 2) / 3)] ?? 0

const swapLeaves = (kind: number) => (pages: Pages) =>
  swap(pages.bytes, third(pages.of(kind)), twoThirds(pages.of(kind)))

const make = eventMaker()
const events = Array.from({ length: 2400 }, (_, n) =>
  make({
    connectionId: n % 3 === 0 ? 'conn_b' : 'conn_a',
    eventName: n % 5 === 0 ? 'order.paid' : 'order.created',
    bodyText: bodyOf({ n, note: 'needle' }),
  }),
)
/** The log of these events, written once for all tests. */
let intact: Buffer
beforeAll(async () => {
  const { log, file, dispose } = await openTemporary()
  await Promise.all(events.map(event => log.append(event)))
  await log.close()
  intact = await readFile(file)
  await dispose()
})

it.each([
  ['two pages of events swapped', true, swapLeaves(tableLeaf)],
  [
    'the first and the newest page of events swapped',
    true,
    ({ bytes, of }: Pages) => swap(bytes, of(tableLeaf)[0] ?? 0, of(tableLeaf).at(-1) ?? 0),
  ],
  [
    'a page of events zeroed',
    true,
    ({ bytes, of }: Pages) => void bytes.fill(0, third(of(tableLeaf)), third(of(tableLeaf)) + pageSize),
  ],
  ['two pages of the index swapped', false, swapLeaves(indexLeaf)],
])('lists readable events and accepts new ones with %s', async (_, isCounted, damage) => {
  const errors: string[] = []
  const file = join(await newFolder(), 'events.sqlite')
  await writeFile(file, change(intact, damage))
  const onNotice = (notice: string) => void errors.push(notice)
  // As if the damage came while the log is open.
  const log = await openSqliteEventLog({ file, clockSettleMs: 0, checkUpTo: 0, onNotice })
  onTestFinished(() => log.close())

  const byId = new Map(events.map(event => [event.eventId, event]))
  async function all(query: Partial<EventLogQuery>) {
    const found: LoggedEvent[] = []
    let damaged = 0
    for (let before: string | null = null; ; ) {
      const page = await log.list('conn_a', { limit: 200, ...query, ...(before !== null && { before }) })
      found.push(...page.events)
      damaged += page.damaged ?? 0
      before = page.nextBefore
      if (before === null) break
    }
    expect(found).toEqual(found.map(({ eventId }) => byId.get(eventId)))
    const ids = found.map(({ eventId }) => eventId)
    expect(ids).toEqual([...new Set(ids)].sort().reverse())
    expect(new Set(found.map(({ connectionId }) => connectionId))).toEqual(new Set(['conn_a']))
    return { ids: new Set(ids), damaged }
  }
  const mine = events.filter(({ connectionId }) => connectionId === 'conn_a')
  const listed = await all({})
  const searched = await all({ text: 'needle' })
  const named = await all({ eventName: 'order.paid' })
  await all({ eventName: 'order.paid', text: '"n":1' })
  const fewest = mine.length / 2
  expect(Math.min(listed.ids.size, searched.ids.size, named.ids.size * 5)).toBeGreaterThan(fewest)
  if (isCounted) {
    expect(listed.damaged).toBeGreaterThan(0)
    expect(listed.ids.size + listed.damaged).toBe(mine.length)
    expect(searched.ids).toEqual(listed.ids)
    const missing = mine.filter(({ eventId }) => !listed.ids.has(eventId))
    for (const { eventId } of missing)
      await expect(log.get('conn_a', eventId)).rejects.toMatchObject({ code: 'damaged_event' })
    expect(await countOf(log, 'conn_a')).toBe(mine.length)
    expect(errors).toEqual([expect.stringContaining('is damaged')])
  }
  const added = make({ bodyText: bodyOf({ note: 'needle' }) })
  const isStored = await log.append(added).then(
    () => true,
    error => {
      expect(error).toMatchObject({ code: 'unavailable' })
      return false
    },
  )
  if (isStored) {
    byId.set(added.eventId, added)
    expect(await log.get('conn_a', added.eventId)).toEqual(added)
  }
  expect(errors.length).toBeLessThanOrEqual(1)
})
