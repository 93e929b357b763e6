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
