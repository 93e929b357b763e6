import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTextRing } from '#main/history/text-ring.ts'

const slots = 8
const bytes = 64

type Step = { label: string; put: string } | { drop: true }
const word = fc.string({ unit: 'grapheme', maxLength: 8 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ label: word, put: word }) },
  { weight: 2, arbitrary: fc.constant<Step>({ drop: true }) },
)

test('returns every text unchanged, whatever was put and dropped before', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), steps => {
      const ring = createTextRing(slots, bytes)
      const kept: { slot: number; label: string; text: string }[] = []
      let next = 0
      for (const one of steps) {
        if ('drop' in one) {
          const oldest = kept.shift()
          if (oldest !== undefined) ring.drop(oldest.slot)
        } else if (kept.length < slots) {
          const slot = next % slots
          if (ring.put(slot, one.label, one.put)) {
            kept.push({ slot, label: one.label, text: one.put })
            next++
          } else if (Buffer.byteLength(one.label + one.put) <= bytes)
            expect(kept, 'an empty ring takes what fits').not.toEqual([])
        }
        expect(kept.map(({ slot }) => ring.get(slot))).toEqual(
          kept.map(({ label, text }) => ({ label, text })),
        )
      }
    }),
    { numRuns: 500 },
  )
})

test('stores a text of its full size when it is empty, and refuses a larger one', () => {
  const ring = createTextRing(slots, bytes)
  expect(ring.put(0, '', 'x'.repeat(bytes + 1))).toBe(false)
  expect(ring.put(0, '', 'x'.repeat(bytes))).toBe(true)
  expect(ring.put(1, '', 'y')).toBe(false)
  ring.drop(0)
  expect(ring.put(1, '', 'é'.repeat(bytes / 2))).toBe(true)
  expect(ring.get(1).text).toBe('é'.repeat(bytes / 2))
})

test('wraps around at its end', () => {
  const ring = createTextRing(slots, bytes)
  for (let round = 0; round < 1000; round++) {
    const text = '.'.repeat(20 - `${round}`.length)
    if (round >= 2) ring.drop((round - 2) % slots)
    expect(ring.put(round % slots, `${round}`, text)).toBe(true)
    expect(ring.get(round % slots)).toEqual({ label: `${round}`, text })
  }
})

test('refuses a label that UTF-8 cannot encode', () => {
  const ring = createTextRing(slots, bytes)
  expect(ring.put(0, '\ud800', 'x')).toBe(false)
  expect(ring.put(0, '\ud83d\ude00', 'x')).toBe(true)
  expect(ring.get(0).label).toBe('\u{1f600}')
})
