import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  blend,
  contrast,
  formatContrast,
  inkFor,
  leastContrast,
  parseColour,
  type Rgba,
  readableOn,
} from '../../../src-renderer/features/agent/widget/contrast.ts'

const byte = fc.integer({ min: 0, max: 255 })
const colour = fc.tuple(byte, byte, byte, fc.constant(1))
const translucent = fc.tuple(
  byte,
  byte,
  byte,
  byte.map(value => value / 255),
)
const hex = ([red, green, blue]: Rgba) =>
  `#${[red, green, blue].map(value => value.toString(16).padStart(2, '0')).join('')}`
const parsed = (text: string): Rgba => {
  const found = parseColour(text)
  if (found === null) throw new Error(`${text} is not a colour`)
  return found
}
const between = (one: string, other: string) => contrast(parsed(one), parsed(other))

test('contrast ratios are those of WCAG', () => {
  expect(between('#000', '#FFF')).toBe(21)
  expect(between('#777777', '#FFFFFF')).toBeCloseTo(4.478, 3)
  expect(between('#767676', '#FFFFFF')).toBeCloseTo(4.542, 3)
  expect(formatContrast(4.478)).toBe('4.4 : 1')
  expect(formatContrast(21)).toBe('21.0 : 1')
})

test('contrast is symmetric, from 1 to 21, and 1 only for a colour on itself', () => {
  fc.assert(
    fc.property(colour, colour, (one, other) => {
      const ratio = contrast(one, other)
      expect(ratio).toBeCloseTo(contrast(other, one), 10)
      expect(ratio).toBeGreaterThanOrEqual(1)
      expect(ratio).toBeLessThanOrEqual(21)
      expect(contrast(one, one)).toBe(1)
    }),
  )
})

test('colours are parsed from three, six and eight digits', () => {
  fc.assert(
    fc.property(colour, one => {
      expect(parseColour(hex(one))).toEqual(one)
      expect(parseColour(hex(one).toUpperCase())).toEqual(one)
    }),
  )
  expect(parseColour('#1aF')).toEqual(parseColour('#11AAFF'))
  expect(parseColour('#11223380')).toEqual([17, 34, 51, 128 / 255])
  for (const text of ['', '#', '#12', '#1234', '#12345g', 'red', '#123456\n'])
    expect(parseColour(text)).toBeNull()
})

test('a translucent colour lies between itself and what is below it', () => {
  fc.assert(
    fc.property(translucent, colour, (above, below) => {
      const mixed = blend(above, below)
      expect(mixed[3]).toBe(1)
      for (const at of [0, 1, 2] as const) {
        expect(mixed[at]).toBeGreaterThanOrEqual(Math.min(above[at], below[at]) - 1e-9)
        expect(mixed[at]).toBeLessThanOrEqual(Math.max(above[at], below[at]) + 1e-9)
      }
      expect(blend([above[0], above[1], above[2], 0], below)).toEqual(below)
    }),
  )
  expect(between('#00000000', '#2440A0')).toBe(1)
})

test('the remedy is readable on every background', () => {
  fc.assert(
    fc.property(translucent, background => {
      expect(contrast(parsed(readableOn(background)), background)).toBeGreaterThanOrEqual(leastContrast)
      expect(contrast(parsed(inkFor(background)), background)).toBeGreaterThanOrEqual(leastContrast)
    }),
  )
})
