import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Background } from '#main/storage/local/sqlite/background.ts'
import { shared } from '#main/storage/local/sqlite/protocol.ts'

let folder: string
let background: Background
let counters: Int32Array
let steps: number

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'background-'))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  counters = new Int32Array(shared.length)
  steps = 0
  const indexer = { step: () => ++steps < 0 }
  background = new Background(join(folder, 'events.sqlite'), counters, indexer, error =>
    expect.fail(String(error)),
  )
})

afterEach(async () => {
  background.stop()
  vi.useRealTimers()
  await rm(folder, { recursive: true })
})

/** Lets `ms` pass, in which `rows` are written every 10 ms, each with a text of this length. */
function pass(ms: number, rows: number, text = 100): void {
  for (let passed = 0; passed < ms; passed += 10) {
    Atomics.add(counters, shared.rowsWritten, rows)
    Atomics.add(counters, shared.textWritten, rows * text)
    vi.advanceTimersByTime(10)
  }
}

it('indexes while events arrive at a moderate rate', () => {
  pass(1000, 10)
  const before = steps
  pass(1000, 10)
  expect(steps).toBeGreaterThan(before + 20)
})

/** Expects the pace of indexing under load, a step every five seconds, while `act` lets time pass. */
function expectSlow(seconds: number, act: () => void): void {
  const before = steps
  act()
  expect(steps - before).toBeLessThanOrEqual(Math.ceil(seconds / 5))
  expect(steps - before).toBeGreaterThanOrEqual(Math.floor(seconds / 5))
}

it.each([
  ['many rows', 100, 100],
  ['long rows', 10, 20_000],
])('indexes one step every five seconds under a load of %s, until the load has ended', (_, rows, text) => {
  pass(1000, rows, text)
  expectSlow(20, () => pass(20_000, rows, text))
  const before = steps
  pass(1000, 0)
  expect(steps).toBeGreaterThan(before + 1)
})

it('slows down indexing as soon as a load begins', () => {
  pass(1000, 0)
  pass(100, 200)
  expectSlow(1, () => pass(400, 200))
})

it('takes no commit that waits for the disk for the end of a load', () => {
  pass(1000, 100)
  expectSlow(2, () => {
    for (let stall = 0; stall < 10; stall++) {
      pass(100, 0)
      pass(100, 100)
    }
  })
})

it.each(['rowsWritten', 'textWritten'] as const)('measures the rate also when %s wraps', counter => {
  Atomics.store(counters, shared[counter], 2 ** 31 - 1)
  pass(1000, 100, 1000)
  expectSlow(1, () => pass(1000, 100, 1000))
})
