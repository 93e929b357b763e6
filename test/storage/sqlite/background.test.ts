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

/** Lets `ms` pass, in which `rows` are written every 10 ms. */
function pass(ms: number, rows: number): void {
  for (let passed = 0; passed < ms; passed += 10) {
    Atomics.add(counters, shared.rowsWritten, rows)
    vi.advanceTimersByTime(10)
  }
}

it('indexes while events arrive at a moderate rate', () => {
  pass(1000, 10)
  const before = steps
  pass(1000, 10)
  expect(steps).toBeGreaterThan(before + 20)
})

it('does not index under load, until the load has ended', () => {
  pass(1000, 100)
  const before = steps
  pass(1000, 100)
  expect(steps).toBe(before)
  pass(1000, 0)
  expect(steps).toBeGreaterThan(before)
})

it('stops indexing as soon as a load begins', () => {
  pass(1000, 0)
  pass(100, 200)
  const before = steps
  pass(400, 200)
  expect(steps).toBe(before)
})

it('takes no commit that waits for the disk for the end of a load', () => {
  pass(1000, 100)
  const before = steps
  for (let stall = 0; stall < 10; stall++) {
    pass(100, 0)
    pass(100, 100)
  }
  expect(steps).toBe(before)
})

it('measures the rate also when the counter of rows wraps', () => {
  Atomics.store(counters, shared.rowsWritten, 2 ** 31 - 1)
  pass(1000, 100)
  const before = steps
  pass(1000, 100)
  expect(steps).toBe(before)
})
