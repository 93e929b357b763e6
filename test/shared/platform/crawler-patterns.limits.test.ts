import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matches } from '#shared/platform/crawler-patterns.ts'
import { cpuMs } from '../../support/cpu-ms.ts'

test('matching takes at most six times as long for four times the text, whatever the pattern', () => {
  const unit = fc.constantFrom('a', 'b', '*', 'aaaa', 'ab', '*a', 'a*b')
  const hostile = fc.array(unit, { maxLength: 400 }).map(units => `/${units.join('')}`.slice(0, 1024))
  const texts = fc
    .constantFrom('a', 'ab', 'aaab', 'b')
    .map(repeated => (size: number) => `/${repeated.repeat(size)}`)
  fc.assert(
    fc.property(hostile, texts, (pattern, text) => {
      const [quarter, whole] = [text(100_000), text(400_000)].map(one => cpuMs(() => matches(pattern, one)))
      // Shorter times say nothing.
      expect(whole).toBeLessThanOrEqual(6 * Math.max(quarter ?? 0, 20))
    }),
  )
})
