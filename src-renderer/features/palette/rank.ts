/** Something the palette can find: `text` is searched and shown, `also` is searched alone. */
export type Findable = { readonly text: string; readonly also?: string }

/** How well an entry fits a query: 0 not at all; a word's beginning beats its middle, the text beats `also`. */
export function fitness({ text, also = '' }: Findable, query: string): number {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = words.map(word => {
    const place = text.toLowerCase().indexOf(word)
    if (place === 0) return 4
    if (place > 0) return /[\p{L}\p{N}]/u.test(text[place - 1] ?? '') ? 2 : 3
    return also.toLowerCase().includes(word) ? 1 : 0
  })
  return fits.includes(0) ? 0 : fits.reduce<number>((sum, fit) => sum + fit, 1)
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
