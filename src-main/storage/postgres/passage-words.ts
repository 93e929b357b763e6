import { isWhole, normalizedWord, wordsIn } from '#main/lib/query-words.ts'
import { sha256Hex } from '#main/lib/sha256-hex.ts'
import type { AgentScope, StoredMatch } from '../knowledge.ts'

/** The server takes no larger places, and no longer words, than these. */
const largestPlace = 16_383
const mostPlaces = 255
const longestWord = 500
/** Words of a text that a match shows. */
const snippetWords = 24

/** Returns the word that all passages of an agent have. No text has it. */
export const wordOfAgent = ({ workspaceId, agentId }: AgentScope): string =>
  `:a${sha256Hex(`${workspaceId}/${agentId}`).slice(0, 32)}`
/** The same for a file, by its number. */
export const wordOfFile = (number: number): string => `:f${number}`

/** Returns a word as the index has it; an empty text for one of accents alone. */
export const indexed = (word: string): string => normalizedWord(word).slice(0, longestWord)

const quoted = (word: string) => `'${word.replaceAll(/['\\]/g, '$&$&')}'`

/** Returns the `tsvector` of a text, with further words. */
export function vectorOf(text: string, others: readonly string[]): string {
  const places = new Map<string, number[]>()
  let place = 0
  for (const one of wordsIn(text)) {
    const word = indexed(one)
    if (word === '') continue
    place = Math.min(place + 1, largestPlace)
    const known = places.get(word)
    if (known === undefined) places.set(word, [place])
    else if (known.length < mostPlaces) known.push(place)
  }
  const words = [...places].map(([word, at]) => `${quoted(word)}:${at.join(',')}`)
  return [...others.map(quoted), ...words].join(' ')
}

/** Returns the `tsquery` for a word: also those that begin with it, as a rule. */
export const termOf = (word: string): string => (isWhole(word) ? quoted(word) : `${quoted(word)}:*`)

/** Returns the `tsquery` for all or some of the words of a search. @param within a word that the passages must have. */
export const queryOf = (words: readonly string[], operator: '&' | '|', within: string): string =>
  `${quoted(within)} & (${words.map(termOf).join(` ${operator} `)})`

/** Returns the part of a text with the most of the words, and marks them. @param words as the index has them. */
export function snippetOf(text: string, words: readonly string[]): StoredMatch['snippet'] {
  const found = [...text.matchAll(/[\p{L}\p{N}\p{M}\p{Co}]+/gu)].map(({ 0: one, index }) => {
    const word = indexed(one)
    const isMatch = words.some(other => (isWhole(other) ? word === other : word.startsWith(other)))
    return { from: index, to: index + one.length, isMatch }
  })
  const first = bestStart(found.map(({ isMatch }) => isMatch))
  const shown = found.slice(first, first + snippetWords)
  const isCut = { before: first > 0, after: first + snippetWords < found.length }
  let at = isCut.before ? (shown[0]?.from ?? 0) : 0
  const parts = isCut.before ? [{ text: '…', isMatch: false }] : []
  for (const { from, to, isMatch } of shown) {
    if (!isMatch) continue
    parts.push({ text: text.slice(at, from), isMatch: false }, { text: text.slice(from, to), isMatch })
    at = to
  }
  const end = isCut.after ? `${text.slice(at, shown.at(-1)?.to)}…` : text.slice(at)
  return [...parts, { text: end, isMatch: false }].filter(part => part.text !== '')
}

/** Returns the first of as many words as a match shows, with the most that were searched for. */
function bestStart(isMatch: readonly boolean[]): number {
  const before = [0]
  for (const isOne of isMatch) before.push((before.at(-1) ?? 0) + Number(isOne))
  const countFrom = (start: number) =>
    (before[Math.min(start + snippetWords, isMatch.length)] ?? 0) - (before[start] ?? 0)
  let best = 0
  for (const [index, isOne] of isMatch.entries()) {
    // Two words before the first match show what it is about.
    const start = Math.max(0, Math.min(index - 2, isMatch.length - snippetWords))
    if (isOne && countFrom(start) > countFrom(best)) best = start
  }
  return best
}
