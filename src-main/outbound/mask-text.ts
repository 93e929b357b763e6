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
  const long = secrets.filter(secret => secret.length > maxPieceLength).map(longMasker)
  const short = secrets.filter(secret => secret.length <= maxPieceLength).map(maskPattern)
  const pattern = short.length === 0 ? null : new RegExp(short.join('|'), 'g')
  return text => {
    const masked = long.reduce((more, maskLong) => maskLong(more), text)
    return pattern === null ? masked : masked.replace(pattern, mask)
  }
}

/** Looks for the beginning of a value, and from there on for one piece after the other. */
function longMasker(secret: string): (text: string) => string {
  const [first = '', ...rest] = pieces(secret)
  const beginning = new RegExp(maskPattern(first), 'g')
  let others: RegExp[] | null = null
  return text => {
    let masked = ''
    let from = 0
    beginning.lastIndex = 0
    for (let found = beginning.exec(text); found !== null; found = beginning.exec(text)) {
      masked += text.slice(from, found.index) + mask
      from = beginning.lastIndex
      others ??= rest.map(piece => new RegExp(maskPattern(piece), 'y'))
      for (const piece of others) {
        piece.lastIndex = from
        if (!piece.test(text)) break
        from = piece.lastIndex
      }
      beginning.lastIndex = from
    }
    return from === 0 ? text : masked + text.slice(from)
  }
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
