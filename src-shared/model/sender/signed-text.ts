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
const movablePair = new RegExp(`(${movable})(${movable})`)

/**
 * Returns the first two placeholders without a separator between them whose values have any length; null if there are
 * none. Bytes can move from one to the other without changing the signed text, so the signature does not tell where one
 * ends. A timestamp is no such placeholder: with a digit more or less it is outside the window.
 */
export function movableBetween(template: string): readonly [string, string] | null {
  const [, first, second] = movablePair.exec(template) ?? []
  return first === undefined || second === undefined ? null : [first, second]
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
