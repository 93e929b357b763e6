import { z } from 'zod'

/** Returns whether a text has at most `limit` characters. Characters are Unicode code points. */
export function hasAtMost(limit: number, text: string): boolean {
  // A string of n UTF-16 units has n/2 to n code points, so most texts need no count.
  return text.length <= limit || (text.length <= 2 * limit && [...text].length <= limit)
}

/** Returns whether a text has at most `limit` bytes as UTF-8. */
export function hasAtMostBytes(limit: number, text: string): boolean {
  if (text.length > limit) return false
  let bytes = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return bytes <= limit
}

const turning = /[\u202a-\u202e\u2066-\u2069]/gu

/** Returns whether a text has a character that turns the direction of text, so that a list shows something else. */
export function turnsDirection(text: string): boolean {
  return text.search(turning) !== -1
}

/** Returns a text without the characters that turn its direction. */
export function withoutTurning(text: string): string {
  return text.replace(turning, '')
}

/** Characters that turn the direction of text or have no width. */
const deceiving = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu

/**
 * Returns a JSON text with escapes, which mean the same, for the characters that could make it look like another one:
 * what somebody allows must be what is sent.
 */
export function visibleJson(text: string): string {
  return text.replace(deceiving, one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** A label for people, trimmed of white space. */
export const Name = z
  .string()
  .trim()
  .min(1, 'A name has at least one character.')
  .refine(text => hasAtMost(120, text), 'A name has at most 120 characters.')
  .describe('1 to 120 characters.')

/** A label that somebody gives. Earlier versions have stored others. */
export const NewName = Name.refine(
  text => !turnsDirection(text),
  'A name cannot have characters that turn the direction of text, such as U+202E.',
)
