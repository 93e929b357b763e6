import { describe, expect, onTestFinished, test } from 'vitest'
import type { Housekeeping, HousekeepingStep } from '#main/storage/housekeeping.ts'

export type OpenedHousekeeping = {
  /** Two handles on the same storage. */
  readonly nodes: readonly [Housekeeping, Housekeeping]
  /** The errors that the steps threw so far. */
  readonly errors: readonly unknown[]
  close(): Promise<void>
}

/** The suite that any implementation of Housekeeping must pass. @param open gives a new storage each time. */
export function describeHousekeeping(name: string, open: () => Promise<OpenedHousekeeping>): void {
  async function opened() {
    const { nodes, errors, close } = await open()
    const stops: (() => Promise<void>)[] = []
    onTestFinished(async () => {
      for (const stop of stops) await stop()
      await close()
    })
    const every = (node: 0 | 1, run: () => Promise<unknown>, step: Partial<HousekeepingStep> = {}) => {
      const stop = nodes[node].every({ name: 'step', everyMs: 1, retryMs: 1, ...step }, run)
      stops.push(stop)
      return stop
    }
    return { every, errors }
  }
  const next = () => new Promise(resolve => setImmediate(resolve))

  describe(`${name} is a Housekeeping`, () => {
    test('carries out a step again and again until it is stopped', async () => {
      const { every } = await opened()
      let runs = 0
      const stop = every(0, async () => ++runs)
      await expect.poll(() => runs).toBeGreaterThan(3)
      await stop()
      const before = runs
      let others = 0
      every(0, async () => ++others)
      await expect.poll(() => others).toBeGreaterThan(3)
      expect(runs).toBe(before)
    })

    test('runs a step on one node at a time, and on the other when the first has stopped', async () => {
      const { every } = await opened()
      const runs = [0, 0]
      let atOnce = 0
      let mostAtOnce = 0
      const step = (node: 0 | 1) => async () => {
        mostAtOnce = Math.max(mostAtOnce, ++atOnce)
        for (let turn = 0; turn < 20; turn++) await next()
        atOnce--
        runs[node] = (runs[node] ?? 0) + 1
      }
      const stopFirst = every(0, step(0))
      every(1, step(1))
      await expect.poll(() => runs[0]).toBeGreaterThan(3)
      await stopFirst()
      const [before, others = 0] = runs
      await expect.poll(() => runs[1]).toBeGreaterThan(others + 3)
      expect(runs[0]).toBe(before)
      expect(mostAtOnce).toBe(1)
    })

    test('lets no step wait for one of another name', async () => {
      const { every } = await opened()
      const stuck = Promise.withResolvers<void>()
      let isStuck = false
      let runs = 0
      every(
        0,
        () => {
          isStuck = true
          return stuck.promise
        },
        { name: 'stuck' },
      )
      await expect.poll(() => isStuck).toBe(true)
      for (const node of [0, 1] as const) every(node, async () => ++runs)
      await expect.poll(() => runs).toBeGreaterThan(3)
      stuck.resolve()
    })

    test('leaves its turns out while the step is under way on the other node, and goes on then', async () => {
      const { every } = await opened()
      const slow = Promise.withResolvers<void>()
      let isSlow = false
      let others = 0
      let runs = 0
      const stopSlow = every(0, () => {
        isSlow = true
        return slow.promise
      })
      await expect.poll(() => isSlow).toBe(true)
      every(1, async () => ++runs)
      every(1, async () => ++others, { name: 'another' })
      await expect.poll(() => others).toBeGreaterThan(3)
      expect(runs).toBe(0)
      slow.resolve()
      await stopSlow()
      await expect.poll(() => runs).toBeGreaterThan(0)
    })

    test('ends only after a run under way has ended', async () => {
      const { every } = await opened()
      const run = Promise.withResolvers<void>()
      let isRunning = false
      const seen: string[] = []
      const stop = every(0, async () => {
        isRunning = true
        await run.promise
        seen.push('the run')
      })
      await expect.poll(() => isRunning).toBe(true)
      const stopped = stop().then(() => seen.push('the stop'))
      await next()
      run.resolve()
      await stopped
      expect(seen).toEqual(['the run', 'the stop'])
    })

    test('reports a step that fails, and waits longer before it tries again', async () => {
      const { every, errors } = await opened()
      let failures = 0
      let runs = 0
      every(0, async () => {
        if (++failures <= 2) throw new Error('The disk is full.')
      })
      const fails = async () => {
        runs++
        throw new Error('The disk is gone.')
      }
      every(0, fails, { name: 'later', retryMs: 1_000_000 })
      await expect.poll(() => failures).toBeGreaterThan(5)
      await expect
        .poll(() => errors.map(String).sort())
        .toEqual(['Error: The disk is full.', 'Error: The disk is full.', 'Error: The disk is gone.'])
      expect(runs).toBe(1)
    })
  })
}
