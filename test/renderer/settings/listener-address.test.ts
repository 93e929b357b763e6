import { expect, test } from 'vitest'
import { isLoopback, parsePort, reachOf } from '#renderer/features/settings/listener-address.ts'
import { tunnelGuides } from '#renderer/features/settings/tunnel-guides.ts'

test('describes who can reach an address', () => {
  expect(['127.0.0.1', 'localhost', '::1', '127.8.8.8'].every(isLoopback)).toBe(true)
  expect(['0.0.0.0', '::', '10.0.0.1', 'localhost.example.com'].some(isLoopback)).toBe(false)
  expect(reachOf('127.0.0.1')).toBe('This computer only.')
  expect(reachOf('::')).toMatch(/^Anyone on a network of this computer/)
  expect(reachOf('10.20.4.18')).toMatch(/^Anyone who can reach this address/)
})

test('accepts ports up to 65535 only', () => {
  expect(['0', '8787', ' 65535 '].map(parsePort)).toEqual([0, 8787, 65_535])
  expect(['', '-1', '65536', '80.5', '1e3', 'x'].map(parsePort)).toEqual([null, null, null, null, null, null])
})

test('each tunnel guide names the listener’s port', () => {
  for (const { name, steps } of tunnelGuides(9123))
    expect(
      steps.some(({ command }) => command?.includes('9123')),
      name,
    ).toBe(true)
})
