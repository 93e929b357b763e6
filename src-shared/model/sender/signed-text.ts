import { parsePath } from '../variable-path.ts'

/** A part of the text that a sender signs. */
export type SignedPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: SimpleKind }
  | { readonly kind: 'header'; readonly name: string }
  /** A field of the body; `line` is left out where it is missing, and else is a line with its name and one with it. */
  | { readonly kind: 'field'; readonly path: readonly string[] }
  | { readonly kind: 'line'; readonly name: string; readonly path: readonly string[] }
  | { readonly kind: 'setting'; readonly name: string }
type SimpleKind = (typeof simpleKinds)[number]

const simpleKinds = [
  ...(['body', 'timestamp', 'id', 'url'] as const),
  ...(['method', 'path', 'query', 'sortedForm', 'bodyHash', 'bodyCrc32'] as const),
] as const
/** The placeholders that stand for the body. A signed text has one of them. */
const bodyKinds: readonly string[] = ['body', 'bodyHash', 'sortedForm']

export const maxSignedText = 500

const token = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+"
const placeholder = new RegExp(
  String.raw`\{\{[ \t]*(?:(${simpleKinds.join('|')})|header:(${token})|body:([^{}\s]+)|line:([0-9A-Za-z_-]+):([^{}\s]+)|setting:([A-Za-z0-9_]{1,50}))[ \t]*\}\}`,
  'g',
)
const printable = /^[\t\n\r -~]*$/

/** Thrown for a template that is not a signed text, with a message for its author. */
export class SignedTextError extends Error {}

/**
 * Parses the template of a signed text, for example `{{timestamp}}.{{body}}`. The body is in it exactly once, as it is,
 * as its hash or as its sorted fields: a signature that does not cover the body proves nothing about it. Only a preset,
 * whose provider signs in this way, may leave it out.
 *
 * @throws SignedTextError
 */
export function parseSignedText(template: string, isPreset = false): SignedPart[] {
  const parts: SignedPart[] = []
  let from = 0
  const addText = (to: number) => {
    if (to > from) parts.push({ kind: 'text', text: literal(template.slice(from, to)) })
  }
  for (const match of template.matchAll(placeholder)) {
    addText(match.index)
    parts.push(partOf(match))
    from = match.index + match[0].length
  }
  addText(template.length)
  const bodies = parts.filter(({ kind }) => bodyKinds.includes(kind))
  if (bodies.length === 0 && !isPreset) throw new SignedTextError('The signed text must contain {{body}}.')
  const [first, second] = bodies
  if (first === undefined || second === undefined) return parts
  throw new SignedTextError(
    first.kind === second.kind
      ? `The signed text contains {{${first.kind}}} more than once.`
      : `The signed text contains {{${first.kind}}} and {{${second.kind}}}. One of them is enough.`,
  )
}

function partOf([whole, simple, header, field, lineName, linePath, setting]: RegExpExecArray): SignedPart {
  const kind = simpleKinds.find(one => one === simple)
  if (kind !== undefined) return { kind }
  if (header !== undefined) return { kind: 'header', name: header.toLowerCase() }
  if (setting !== undefined) return { kind: 'setting', name: setting }
  const path = parsePath(field ?? linePath ?? '')
  if (path === null) throw new SignedTextError(`${whole} has no dot-path: write {{body:signature.token}}.`)
  return lineName === undefined ? { kind: 'field', path } : { kind: 'line', name: lineName, path }
}

const movable = 'body|id|url|path|query|sortedForm'
const ofName = String.raw`(?:header|body|line):[^\s{}]+`
const fixed = 'method|bodyHash|bodyCrc32|setting:[A-Za-z0-9_]+'

/** Returns an expression that finds two placeholders of any length. A time in ISO 8601 has several lengths, too. */
function pairsOf(isIso: boolean): RegExp {
  const written = (names: string) => String.raw`\{\{[ \t]*(?:${names})[ \t]*\}\}`
  const free = written(`${movable}|${ofName}${isIso ? '|timestamp' : ''}`)
  const between = written(isIso ? fixed : `${fixed}|timestamp`)
  return new RegExp(`(${free})(?=(?:${between})*(${free}))`, 'g')
}

const usualPairs = pairsOf(false)
const pairsWithIso = pairsOf(true)

const isUrl = /^\{\{[ \t]*url/
const isBody = /^\{\{[ \t]*(?:body|sortedForm)[ \t]*\}/

type Pair = readonly [first: string, second: string]

/** Returns each two placeholders whose values have any length and which no text separates. */
function movablePairs(template: string, isIso: boolean): Pair[] {
  const pairs = isIso ? pairsWithIso : usualPairs
  return Array.from(template.matchAll(pairs), ([, first = '', second = '']) => [first, second])
}

/**
 * Returns the first two placeholders whose values have any length and which no text separates; null if there are none.
 * Bytes can move from one to the other without changing the signed text, so the signature does not tell where one ends.
 * A timestamp has one length, unless it is in ISO 8601: with a digit more or less it is outside the window. It needs no text
 * beside it, but does not separate two others: digits of one of them could be another timestamp.
 */
export function movableBetween(template: string, isIso = false): Pair | null {
  return movablePairs(template, isIso)[0] ?? null
}

/**
 * Returns the first two such placeholders that a new template may not have; null if there are none. `{{url}}` may stand
 * beside `{{body}}`, as some providers sign: only its query has any length, and no body begins with one.
 */
export function refusedBetween(template: string, isIso = false): Pair | null {
  const isOf = (pair: Pair, kind: RegExp) => pair.some(one => kind.test(one))
  return movablePairs(template, isIso).find(pair => !isOf(pair, isUrl) || !isOf(pair, isBody)) ?? null
}

function literal(text: string): string {
  const [wrong] = /\{\{[^{}]*(?:\}\})?|\}\}/.exec(text) ?? []
  if (wrong !== undefined)
    throw new SignedTextError(
      `${wrong} is not a placeholder. There are {{body}}, {{timestamp}}, {{id}}, {{url}}, {{method}}, {{path}}, {{query}}, {{sortedForm}}, {{bodyHash}}, {{bodyCrc32}}, {{header:NAME}}, {{body:PATH}}, {{line:NAME:PATH}} and {{setting:NAME}}.`,
    )
  if (!printable.test(text)) throw new SignedTextError('The signed text may contain ASCII characters only.')
  return text
}
