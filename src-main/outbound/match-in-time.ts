import { createContext, Script } from 'node:vm'
import type { Matches } from '#shared/json-schema/check-value.ts'
import { isQuick } from '#shared/json-schema/quick-patterns.ts'

/** Milliseconds for one text. A pattern can take years for a short one. */
const limitMs = 50

const context = createContext({ pattern: /(?:)/, text: '' })
const script = new Script('pattern.test(text)')

/**
 * Returns whether a text matches a pattern; null if that takes longer than 50 ms, or than what the budget has left.
 */
export const matchesInTime: Matches = (pattern, text, budget) => {
  if (isQuick(pattern.source, text)) return pattern.test(text)
  if (budget.patternMs <= 0) return null
  const start = performance.now()
  Object.assign(context, { pattern, text })
  try {
    return script.runInContext(context, { timeout: limitMs }) === true
  } catch {
    // Besides the time, a pattern can use up the stack or the memory that patterns have.
    return null
  } finally {
    budget.patternMs -= performance.now() - start
    Object.assign(context, { text: '' })
  }
}
