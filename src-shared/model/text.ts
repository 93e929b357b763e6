import { z } from 'zod'

/** Whether a text has at most `limit` characters, a character being a Unicode code point. */
export function hasAtMost(limit: number, text: string): boolean {
  // A string of n UTF-16 units has at most n code points: count them only where that could matter.
  return text.length <= limit || [...text].length <= limit
}

/** A label for people: white space at its ends is dropped (decisions: Connections, name). */
export const Name = z
  .string()
  .trim()
  .min(1, 'A name has at least one character.')
  .refine(text => hasAtMost(120, text), 'A name has at most 120 characters.')
  .describe('1 to 120 characters.')
