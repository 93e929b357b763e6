import { createContext, Script } from 'node:vm'

/** Milliseconds for one text. A pattern can take years for a short one. */
const limitMs = 50

const context = createContext({ pattern: /(?:)/, text: '' })
const script = new Script('pattern.test(text)')

/** Returns whether a text matches a pattern; null if that takes longer than 50 ms. */
export function matchesInTime(pattern: RegExp, text: string): boolean | null {
  Object.assign(context, { pattern, text })
  try {
    return script.runInContext(context, { timeout: limitMs }) === true
  } catch (error) {
    // The other context has an Error class of its own, so instanceof does not recognize it.
    if (Object(error).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return null
    throw error
  } finally {
    Object.assign(context, { text: '' })
  }
}
