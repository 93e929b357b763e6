import { mask, maskPattern } from './mask-pattern.ts'

/** Shorter values would blank out ordinary words (decisions: `{{ENV}}`). In characters. */
export const minSecretLength = 8

/** A pattern has to fit into a machine's stack, so longer values are looked for piece by piece. */
const maxPieceLength = 256

/**
 * Makes what replaces secrets in texts, in all their spellings, in time linear in the text's length.
 *
 * @returns null where no value is long enough to be looked for.
 */
export function textMasker(values: readonly string[]): ((text: string) => string) | null {
  const secrets = [...new Set(values)].filter(value => value.length >= minSecretLength)
  if (secrets.length === 0) return null
  // Where one value begins with another, the longer one goes first.
  secrets.sort((a, b) => b.length - a.length)
  const all = secrets.map(pieces)
  const beginnings = anyOf(all.flatMap(([first]) => first ?? []))
  const others = all.flatMap(([, ...rest]) => rest)
  if (others.length === 0) return text => text.replace(beginnings, mask)
  let patterns: RegExp[] | null = null
  return text => {
    // A value is there as a whole only where its beginning is.
    const masked = text.replace(beginnings, mask)
    if (masked === text) return text
    patterns ??= others.map(piece => anyOf([piece]))
    return patterns.reduce((more, pattern) => more.replace(pattern, mask), masked)
  }
}

function anyOf(secrets: readonly string[]): RegExp {
  return new RegExp(secrets.map(maskPattern).join('|'), 'g')
}

/** Parts of about the same length, none shorter than a secret. */
function pieces(value: string): string[] {
  const count = Math.ceil(value.length / maxPieceLength)
  const found: string[] = []
  let from = 0
  for (let index = 1; index <= count; index++) {
    let to = Math.ceil((value.length * index) / count)
    // A run of backslashes is found as a whole only.
    while (to < value.length && /^\\|\\$/.test(value.slice(to - 1, to + 1))) to++
    if (to > from) found.push(value.slice(from, to))
    from = Math.max(from, to)
  }
  return found
}
