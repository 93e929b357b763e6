import { signingPrefix, type TextMasker } from '#main/outbound/mask-text.ts'

/** The characters of a signing secret. */
const inSecret = /[\w-]/

/** One character of a secret takes at most about this many in its longest spelling. */
const longestSpelling = 12

/**
 * Returns the part of a growing text that can be shown now, masked. It ends before the words in which a secret may have
 * begun, because a part of a secret is not recognized until the rest has come. A signing secret begins with its prefix, so
 * that no other word has to wait for the rest of it.
 *
 * @param secrets those that `mask` replaces. Must be immutable.
 */
export function showable(text: string, mask: TextMasker | null, secrets: readonly string[]): string {
  if (mask === null) return text
  const masked = mask(text)
  const { words, longest, between } = extentOf(secrets)
  const isSpace = (index: number) => between.test(masked.charAt(index))
  const earliest = Math.max(0, masked.length - longest * longestSpelling)
  let at = masked.length
  for (let word = 1; at > earliest; word++) {
    while (at > earliest && !isSpace(at - 1)) at--
    if (word === words) break
    while (at > earliest && isSpace(at - 1)) at--
  }
  return masked.slice(0, endBeforeSigningSecret(masked, at))
}

/** Returns where a signing secret begins that is still growing at an end; else that end. */
function endBeforeSigningSecret(text: string, end: number): number {
  let word = end
  while (word > 0 && inSecret.test(text.charAt(word - 1))) word--
  const begins = text.slice(word, end).indexOf(signingPrefix)
  return begins === -1 ? end : word + begins
}

/** The words and characters of the longest secrets, and what is in no spelling of a word of them. */
type Extent = { readonly words: number; readonly longest: number; readonly between: RegExp }
const extents = new WeakMap<readonly string[], Extent>()

function extentOf(all: readonly string[]): Extent {
  const known = extents.get(all)
  if (known !== undefined) return known
  const secrets = all.filter(secret => !secret.startsWith(signingPrefix))
  const extent: Extent = {
    words: secrets.reduce((most, secret) => Math.max(most, secret.split(/\s+/).length), 1),
    longest: secrets.reduce((most, { length }) => Math.max(most, length), 0),
    // Chinese has no spaces to wait for.
    between: secrets.every(secret => /^[ -~]*$/.test(secret)) ? /[^!-~]/ : /\s/,
  }
  extents.set(all, extent)
  return extent
}
