import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { WriteHealth } from '#main/storage/write-health.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const ofServer = (code: string) => Object.assign(new Error('Failed.'), { severity: 'ERROR', code })
const full = ofServer('53100')

/** Opens one whose trial writes succeed or fail as `state.trial` says. */
function open() {
  const state: { trial: Error | null; trials: number } = { trial: null, trials: 0 }
  const errors: unknown[] = []
  const health = new WriteHealth({
    tryWrite: async () => {
      state.trials++
      if (state.trial !== null) throw state.trial
    },
    onError: error => errors.push(error),
  })
  onTestFinished(() => health.close())
  return {
    ...{ health, state, errors },
    wait: (ms: number) => vi.advanceTimersByTimeAsync(ms),
    fail: (error: unknown) => health.watch(() => Promise.reject(error)).catch(() => {}),
  }
}

it('says nothing of a failure that is over within two seconds', async () => {
  const { health, errors, fail, wait } = open()
  await fail(full)
  await wait(1999)
  expect(health.outage()).toBe(null)
  await wait(10_000)
  expect([health.outage(), errors]).toEqual([null, [full]])
})

it('says why writes fail after two seconds, until two trials in a row have succeeded', async () => {
  const { health, state, errors, fail, wait } = open()
  state.trial = full
  await fail(full)
  await fail(full)
  await wait(1999)
  expect(health.outage()).toBe(null)
  await wait(1)
  expect(health.outage()).toBe('database_full')
  state.trial = ofServer('53300')
  await wait(1000)
  expect(health.outage()).toBe('no_connection')
  state.trial = null
  await wait(1000)
  expect(health.outage()).toBe('no_connection')
  await fail(full)
  await wait(1000)
  expect(health.outage()).toBe('database_full')
  await wait(1000)
  expect([health.outage(), errors]).toEqual([null, [full]])
  const { trials } = state
  await wait(10_000)
  expect(state.trials).toBe(trials)
})

it('says that a write waits, as long as it does and until trials have succeeded', async () => {
  const { health, state, wait } = open()
  let resolve = () => {}
  const written = health.watch(() => new Promise<void>(done => (resolve = done)))
  await wait(1999)
  expect(health.outage()).toBe(null)
  await wait(10_000)
  expect([health.outage(), state.trials > 2]).toEqual(['storage', true])
  state.trial = ofServer('55P03')
  await wait(1000)
  expect(health.outage()).toBe('locked')
  resolve()
  await written
  expect(health.outage()).toBe('locked')
  state.trial = null
  await wait(2000)
  expect(health.outage()).toBe(null)
})

it('learns nothing of errors of the data, and of limits', async () => {
  const { health, state, errors, fail, wait } = open()
  for (const code of ['22021', '23505', '42P01', '54000']) await fail(ofServer(code))
  await fail(new Error('Too many runs are waiting.'))
  await wait(10_000)
  expect([health.outage(), state.trials, errors]).toEqual([null, 0, []])
})
