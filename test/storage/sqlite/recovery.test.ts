import type { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { OpenedEventLog } from '../event-log-contract.ts'
import { countOf, eventMaker } from '../event-log-events.ts'
import { openTemporary } from './open-temporary.ts'

const threads: Worker[] = []
const remember = (worker: Worker) => void threads.push(worker)
const onError = vi.fn()
let opened: OpenedEventLog

beforeEach(async () => {
  threads.length = 0
  onError.mockClear()
  process.on('worker', remember)
  opened = await openTemporary({ onError })
})
afterEach(async () => {
  process.off('worker', remember)
  await opened.dispose()
})

const unavailable = { code: 'unavailable' }

it('rejects waiting events when the writer thread dies, and restarts it', async () => {
  const { log } = opened
  const make = eventMaker()
  const [writer] = threads
  log.setRetention('conn_a', { maxEvents: 5, maxDays: 30 })
  await log.append(make())
  // More than one batch, so that some are with the thread and some are not.
  const waiting = Array.from({ length: 5000 }, () => log.append(make()))
  const outcomes = Promise.allSettled(waiting)
  await writer?.terminate()
  const rejected = (await outcomes).filter(outcome => outcome.status === 'rejected')
  expect(rejected.length).toBeGreaterThan(0)
  for (const { reason } of rejected) expect(reason).toMatchObject(unavailable)
  expect(onError).toHaveBeenCalledOnce()
  await expect(log.append(make())).rejects.toMatchObject(unavailable)
  expect(await log.isWritable()).toBe(false)

  await expect.poll(() => log.isWritable()).toBe(true)
  expect(threads.length).toBe(3)
  await Promise.all(Array.from({ length: 600 }, () => log.append(make())))
  await expect.poll(() => countOf(log, 'conn_a')).toBe(5)
})

it('reads again after the reader thread died', async () => {
  const { log } = opened
  const event = eventMaker()()
  await log.append(event)
  const reader = threads[1]
  await reader?.terminate()
  await expect(log.list('conn_a', { limit: 1 })).rejects.toMatchObject({ code: 'storage_unavailable' })
  const newest = () =>
    log.list('conn_a', { limit: 1 }).then(
      page => page.events,
      () => null,
    )
  await expect.poll(newest).toEqual([event])
  expect(onError).toHaveBeenCalledOnce()
})
