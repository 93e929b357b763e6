/** Engines search for texts up to this length in linear time, or nearly so. */
const maxPlainSearch = 32

/**
 * Returns the index of the first place of a part in a text from an index on, -1 for none, in time linear in both.
 * `String.indexOf` takes quadratic time on `aaa…` and `aa…baa…`, so longer parts are searched with the
 * Knuth-Morris-Pratt algorithm.
 */
export function indexOfText(text: string, part: string, from = 0): number {
  if (part.length <= maxPlainSearch) return text.indexOf(part, from)
  if (part.length > text.length - from) return -1
  /** For each prefix of the part, the length of its longest proper border. */
  const borders = new Uint32Array(part.length)
  for (let at = 1, length = 0; at < part.length; at++) {
    const unit = part.charCodeAt(at)
    while (length > 0 && part.charCodeAt(length) !== unit) length = borders[length - 1] ?? 0
    if (part.charCodeAt(length) === unit) length++
    borders[at] = length
  }
  for (let at = from, length = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    while (length > 0 && part.charCodeAt(length) !== unit) length = borders[length - 1] ?? 0
    if (part.charCodeAt(length) === unit) length++
    if (length === part.length) return at + 1 - length
  }
  return -1
}
