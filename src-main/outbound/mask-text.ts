import { addSpan, needleFinder, type Span } from './find-needles.ts'
import { needlesOf } from './needles.ts'
import { undoEscapes } from './undo-escapes.ts'

/** What replaces a secret. No header value can hold this character, so masking cannot make a new one. */
export const mask = '••••'

/** Shorter values would blank out ordinary words (decisions: `{{ENV}}`). In characters. */
export const minSecretLength = 8

/** Replaces secrets in a text. */
export type TextMasker = (text: string) => string

/**
 * Makes what replaces secrets in texts, however they are spelled: plain, percent-encoded, escaped as JSON or HTML,
 * these in any mixture, and in base64, alone or as a part of something longer. It takes time linear in the text.
 *
 * @returns null where no value is long enough to be looked for.
 */
export function textMasker(values: readonly string[]): TextMasker | null {
  const secrets = [...new Set(values)].filter(value => value.length >= minSecretLength)
  if (secrets.length === 0) return null
  const needles = secrets.flatMap(needlesOf)
  const find = needleFinder(needles)
  // Texts and secrets alike: a mixture of encoders leaves other characters as they are than any one does.
  const unescaped = needles.map(needle => ({
    ...needle,
    text: undoEscapes(needle.text)?.text ?? needle.text,
  }))
  const distinct = new Map(unescaped.map(needle => [needle.text, needle]))
  const findUnescaped = needleFinder(
    [...distinct.values()].filter(({ text }) => text.length >= minSecretLength),
  )
  return text => {
    const spans = find(text)
    const plain = undoEscapes(text)
    if (plain === null) return replaceSpans(text, spans)
    const more = findUnescaped(plain.text).map(({ from, to }) => ({
      from: plain.starts[from] ?? 0,
      to: plain.starts[to] ?? text.length,
    }))
    return replaceSpans(text, more.length === 0 ? spans : [...spans, ...more])
  }
}

const kept = new WeakMap<readonly string[], TextMasker | null>()

/** Returns the same masker for the same array, since making one costs more than using it. */
export function keptTextMasker(values: readonly string[]): TextMasker | null {
  const known = kept.get(values)
  if (known !== undefined) return known
  const made = textMasker(values)
  kept.set(values, made)
  return made
}

function replaceSpans(text: string, found: readonly Span[]): string {
  if (found.length === 0) return text
  const spans: Span[] = []
  for (const span of found.toSorted((one, other) => one.from - other.from)) addSpan(spans, span)
  let masked = ''
  let at = 0
  for (const { from, to } of spans) {
    masked += text.slice(at, from) + mask
    at = to
  }
  return masked + text.slice(at)
}
