import { describe, expect, test } from 'vitest'
import { retryAfterMs } from '#main/outbound/retry-after.ts'
import { retryDelay } from '#main/workflows/retry.ts'

const now = Date.parse('2026-11-21T09:30:00.000Z')
const asked = (value: string | undefined, status = 503) =>
  retryAfterMs({ status, headers: value === undefined ? {} : { 'retry-after': value } }, now)

describe('Retry-After', () => {
  test.each([
    ['seconds', '120', 120_000],
    ['zero', '0', 0],
    ['white space', ' 7 ', 7000],
    ['more digits than a double holds', '9'.repeat(400), Number.POSITIVE_INFINITY],
    ['decimals', '1.5', 2000],
    ['several numbers', '5, 10,7', 10_000],
    ['a date', 'Sat, 21 Nov 2026 09:32:00 GMT', 120_000],
    ['a date of RFC 850', 'Saturday, 21-Nov-26 09:32:00 GMT', 120_000],
    ['a date of asctime', 'Sat Nov 21 09:32:00 2026', 120_000],
    ['a date of asctime with one digit', 'Tue Dec  1 09:30:00 2026', 10 * 86_400_000],
    ['a date that has passed', 'Sat, 21 Nov 2026 09:29:00 GMT', 0],
  ])('as %s is understood', (_name, value, ms) => {
    expect(asked(value)).toBe(ms)
  })

  test.each([
    ...[
      undefined,
      '',
      'soon',
      '-5',
      '1.',
      '.5',
      '1e3',
      '0x10',
      '5 s',
      '5, soon',
      '5,',
      '2026-11-21T09:32:00Z',
    ],
    ...['next 2099', 'Sat, 21 Nov 2026 09:32:00', 'Sat, 21 Foo 2026 09:32:00 GMT'],
    'Sat, 21 Nov 2026 09:32:00 +0100',
  ])('%j is ignored', value => {
    expect(asked(value)).toBe(0)
  })

  test.each([200, 301, 400, 404, 408, 500, 502, 504])('of a %i is ignored', status => {
    expect(asked('120', status)).toBe(0)
  })

  test('of a 429 counts, and no response asks for nothing', () => {
    expect(asked('120', 429)).toBe(120_000)
    expect(retryAfterMs(null, now)).toBe(0)
  })
})

describe('the delay of a retry', () => {
  test('doubles from 28 s on, to seven retries in about an hour', () => {
    const delays = Array.from({ length: 8 }, (_, index) => retryDelay(index + 1, 0.5))
    expect(delays).toEqual([28_000, 56_000, 112_000, 224_000, 448_000, 896_000, 1_792_000, null])
  })

  test.each([
    ['shorter than the normal delay', 1, 5000, 28_000],
    ['longer', 1, 120_000, 120_000],
    ['shorter than a later delay', 4, 120_000, 224_000],
    ['longer than an hour', 1, 86_400_000, 3_600_000],
    ['endless', 7, Number.POSITIVE_INFINITY, 3_600_000],
  ])('is at least what the receiver asks for: %s', (_name, attempts, wanted, least) => {
    expect(retryDelay(attempts, 0, wanted)).toBeGreaterThanOrEqual(wanted > 3_600_000 ? 3_600_000 : wanted)
    const delays = [0, 0.25, 0.5, 0.75, 1].map(random => retryDelay(attempts, random, wanted) ?? 0)
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0.8 * least)
    expect(Math.max(...delays)).toBeLessThanOrEqual(1.2 * least)
    expect(new Set(delays).size).toBe(delays.length)
  })

  test('does not add an attempt', () => {
    expect(retryDelay(8, 0.5, 120_000)).toBeNull()
  })
})
