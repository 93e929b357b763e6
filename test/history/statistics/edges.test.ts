import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createEdges } from '#main/history/statistics/edges.ts'
import { dayHours } from '#main/storage/hour-count-store.ts'
import { emptyHour, storedHour } from '#main/storage/hour-counts.ts'
import { openSqliteHistory } from '#main/storage/local/sqlite/sqlite-history.ts'
import { newFolder } from '../../storage/config-fixtures.ts'

const first = 490_000
const hours = 5 * dayHours

test('edges of any range are those of its hours, whether they are read by days or not', async () => {
  const storage = await openSqliteHistory({
    ...{ file: join(await newFolder(), 'history.sqlite'), bounds: {}, clock: Date.now },
    onProblem(error) {
      throw error
    },
    onNotice(notice) {
      throw new Error(notice)
    },
  })
  onTestFinished(() => storage.close())
  const { hourCounts: counts } = storage
  let readsDays = false
  const edgesUpTo = (until: number) =>
    createEdges({
      counts: {
        summedDays: () => counts.summedDays(),
        readPairs(ids, parts, except) {
          readsDays ||= parts.some(({ byDay }) => byDay)
          return counts.readPairs(ids, parts, except)
        },
      },
      hourlyCounts: { firstHeld: async () => until, heldPairs: () => [] },
      node: 'a',
    })
  for (let hour = 0; hour < hours; hour++) {
    const doc = storedHour({ ...emptyHour(), started: { ' a': [hour + 1, 0] } })
    await counts.save('a', [
      { of: '', hour: first + hour, doc: '{}' },
      { of: 'conn_1', hour: first + hour, doc },
    ])
    if (hour % 5 === 0) while (await counts.merge(first + hour - 1));
  }
  for (let from = 0; from < hours; from += 7)
    for (let until = from + 1; until <= hours; until += 11) {
      const range = { from: first + from, until: first + until }
      const { events } = await edgesUpTo(range.until).read(['conn_1'], range)
      const sum = ((from + 1 + until) * (until - from)) / 2
      expect([from, until, events[0]?.events]).toEqual([from, until, sum])
    }
  expect(readsDays).toBe(true)
})
