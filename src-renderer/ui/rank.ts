/**
 * An entry that the palette can find: `text` is searched and shown, `also` is only searched, and `id` is found by a
 * longer part of it.
 */
export type Findable = {
  readonly text: string
  readonly also?: string
  readonly id?: string
  /** Whether it takes any text, so that it comes after all that have the words themselves. */
  readonly isFallback?: true
}

/** The shortest part of an id that finds it: an id contains many shorter words by chance. */
const minIdLength = 8

/** The shortest word that may contain a typo: too many others are one letter away from shorter words. */
const minTypoLength = 4

/**
 * Returns how well an entry fits a query: 0 for not at all. The start of a word beats its middle, there `text` beats
 * `also`, and a word with a typo comes last.
 */
export function fitness({ text, also = '', id = '' }: Findable, query: string): number {
  const fits = wordsOf(query).map(word => {
    if (word.length >= minIdLength && id.toLowerCase().includes(word)) return 5
    const place = placeOf(text, word)
    if (place === 'start') return 5
    if (place === 'word') return 4
    const placeInAlso = placeOf(also, word)
    if (placeInAlso === 'start' || placeInAlso === 'word') return 3
    if (place !== null || placeInAlso !== null) return 2
    return beginsLike(text, word) || beginsLike(also, word) ? 1 : 0
  })
  return fits.includes(0) ? 0 : fits.reduce<number>((sum, fit) => sum + fit, 1)
}

/** Returns where a word is in a text: at its start, at that of a word, or in the middle of one; null for nowhere. */
function placeOf(text: string, word: string): 'start' | 'word' | 'middle' | null {
  const lower = text.toLowerCase()
  const first = lower.indexOf(word)
  if (first <= 0) return first === 0 ? 'start' : null
  for (let place = first; place !== -1; place = lower.indexOf(word, place + 1))
    if (!/[\p{L}\p{N}]/u.test(lower[place - 1] ?? '')) return 'word'
  return 'middle'
}

/** Returns whether a word of the text begins with the typed word, allowing one typo. */
function beginsLike(text: string, typed: string): boolean {
  if (typed.length < minTypoLength) return false
  const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u)
  return words.some(word => [-1, 0, 1].some(more => isOneTypo(word.slice(0, typed.length + more), typed)))
}

/** Returns whether two texts differ by one added, missing or wrong letter, or by two swapped letters. */
function isOneTypo(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length)
  let start = 0
  while (start < shorter && one[start] === other[start]) start++
  let end = 0
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++
  const left = one.slice(start, one.length - end)
  const right = other.slice(start, other.length - end)
  if (left.length <= 1 && right.length <= 1) return true
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0]
}

/** Returns the entries that fit, best first, up to the limit; the first ones if there is no query. */
export function bestOf<T extends Findable>(entries: readonly T[], query: string, limit: number): T[] {
  if (query.trim() === '') return entries.slice(0, limit)
  return entries
    .map(entry => ({ entry, fit: fitness(entry, query) }))
    .filter(({ fit }) => fit > 0)
    .sort(
      (a, b) => Number(a.entry.isFallback ?? false) - Number(b.entry.isFallback ?? false) || b.fit - a.fit,
    )
    .slice(0, limit)
    .map(({ entry }) => entry)
}

/** Splits a text into pieces and marks those that a word of the query matches. */
export function markMatches(
  text: string,
  query: string,
): readonly { readonly text: string; readonly marked: boolean }[] {
  const words = wordsOf(query).map(word => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  const pieces = words.length === 0 ? [text] : text.split(new RegExp(`(${words.join('|')})`, 'iu'))
  return pieces
    .map((piece, index) => ({ text: piece, marked: index % 2 === 1 }))
    .filter(piece => piece.text !== '')
}

const wordsOf = (query: string) => query.toLowerCase().split(/\s+/).filter(Boolean)
