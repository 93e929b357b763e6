import { expect, onTestFinished, test, vi } from 'vitest'
import { watchLock } from '#main/storage/local/watch-lock.ts'
import { ServiceError } from '#shared/errors.ts'
import { createLogRecorder } from '../support/log-recorder.ts'

type Check = boolean | Error

/** Lets the checks of the lock give these results, one after the other, and the last one from then on. */
function watch(...results: readonly Check[]) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const log = createLogRecorder()
  let checks = 0
  let lost = 0
  const checkLock = () => {
    const result = results[Math.min(checks++, results.length - 1)] ?? false
    if (result instanceof Error) throw result
    return result
  }
  const folder = { path: '/data', lockFile: '/data/lock.sqlite', checkLock }
  const stop = watchLock(folder, log.logger, () => lost++)
  onTestFinished(stop)
  return {
    log,
    stop,
    lost: () => lost,
    checks: () => checks,
    pass: (ms: number) => vi.advanceTimersByTime(ms),
  }
}

const taken = new ServiceError('data_folder_in_use', { detail: 'The process 7 already uses it.' })

test('logs that a deleted lock was taken again, and otherwise nothing', () => {
  const { log, lost, pass } = watch(false, true, false)
  pass(10_000)
  expect(log.lines).toEqual([expect.objectContaining({ message: expect.stringContaining('locked again') })])
  expect(lost()).toBe(0)
})

test('gives up at the second check that finds another process in the folder', () => {
  const { log, lost, checks, pass } = watch(taken)
  pass(2000)
  expect([lost(), log.lines.length]).toEqual([0, 0])
  pass(60_000)
  expect([lost(), checks()]).toEqual([1, 2])
  expect(log.lines).toEqual([
    expect.objectContaining({ message: expect.stringContaining('taken the data folder') }),
  ])
})

test('keeps the folder when another starting process releases the lock', () => {
  const { lost, pass } = watch(taken, true, taken, false)
  pass(60_000)
  expect(lost()).toBe(0)
})

test('logs once why it cannot lock the folder again, and keeps trying', () => {
  const { log, lost, checks, pass } = watch(new Error('read-only file system'))
  pass(10_000)
  expect([lost(), checks()]).toEqual([0, 5])
  expect(log.lines).toHaveLength(1)
})

test('does not check after it is stopped', () => {
  const { checks, stop, pass } = watch(false)
  stop()
  pass(10_000)
  expect(checks()).toBe(0)
})
