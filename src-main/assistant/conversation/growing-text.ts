import type { TextMasker } from '#main/outbound/mask-text.ts'

/** One character of a secret takes at most about this many in its longest spelling. */
const longestSpelling = 12

/**
 * Returns the part of a growing text that can be shown now, masked. It ends before the words in which a secret may have
 * begun, because a part of a secret is not recognised until the rest has come.
 *
 * @param secrets those that `mask` replaces.
 */
export function showable(text: string, mask: TextMasker | null, secrets: readonly string[]): string {
  if (mask === null) return text
  const masked = mask(text)
  let words = 1
  let longest = 0
  for (const secret of secrets) {
    words = Math.max(words, secret.split(/\s+/).length)
    longest = Math.max(longest, secret.length)
  }
  const earliest = Math.max(0, masked.length - longest * longestSpelling)
  let at = masked.length
  for (let word = 0; word < words && at > earliest; word++) {
    while (at > earliest && isSpace(masked, at - 1)) at--
    while (at > earliest && !isSpace(masked, at - 1)) at--
  }
  return masked.slice(0, at)
}

function isSpace(text: string, at: number): boolean {
  return /\s/.test(text.charAt(at))
}
