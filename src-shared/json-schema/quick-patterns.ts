/** The longest text that a quick pattern is tried on at once. */
const maxLength = 10_000

/**
 * Returns whether a pattern can be tried on a text without a time limit, which costs far more than most patterns: it has
 * no group within which it could go back again and again, and from the start of the text one repetition at most.
 */
export function isQuick(pattern: string, text: string): boolean {
  if (pattern.length > 1000 || text.length > maxLength) return false
  const outline = pattern.replace(/\\.|\[(?:\\.|[^\]\\])*\]/gs, 'x')
  const groups = outline.split('(').length - 1
  if (groups > 0) return groups === 1 && !/[*+?{]/.test(outline)
  const repetitions = outline.replace(/\{\d+\}/g, '').match(/[*+?{]/g)?.length ?? 0
  return repetitions === 0 || (repetitions === 1 && outline.startsWith('^') && !outline.includes('|'))
}

/** Tries a pattern only if it is quick: a text that only a time limit could judge is taken as a match. */
export const matchesIfQuick = (pattern: RegExp, text: string): boolean =>
  !isQuick(pattern.source, text) || pattern.test(text)
