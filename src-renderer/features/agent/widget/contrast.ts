/** Red, green and blue from 0 to 255, and the opacity from 0 to 1. */
export type Rgba = readonly [red: number, green: number, blue: number, alpha: number]

/** The least contrast of text that WCAG 2.2 accepts at level AA. */
export const leastContrast = 4.5

const white: Rgba = [255, 255, 255, 1]

/** Parses `#RGB`, `#RRGGBB` or `#RRGGBBAA`; null for anything else. */
export function parseColour(text: string): Rgba | null {
  const [, digits] = /^#([0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i.exec(text) ?? []
  if (digits === undefined) return null
  const long = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits
  const byte = (at: number) => Number.parseInt(long.slice(at, at + 2), 16)
  return [byte(0), byte(2), byte(4), long.length === 8 ? byte(6) / 255 : 1]
}

/** Returns the colour that a partly transparent one has on an opaque one. */
export function blend([red, green, blue, alpha]: Rgba, below: Rgba): Rgba {
  const mix = (one: number, other: number) => one * alpha + other * (1 - alpha)
  return [mix(red, below[0]), mix(green, below[1]), mix(blue, below[2]), 1]
}

/**
 * Returns the contrast ratio of WCAG 2.2 between a text and its background, from 1 to 21. A transparent background is
 * taken to be on a white page.
 */
export function contrast(text: Rgba, background: Rgba): number {
  const opaque = blend(background, white)
  const one = luminance(blend(text, opaque))
  const other = luminance(opaque)
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
}

function luminance([red, green, blue]: Rgba): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

function linear(byte: number): number {
  const share = byte / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
}

/** Returns black or white, whichever is easier to read on a background. One of them always reaches 4.58. */
export function inkFor(background: Rgba): '#000000' | '#FFFFFF' {
  return contrast([0, 0, 0, 1], background) >= contrast(white, background) ? '#000000' : '#FFFFFF'
}

/** Returns a text colour that is easy to read on a background: a soft black, white, or else black. */
export function readableOn(background: Rgba): string {
  return contrast([31, 41, 55, 1], background) >= leastContrast ? '#1F2937' : inkFor(background)
}

/** Returns “6.1 : 1”. Rounds down, so that a ratio never seems to reach a limit that it misses. */
export const formatContrast = (ratio: number): string => `${(Math.floor(ratio * 10) / 10).toFixed(1)} : 1`
