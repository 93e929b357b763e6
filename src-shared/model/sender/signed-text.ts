/** A part of the text that a sender signs. */
export type SignedPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'body' | 'timestamp' | 'id' | 'url' }
  | { readonly kind: 'header'; readonly name: string }

export const maxSignedText = 500

const placeholder = /\{\{[ \t]*(?:(body|timestamp|id|url)|header:([!#$%&'*+\-.^_`|~0-9A-Za-z]+))[ \t]*\}\}/g
const printable = /^[\t\n\r -~]*$/

/** Thrown for a template that is not a signed text, with a message for its author. */
export class SignedTextError extends Error {}

/**
 * Parses the template of a signed text, for example `{{timestamp}}.{{body}}`. The body is in it exactly once: a
 * signature that does not cover the body proves nothing about it.
 *
 * @throws SignedTextError
 */
export function parseSignedText(template: string): SignedPart[] {
  const parts: SignedPart[] = []
  let from = 0
  const addText = (to: number) => {
    if (to > from) parts.push({ kind: 'text', text: literal(template.slice(from, to)) })
  }
  for (const match of template.matchAll(placeholder)) {
    addText(match.index)
    const [whole, kind, name = ''] = match
    if (kind === 'body' || kind === 'timestamp' || kind === 'id' || kind === 'url') parts.push({ kind })
    else parts.push({ kind: 'header', name: name.toLowerCase() })
    from = match.index + whole.length
  }
  addText(template.length)
  const bodies = parts.filter(({ kind }) => kind === 'body').length
  if (bodies === 0) throw new SignedTextError('The signed text must contain {{body}}.')
  if (bodies > 1) throw new SignedTextError('The signed text contains {{body}} more than once.')
  return parts
}

const movable = String.raw`\{\{[ \t]*(?:body|id|url|header:[^\s{}]+)[ \t]*\}\}`
const timestamps = String.raw`(?:\{\{[ \t]*timestamp[ \t]*\}\})*`
const movablePair = new RegExp(`(${movable})(?=${timestamps}(${movable}))`, 'g')

const isUrl = /^\{\{[ \t]*url/
const isBody = /^\{\{[ \t]*body/

type Pair = readonly [first: string, second: string]

/** Returns each two placeholders whose values have any length and which no text separates. */
function movablePairs(template: string): Pair[] {
  return Array.from(template.matchAll(movablePair), ([, first = '', second = '']) => [first, second])
}

/**
 * Returns the first two placeholders whose values have any length and which no text separates; null if there are none.
 * Bytes can move from one to the other without changing the signed text, so the signature does not tell where one ends.
 * A timestamp has one length: with a digit more or less it is outside the window. It needs no text beside it, but does
 * not separate two others: digits of one of them could be another timestamp.
 */
export function movableBetween(template: string): Pair | null {
  return movablePairs(template)[0] ?? null
}

/**
 * Returns the first two such placeholders that a new template may not have; null if there are none. `{{url}}` may stand
 * beside `{{body}}`, as some providers sign: only its query has any length, and no body begins with one.
 */
export function refusedBetween(template: string): Pair | null {
  const isOf = (pair: Pair, kind: RegExp) => pair.some(one => kind.test(one))
  return movablePairs(template).find(pair => !isOf(pair, isUrl) || !isOf(pair, isBody)) ?? null
}

function literal(text: string): string {
  const [wrong] = /\{\{[^{}]*(?:\}\})?|\}\}/.exec(text) ?? []
  if (wrong !== undefined)
    throw new SignedTextError(
      `${wrong} is not a placeholder. There are {{body}}, {{timestamp}}, {{id}}, {{url}} and {{header:NAME}}.`,
    )
  if (!printable.test(text)) throw new SignedTextError('The signed text may contain ASCII characters only.')
  return text
}
