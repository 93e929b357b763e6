import type { SignedPart } from '#shared/model/sender/signed-text.ts'

/** A part of the signed text with what it stands for in one request. The body is never among them. */
export type FilledPart = { readonly part: SignedPart; readonly text: string }

/** A value that does not show where it ends or begins, and the text that should show it. */
export type UnclearValue = { readonly part: SignedPart; readonly separator: string }

/**
 * Returns the first value that could be read in another way; null if there is none.
 *
 * A signature covers the joined text alone. If a value contained the text that follows it, bytes could move from one
 * part to the next under the same signature: the head of an old body into the id, and a time in its text into the place
 * of the timestamp. So each value ends at the first place where the text that follows it begins. What comes after the
 * body is read from the end: there, each value also begins at the last place where the text before it ends.
 *
 * @param before the parts before the body; all of them if its bytes are not signed themselves. @param after those after
 *   it. @param isIso whether the timestamp is in ISO 8601, which has several lengths.
 */
export function unclearValue(
  before: readonly FilledPart[],
  after: readonly FilledPart[],
  isIso = false,
): UnclearValue | null {
  const hasAnyLength = ({ part: { kind } }: FilledPart) =>
    anyLength.has(kind) || (isIso && kind === 'timestamp')
  for (const side of [before, after])
    for (const [index, value] of side.entries()) {
      if (!hasAnyLength(value)) continue
      const following = separatorIn(side.slice(index + 1), isIso)
      if (following.length > 0 && endsEarlier(value, following)) return unclear(value, following)
      if (side === before) continue
      const preceding = separatorIn(side.slice(0, index).toReversed(), isIso).toReversed()
      if (beginsLater(value, preceding)) return unclear(value, preceding)
    }
  return null
}

const anyLength: ReadonlySet<SignedPart['kind']> = new Set([
  ...(['id', 'header', 'url', 'path', 'query', 'field', 'line', 'sortedForm'] as const),
])
/** Values of one length, or of a few words: they can be part of a separator, and do not separate alone. */
const fixed: ReadonlySet<SignedPart['kind']> = new Set([
  ...(['timestamp', 'method', 'bodyHash', 'bodyCrc32', 'setting'] as const),
])
const textOf = (parts: readonly FilledPart[]) => parts.map(({ text }) => text).join('')

const unclear = ({ part }: FilledPart, separator: readonly FilledPart[]): UnclearValue => ({
  part,
  separator: textOf(separator),
})

/**
 * Returns the parts that separate a value from the next one: up to the first text. Empty if there is no text, because a
 * timestamp alone separates nothing: digits of the value could be another one.
 *
 * @param parts those on one side of the value, the nearest first.
 */
function separatorIn(parts: readonly FilledPart[], isIso: boolean): readonly FilledPart[] {
  const isFixed = ({ part: { kind } }: FilledPart) => fixed.has(kind) && !(isIso && kind === 'timestamp')
  const end = parts.findIndex(part => !isFixed(part))
  return parts[end]?.part.kind === 'text' ? parts.slice(0, end + 1) : []
}

/** Returns whether a value contains a separator before the one that follows it. */
function endsEarlier(value: FilledPart, separator: readonly FilledPart[]): boolean {
  const free = freeTextOf(value)
  return indexOf(free + textOf(separator), separator) < free.length
}

/** Returns whether a value contains a separator after the one that precedes it. */
function beginsLater(value: FilledPart, separator: readonly FilledPart[]): boolean {
  const free = freeTextOf(value)
  const fixed = value.text.slice(0, value.text.length - free.length)
  const start =
    fixed === '' ? separator : [...separator, { part: { kind: 'text', text: fixed } as const, text: fixed }]
  if (start.length === 0) return false
  return indexOf((textOf(start) + free).slice(1), start) !== -1
}

/** Returns the part of a value that a sender chooses: for a URL, only its query. */
function freeTextOf({ part, text }: FilledPart): string {
  if (part.kind !== 'url') return text
  const query = text.indexOf('?')
  return query === -1 ? '' : text.slice(query)
}

/** Returns where a text has these parts first, with any value of a fixed length; -1 if nowhere. */
function indexOf(text: string, parts: readonly FilledPart[]): number {
  if (parts.every(({ part }) => part.kind === 'text')) return text.indexOf(textOf(parts))
  return text.search(new RegExp(parts.map(sourceOf).join('')))
}

/** Returns an expression that matches each value that a part could have in another request. */
function sourceOf({ part, text }: FilledPart): string {
  if (part.kind === 'timestamp') return `[0-9]{${text.length}}`
  if (part.kind === 'method') return '[A-Z]{3,7}'
  if (part.kind === 'bodyHash') return '[0-9a-f]{64}'
  if (part.kind === 'bodyCrc32') return '[0-9]{1,10}'
  return text.replace(/[^0-9A-Za-z]/g, '\\$&')
}
