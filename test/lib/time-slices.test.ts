import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTimeSlices, maxDelayMs } from '#main/lib/time-slices.ts'

/** Slices of 2 ms on a clock that only computations move, and a log of what happened. */
function prepare(isBusy = () => false) {
  let now = 0
  const log: string[] = []
  const slices = createTimeSlices({ sliceMs: 2, isBusy, stopwatch: () => now })
  const compute = (name: string, ms: number) =>
    slices.run(() => {
      now += ms
      log.push(name)
      return name
    })
  return { slices, log, compute, pass: (ms: number) => (now += ms) }
}

test('computes at once while the slice lasts, then once in each turn of the event loop', async () => {
  const { log, compute } = prepare()
  const done = Promise.all(['a', 'b', 'c', 'd', 'e'].map(name => compute(name, 1)))
  expect(log).toEqual(['a', 'b'])
  await setImmediate()
  expect(log).toEqual(['a', 'b', 'c', 'd'])
  expect(await done).toEqual(['a', 'b', 'c', 'd', 'e'])
})

test('lets other work of the event loop pass between two long computations', async () => {
  const { log, compute } = prepare()
  const turns = Array.from({ length: 5 }, async (_, turn) => {
    for (let left = turn; left >= 0; left--) await setImmediate()
    log.push('other work')
  })
  await Promise.all([...['a', 'b', 'c'].map(name => compute(name, 50)), ...turns])
  for (const [index, entry] of log.entries())
    if (entry !== 'other work' && index > 0) expect(log[index - 1]).toBe('other work')
})

test('takes the computations of several runs in turn', async () => {
  const { log, compute } = prepare()
  const run = async (name: string) => {
    for (let step = 1; step <= 3; step++) await compute(`${name}${step}`, 5)
  }
  await Promise.all(['a', 'b', 'c'].map(run))
  expect(log).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2', 'a3', 'b3', 'c3'])
})

test('waits while something urgent is under way, but not for long', async () => {
  let isBusy = true
  const { log, compute, pass } = prepare(() => isBusy)
  const done = [compute('a', 5), compute('b', 5), compute('c', 5)]
  await expect.poll(() => log).toEqual(['a'])
  for (let turn = 0; turn < 20; turn++) await setImmediate()
  expect(log).toEqual(['a'])
  pass(maxDelayMs)
  await expect.poll(() => log).toEqual(['a', 'b'])
  isBusy = false
  await Promise.all(done)
  expect(log).toEqual(['a', 'b', 'c'])
})

test('rejects with the error of a computation, and goes on with the next', async () => {
  const { slices, compute } = prepare()
  const failing = () => {
    throw new Error('broken')
  }
  await expect(slices.run(failing)).rejects.toThrow('broken')
  await compute('long', 10)
  const late = slices.run(failing)
  const next = compute('next', 1)
  await expect(late).rejects.toThrow('broken')
  expect(await next).toBe('next')
})
