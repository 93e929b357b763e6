/** Something the palette can find: `text` is searched and shown, `also` is searched alone. */
export type Findable = { readonly text: string; readonly also?: string }

/** The shortest word of a query in which a typo is tolerated: of shorter ones too much is one letter away. */
const minTypoLength = 4

/**
 * Returns how well an entry fits a query: 0 for not at all. A word's beginning beats its middle, the text beats
 * `also`, and a word with one typo comes last.
 */
export function fitness({ text, also = '' }: Findable, query: string): number {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = words.map(word => {
    const place = text.toLowerCase().indexOf(word)
    if (place === 0) return 5
    if (place > 0) return /[\p{L}\p{N}]/u.test(text[place - 1] ?? '') ? 3 : 4
    if (also.toLowerCase().includes(word)) return 2
    return beginsLike(text, word) || beginsLike(also, word) ? 1 : 0
  })
  return fits.includes(0) ? 0 : fits.reduce<number>((sum, fit) => sum + fit, 1)
}

/** Whether some word of a text begins with the word that was typed, but for one typo. */
function beginsLike(text: string, typed: string): boolean {
  if (typed.length < minTypoLength) return false
  const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u)
  return words.some(word => [-1, 0, 1].some(more => isOneTypo(word.slice(0, typed.length + more), typed)))
}

/** Whether one letter too many, too few or wrong, or two swapped, turn one text into the other. */
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

/** The entries that fit, best first, at most so many; without a query the first ones as they stand. */
export function bestOf<T extends Findable>(entries: readonly T[], query: string, limit: number): T[] {
  if (query.trim() === '') return entries.slice(0, limit)
  return entries
    .map(entry => ({ entry, fit: fitness(entry, query) }))
    .filter(({ fit }) => fit > 0)
    .sort((a, b) => b.fit - a.fit)
    .slice(0, limit)
    .map(({ entry }) => entry)
}

/** A text in pieces, those marked in which a word of the query is. Together they are the text. */
export function markMatches(
  text: string,
  query: string,
): { readonly text: string; readonly marked: boolean }[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const lower = text.toLowerCase()
  // Some letters change their length with their case; then nothing can be marked at its place.
  if (words.length === 0 || lower.length !== text.length) return text === '' ? [] : [{ text, marked: false }]
  const flags = Array.from({ length: text.length }, () => false)
  for (const word of words) {
    const place = lower.indexOf(word)
    if (place !== -1) flags.fill(true, place, place + word.length)
  }
  const pieces: { text: string; marked: boolean }[] = []
  for (let index = 0; index < text.length; index++) {
    const marked = flags[index] ?? false
    const last = pieces.at(-1)
    if (last?.marked === marked) last.text += text[index]
    else pieces.push({ text: text[index] ?? '', marked })
  }
  return pieces
}
