import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { keepStatistics, readSavedStatistics } from '#main/history/statistics/statistics-file.ts'
import { createBus } from '#main/lib/bus.ts'
import { jsonFile } from '#main/storage/document.ts'

let file: string
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cc-statistics-'))
  file = join(folder, 'statistics.json')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(async () => {
    vi.useRealTimers()
    await rm(folder, { recursive: true })
  })
})

/** Keeps a number in the place of statistics, and tells how often it was asked for it. */
function keepCounter() {
  const problems: string[] = []
  const changes = createBus<string>(error => problems.push(String(error)))
  const counter = { value: 0, saves: 0 }
  const stop = keepStatistics(
    jsonFile(file),
    {
      changes,
      save() {
        counter.saves++
        return { version: 1, since: counter.value, connections: [] }
      },
    },
    problem => problems.push(problem),
  )
  return {
    counter,
    problems,
    stop,
    change() {
      counter.value++
      changes.publish('conn_1')
    },
  }
}

const minute = 60_000

test('is written when something has changed, at most once a minute, and at the end', async () => {
  const { counter, change, stop, problems } = keepCounter()
  await vi.advanceTimersByTimeAsync(10 * minute)
  expect(counter.saves).toBe(0)
  change()
  await expect.poll(() => counter.saves).toBe(1)
  for (let time = 0; time < 50; time++) {
    change()
    await vi.advanceTimersByTimeAsync(minute / 50 - 1)
  }
  expect(counter.saves).toBe(1)
  await vi.advanceTimersByTimeAsync(minute)
  await expect.poll(() => counter.saves).toBe(2)
  await vi.advanceTimersByTimeAsync(10 * minute)
  change()
  change()
  await stop()
  expect(counter.saves).toBe(3)
  expect(await readSavedStatistics(jsonFile(file), problem => problems.push(problem))).toMatchObject({
    since: 53,
  })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(problems).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
})

test('is not written again at the end when nothing has changed', async () => {
  const { counter, change, stop } = keepCounter()
  change()
  await stop()
  expect(counter.saves).toBe(1)
  const unchanged = keepCounter()
  await unchanged.stop()
  expect(unchanged.counter.saves).toBe(0)
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ since: 1 })
})

test('reports a failed write, and tries again with the next change and at the end', async () => {
  file = join(file, 'in no folder')
  const { counter, change, stop, problems } = keepCounter()
  change()
  await vi.advanceTimersByTimeAsync(0)
  change()
  await vi.advanceTimersByTimeAsync(minute)
  await stop()
  expect(counter.saves).toBe(3)
  expect(problems).toHaveLength(3)
  expect(problems[0]).toContain('could not be written')
})

test('is silent about a missing file', async () => {
  const problems: string[] = []
  expect(await readSavedStatistics(jsonFile(file), problem => problems.push(problem))).toBeNull()
  expect(problems).toEqual([])
})
