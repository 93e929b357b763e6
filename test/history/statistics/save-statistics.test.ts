import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { saveStatistics } from '#main/history/statistics/save-statistics.ts'
import { createBus } from '#main/lib/bus.ts'

const minute = 60_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
})

/** Saves to a store that notes which connections it was given. */
function startSaving({ fails = false } = {}) {
  const problems: string[] = []
  const changes = createBus<string>(error => problems.push(String(error)))
  const saves: string[][] = []
  const store = {
    restAfter: () => minute,
    async save(_node: string, _counts: unknown, changed: ReadonlySet<string>) {
      saves.push([...changed])
      if (fails) throw new Error('The disk is full')
    },
  }
  const counts = { changes, since: () => 0, connectionIds: () => [], countsOf: () => null }
  const stop = saveStatistics(store, 'a', counts, problem => problems.push(problem))
  return { saves, problems, stop, change: changes.publish }
}

test('saves what has changed, as often as the store allows, and at the end', async () => {
  const { saves, change, stop, problems } = startSaving()
  await vi.advanceTimersByTimeAsync(10 * minute)
  expect(saves).toEqual([])
  change('conn_1')
  await expect.poll(() => saves).toEqual([['conn_1']])
  for (let time = 0; time < 50; time++) {
    change('conn_2')
    change('conn_3')
    await vi.advanceTimersByTimeAsync(minute / 50 - 1)
  }
  expect(saves).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(minute)
  await expect.poll(() => saves.slice(1)).toEqual([['conn_2', 'conn_3']])
  await vi.advanceTimersByTimeAsync(10 * minute)
  change('conn_1')
  change('conn_1')
  await stop()
  expect(saves.slice(2)).toEqual([['conn_1']])
  expect(problems).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
})

test('saves nothing at the end when nothing has changed', async () => {
  const { saves, change, stop } = startSaving()
  change('conn_1')
  await stop()
  expect(saves).toHaveLength(1)
  const unchanged = startSaving()
  await unchanged.stop()
  expect(unchanged.saves).toEqual([])
})

test('reports failures once, and tries again with the next change and at the end', async () => {
  const { saves, change, stop, problems } = startSaving({ fails: true })
  change('conn_1')
  await vi.advanceTimersByTimeAsync(0)
  change('conn_2')
  await vi.advanceTimersByTimeAsync(minute)
  await stop()
  expect(saves.map(ids => ids.toSorted())).toEqual([['conn_1'], ['conn_1', 'conn_2'], ['conn_1', 'conn_2']])
  expect(problems).toEqual(['The statistics cannot be saved: The disk is full'])
})
