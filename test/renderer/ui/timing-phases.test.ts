import { expect, test } from 'vitest'
import { phasesOf } from '#renderer/ui/timing-phases.ts'

const timings = { totalMs: 214, dnsMs: 3, connectMs: 21, tlsMs: 38, firstByteMs: 147, downloadMs: 5 }
const names = (values: Partial<typeof timings>) =>
  phasesOf({ ...timings, ...values }).phases.map(({ name }) => name)

test('phases stand in the order of a call, those without time left out', () => {
  expect(names({})).toEqual(['DNS', 'Connect', 'TLS', 'Waiting', 'Download'])
  expect(names({ totalMs: 173, dnsMs: 0, tlsMs: 0 })).toEqual(['Connect', 'Waiting', 'Download'])
})

test('time that no phase accounts for is shown once it could be missed, so that the figures add up', () => {
  expect(names({ totalMs: 214.9 })).not.toContain('Setup')
  const { phases } = phasesOf({ ...timings, totalMs: 220 })
  expect(phases[0]).toEqual({ name: 'Setup', ms: 6 })
  expect(phases.reduce((sum, { ms }) => sum + ms, 0)).toBe(220)
})

test('a call that waited for its answer without having connected used an open connection', () => {
  const isReused = (values: Partial<typeof timings>) => phasesOf({ ...timings, ...values }).isReused
  expect(isReused({ dnsMs: 0, connectMs: 0, tlsMs: 0 })).toBe(true)
  expect(isReused({ dnsMs: 0, tlsMs: 0 })).toBe(false)
  expect(isReused({ dnsMs: 0, connectMs: 0, tlsMs: 0, firstByteMs: 0, downloadMs: 0 })).toBe(false)
})
