import { signingPrefix, type TextMasker } from '#main/outbound/mask-text.ts'
import { needlesOf } from '#main/outbound/needles.ts'

/** One character of a secret takes at most about this many in its longest spelling. */
const longestSpelling = 12

/**
 * Returns the part of a growing text that can be shown now, masked. It ends before the words in which a secret may have
 * begun, because a part of a secret is not recognized until the rest has come. A signing secret has few spellings, so only
 * the beginning of one of them has to wait.
 *
 * @param secrets those that `mask` replaces. Must be immutable.
 */
export function showable(text: string, mask: TextMasker | null, secrets: readonly string[]): string {
  if (mask === null) return text
  const masked = mask(text)
  const { words, longest, between, signing } = extentOf(secrets)
  const isSpace = (index: number) => between.test(masked.charAt(index))
  const earliest = Math.max(0, masked.length - longest * longestSpelling)
  let at = masked.length
  for (let word = 1; at > earliest; word++) {
    while (at > earliest && !isSpace(at - 1)) at--
    if (word === words) break
    while (at > earliest && isSpace(at - 1)) at--
  }
  return masked.slice(0, endBeforeSigningSecret(masked, at, signing))
}

/** Returns where a signing secret begins that is still growing at an end; else that end. */
function endBeforeSigningSecret(text: string, end: number, { spellings, longest }: Signing): number {
  for (let start = Math.max(0, end - longest); start < end; start++) {
    const grown = text.slice(start, end)
    if (firstFrom(spellings, grown)?.startsWith(grown)) return start
  }
  return end
}

/** Returns the first of the sorted texts that is not before a text. */
function firstFrom(sorted: readonly string[], text: string): string | undefined {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((sorted[middle] ?? '') < text) from = middle + 1
    else to = middle
  }
  return sorted[from]
}

/** The signing secrets, and their spellings without prefix, sorted, and the length of the longest one. */
type Signing = { readonly spellings: readonly string[]; readonly longest: number }

function signingOf(secrets: readonly string[]): Signing {
  const bare = secrets.map(secret => secret.slice(signingPrefix.length))
  const spellings = [...secrets, ...bare.flatMap(needlesOf).map(({ text }) => text)]
  return { spellings: spellings.sort(), longest: longestOf(spellings) }
}

/** The words and characters of the longest other secrets, and what is in no spelling of a word of them. */
type Extent = {
  readonly words: number
  readonly longest: number
  readonly between: RegExp
  readonly signing: Signing
}
const extents = new WeakMap<readonly string[], Extent>()

function extentOf(all: readonly string[]): Extent {
  const known = extents.get(all)
  if (known !== undefined) return known
  const isSigning = (secret: string) => secret.startsWith(signingPrefix)
  const secrets = all.filter(secret => !isSigning(secret))
  const extent: Extent = {
    words: secrets.reduce((most, secret) => Math.max(most, secret.split(/\s+/).length), 1),
    longest: longestOf(secrets),
    // Chinese has no spaces to wait for.
    between: secrets.every(secret => /^[ -~]*$/.test(secret)) ? /[^!-~]/ : /\s/,
    signing: signingOf(all.filter(isSigning)),
  }
  extents.set(all, extent)
  return extent
}

const longestOf = (texts: readonly string[]) => texts.reduce((most, { length }) => Math.max(most, length), 0)
