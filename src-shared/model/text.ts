import { z } from 'zod'

/** Returns whether a text has at most `limit` characters. Characters are Unicode code points. */
export function hasAtMost(limit: number, text: string): boolean {
  // A string of n UTF-16 units has n/2 to n code points, so most texts need no count.
  return text.length <= limit || (text.length <= 2 * limit && [...text].length <= limit)
}

/** A label for people, trimmed of white space. */
export const Name = z
  .string()
  .trim()
  .min(1, 'A name has at least one character.')
  .refine(text => hasAtMost(120, text), 'A name has at most 120 characters.')
  .describe('1 to 120 characters.')
