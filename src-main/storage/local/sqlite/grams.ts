/**
 * The terms of the index. A search asks the index for rows with all terms of the searched text, then checks each row:
 * the terms may match too many rows, but never too few.
 */
import type { Scope } from './log-reader.ts'

/** Maximum number of terms of a query: more would narrow it little, and each costs a lookup. */
const mostTerms = 8

const longGramLength = 6
const runs = /[0-9a-z]{6,}/g
const digit = /[0-9]/

/**
 * Yields every sequence of six letters and digits with a digit in it: parts of numbers, identifiers, hashes. Their
 * trigrams are in almost every row, so a search by trigrams would check almost all rows.
 */
export function* longGrams(normalized: string): Generator<string> {
  for (const [run] of normalized.matchAll(runs)) {
    if (!digit.test(run)) continue
    let lastDigit = Number.NEGATIVE_INFINITY
    for (let end = 0; end < run.length; end++) {
      const code = run.charCodeAt(end)
      if (code >= 48 && code <= 57) lastDigit = end
      const start = end + 1 - longGramLength
      if (start >= 0 && lastDigit >= start) yield run.slice(start, end + 1)
    }
  }
}

/** Maximum number of terms that are held at once while a body is indexed. */
const mostTermsHeld = 16_384

/**
 * Returns the long grams of a body, separated by spaces and mostly without duplicates. A body of 1 MiB of digits has a
 * million, which would take a hundred times its memory as an array.
 */
export function longGramText(normalized: string): string {
  const held = new Set<string>()
  let text = ''
  for (const gram of longGrams(normalized)) {
    held.add(gram)
    if (held.size < mostTermsHeld) continue
    text += `${[...held].join(' ')} `
    held.clear()
  }
  return text + [...held].join(' ')
}

/** Returns trigrams that cover the text, without those that the tokenizer would change. */
export function coveringTrigrams(normalized: string): string[] {
  const points = [...normalized]
  const trigrams: string[] = []
  for (let start = 0; start + 3 <= points.length; start += 3)
    trigrams.push(points.slice(start, start + 3).join(''))
  if (points.length >= 3 && points.length % 3 !== 0) trigrams.push(points.slice(-3).join(''))
  return trigrams.filter(gram => gram.isWellFormed() && !gram.includes('\0'))
}

/** Returns an FTS5 query for rows with all terms; `scope` comes last, or is null for none. */
export function matchAll(terms: readonly string[], scope: string | null): string {
  const step = Math.max(1, terms.length / mostTerms)
  const chosen: string[] = []
  for (let at = 0; at < terms.length; at += step) chosen.push(terms[Math.floor(at)]!)
  return [...new Set(chosen), ...(scope === null ? [] : [scope])]
    .map(term => `"${term.replaceAll('"', '""')}"`)
    .join(' AND ')
}

/** Replaces U+0000, where the trigram tokenizer would stop. */
export function tokenizable(normalized: string): string {
  return normalized.includes('\0') ? normalized.replaceAll('\0', '\n') : normalized
}

/** Terms of a connection and of a name within it, in the index of long grams. */
export const scopeWords = {
  connection: (connection: number) => `conn${connection.toString(36).padStart(4, '0')}`,
  name: (connection: number, name: string) =>
    `name${nameHash(connection, name).toString(36).padStart(7, '0')}`,
}

/** The same as trigrams of private use characters. Values beyond 2^23 wrap around. */
export const scopeTrigrams = {
  connection: (connection: number) => privateTrigram(0xf800, connection),
  name: (connection: number, name: string) => privateTrigram(0xf801, nameHash(connection, name)),
}

/** Returns the term of a name in the connection, or of the whole connection. */
export function scopeTerm(terms: typeof scopeWords, scope: Scope, name: string | null): string {
  return name === null ? terms.connection(scope.connection) : terms.name(scope.connection, name)
}

function privateTrigram(kind: number, value: number): string {
  return String.fromCharCode(kind, 0xe000 + (value & 0xfff), 0xf000 + ((value >>> 12) & 0x7ff))
}

/** FNV-1a, 32 bits. */
function nameHash(connection: number, name: string): number {
  let hash = 0x811c9dc5 ^ connection
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
