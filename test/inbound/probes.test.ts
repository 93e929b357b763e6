import { expect, onTestFinished, test, vi } from 'vitest'
import { createProbes } from '#main/inbound/probes.ts'
import { createLocalSignals } from '#main/storage/local/local-signals.ts'
import { createOnceStore } from '#main/storage/local/once-store.ts'
import type { Signals } from '#main/storage/signals.ts'

const onError = (error: unknown) => {
  throw error
}
const token = 'T'.repeat(22)
const target = `/below/api/connect/${token}/events`
const arrival = {
  ...{ method: 'POST', target, rawHeaders: ['Host', 'in.example'] },
  body: Buffer.from([0, 255, 10]),
}

/** The probes of two nodes. */
function twoNodes() {
  const once = createOnceStore(Date.now)
  const signals = createLocalSignals(onError)
  return [createProbes(once, signals, onError), createProbes(once, signals, onError)] as const
}

test('a probe gets the first of its requests, whichever node receives them', async () => {
  for (const receiver of [0, 1]) {
    const nodes = twoNodes()
    const expected = await nodes[0].expect(token)
    expect(await expected.arrival()).toBeNull()
    expect(nodes[receiver]?.waitingFor('/api/connect/other/events')).toBeUndefined()
    await nodes[receiver]?.waitingFor(target)?.(arrival)
    await nodes[receiver]?.waitingFor(target)?.({ ...arrival, body: null })
    expect(await expected.arrival()).toEqual(arrival)
    expected.stop()
    expect(nodes[0].waitingFor(target)).toBeUndefined()
  }
})

test('a signal that names no token of a probe makes no refused request one', () => {
  const once = createOnceStore(Date.now)
  const signals = createLocalSignals(onError)
  const probes = createProbes(once, signals, onError)
  for (const text of ['', '/', 'api', 'T', '/api/connect/'.padEnd(22, 'T')]) signals.send('probe', text)
  expect(probes.waitingFor(target)).toBeUndefined()
})

test('a request that is too large reaches the other node without its body', async () => {
  const [a, b] = twoNodes()
  const expected = await a.expect(token)
  await b.waitingFor(target)?.({ ...arrival, body: null })
  expect(await expected.arrival()).toEqual({ ...arrival, body: null })
})

test("another node's probe is known for half a minute, and to no node that has stopped", async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const [a, b] = twoNodes()
  await a.expect(token)
  expect(b.waitingFor(target)).toBeDefined()
  vi.advanceTimersByTime(30_000)
  expect(b.waitingFor(target)).toBeUndefined()
  b.stop()
  await a.expect(token)
  expect(b.waitingFor(target)).toBeUndefined()
})

test('a probe is sent after a second if the signal about it is lost', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const silent = { send: () => {}, on: () => () => {} }
  const probes = createProbes(createOnceStore(Date.now), silent, onError)
  const expected = probes.expect(token)
  await vi.advanceTimersByTimeAsync(1000)
  await probes.waitingFor(target)?.(arrival)
  expect(await (await expected).arrival()).toEqual(arrival)
})

test('a probe is sent when a node that hears of it a little later knows it too', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const once = createOnceStore(Date.now)
  const signals = createLocalSignals(onError)
  const after = (delayMs: number): Signals => ({
    ...signals,
    on: (topic, listener) => signals.on(topic, text => void setTimeout(listener, delayMs, text)),
  })
  const a = createProbes(once, after(5), onError)
  const b = createProbes(once, after(200), onError)
  const known = a.expect(token).then(() => b.waitingFor(target) !== undefined)
  await vi.advanceTimersByTimeAsync(999)
  expect(await known).toBe(true)
})
