import { expect, onTestFinished, test } from 'vitest'
import { createHourlyCounts } from '#main/history/statistics/hour-counts.ts'
import type { HourCountStore } from '#main/storage/hour-count-store.ts'
import { hourMs } from '#shared/durations.ts'
import { startInbound } from '../../support/inbound-fixture.ts'

const everything = { from: 0, until: Number.MAX_SAFE_INTEGER }

test('counts that cannot be saved are kept for a day, and saved when they can be', async () => {
  const { store, clock, connection } = await startInbound()
  const { connectionId } = connection
  const problems: string[] = []
  const saved: number[] = []
  let isFull = true
  let tidy = async (): Promise<unknown> => undefined
  const counts: HourCountStore = {
    async save(_node, rows) {
      if (isFull) throw new Error('no room')
      for (const { of, hour } of rows) if (of === connectionId) saved.push(hour)
    },
    read: async () => [],
    readPairs: async () => new Map(),
    summedDays: async () => ({ from: 0, until: 0 }),
    first: async () => null,
    merge: async () => false,
    prune: async () => false,
    forget: async () => {},
    keepOnly: async () => {},
  }
  const hourly = createHourlyCounts({
    ...{ store, counts, node: 'a', clock: () => clock.now, restAfter: () => hourMs },
    housekeeping: {
      every(_step, run) {
        tidy = run
        return async () => {}
      },
    },
    onProblem: problem => problems.push(problem),
    onError(error) {
      throw error
    },
  })
  onTestFinished(() => hourly.stop())
  const began = Math.floor(clock.now / hourMs)
  for (let hour = 0; hour < 30; hour++) {
    hourly.add({
      kind: 'event.unavailable',
      id: 'una_1',
      at: clock.now,
      connectionId,
      error: new Error('full'),
    })
    await tidy()
    clock.now += hourMs
  }
  await tidy()
  const kept = Array.from({ length: 24 }, (_, index) => began + 6 + index)
  expect([...(await hourly.read(connectionId, everything)).keys()]).toEqual(kept)
  isFull = false
  await tidy()
  expect(saved).toEqual(kept)
  expect(problems).toEqual(['The counts of the hour cannot be saved: no room'])
})
