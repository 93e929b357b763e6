import { expect, onTestFinished, test, vi } from 'vitest'
import { createLeases } from '#main/assistant/conversation/leases.ts'

/** Leases in a store that answers as `own` says. */
function open(own: () => Promise<void>) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const calls: string[] = []
  const errors: unknown[] = []
  const leases = createLeases(
    {
      own: async (number, node, leaseMs) => {
        calls.push(`own ${number} ${node} ${leaseMs}`)
        await own()
      },
      disown: async (number, node) => void calls.push(`disown ${number} ${node}`),
    },
    'node a',
    error => errors.push(error),
  )
  return { leases, calls, errors }
}

test('renews a lease until the last who needs it releases it', async () => {
  const { leases, calls, errors } = open(async () => {})
  const [first, second] = [await leases.hold(7), await leases.hold(7)]
  const taken = Array(2).fill('own 7 node a 10000')
  expect(calls).toEqual(taken)
  await vi.advanceTimersByTimeAsync(3000)
  expect(calls).toEqual([...taken, taken[0]])
  first()
  first()
  expect(leases.isHeld(7)).toBe(true)
  second()
  await leases.stop()
  await vi.advanceTimersByTimeAsync(30_000)
  expect(calls.slice(3)).toEqual(['disown 7 node a'])
  expect(leases.isHeld(7)).toBe(false)
  expect(errors).toEqual([])
})

test.each([
  ['fails', () => Promise.reject(new Error('away'))],
  ['does not answer', () => new Promise<void>(() => {})],
])('tells who needs a lease, before it ends, that the storage %s', async (_how, fail) => {
  let isAway = false
  const { leases } = open(async () => {
    if (isAway) await fail()
  })
  const lost = vi.fn()
  await leases.hold(7, lost)
  isAway = true
  await vi.advanceTimersByTimeAsync(8999)
  expect(lost).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(lost).toHaveBeenCalled()
})

test('loses no lease while the computer sleeps', async () => {
  const { leases } = open(async () => {})
  const lost = vi.fn()
  await leases.hold(7, lost)
  const now = vi.spyOn(performance, 'now').mockReturnValue(Number.MAX_SAFE_INTEGER)
  onTestFinished(() => now.mockRestore())
  await vi.advanceTimersByTimeAsync(6000)
  expect(lost).not.toHaveBeenCalled()
})

test('has no lease that it could not take', async () => {
  const { leases, calls } = open(() => Promise.reject(new Error('away')))
  await expect(leases.hold(7)).rejects.toThrow('away')
  await leases.stop()
  expect(leases.isHeld(7)).toBe(false)
  expect(calls.at(-1)).toBe('disown 7 node a')
})
