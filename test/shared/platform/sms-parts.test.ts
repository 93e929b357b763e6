import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { smsParts } from '#shared/platform/sms-parts.ts'

describe('smsParts', () => {
  test.each<[string, string, 'GSM-7' | 'Unicode', number]>([
    ['nothing', '', 'GSM-7', 1],
    ['160 characters', 'a'.repeat(160), 'GSM-7', 1],
    ['161 characters', 'a'.repeat(161), 'GSM-7', 2],
    ['1,530 characters', 'a'.repeat(1530), 'GSM-7', 10],
    ['80 euro signs, which take two places', '€'.repeat(80), 'GSM-7', 1],
    ['81 euro signs', '€'.repeat(81), 'GSM-7', 2],
    [
      'a euro sign that does not fit at the end of a part',
      `${'a'.repeat(152)}€${'a'.repeat(152)}`,
      'GSM-7',
      3,
    ],
    ['70 characters with one outside GSM 03.38', `${'a'.repeat(69)}ł`, 'Unicode', 1],
    ['71 of them', `${'a'.repeat(70)}ł`, 'Unicode', 2],
    ['emoji, which take two places', '😀'.repeat(35), 'Unicode', 1],
    ['emoji that are not split', '😀'.repeat(67), 'Unicode', 3],
  ])('counts %s', (_what, text, encoding, parts) => {
    expect(smsParts(text)).toEqual({ encoding, parts })
  })

  test('a longer text never has fewer parts, and needs no more than its halves', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '€', 'é', '\n'), maxLength: 400 })
    fc.assert(
      fc.property(text, text, (one, two) => {
        const whole = smsParts(one + two).parts
        expect(whole).toBeGreaterThanOrEqual(Math.max(smsParts(one).parts, smsParts(two).parts))
        expect(whole).toBeLessThanOrEqual(smsParts(one).parts + smsParts(two).parts + 1)
      }),
    )
  })
})
