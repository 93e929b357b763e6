import type { z } from 'zod'

const limit = 5

/** Returns `connections[2].timeoutMs: …` for each of the first problems of a parsed file. */
export function describeProblems(error: z.ZodError): string {
  const shown = error.issues.slice(0, limit).map(({ path, message }) => {
    const at = path.map(key => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
    return at === '' ? message : `${at.replace(/^\./, '')}: ${message}`
  })
  const more = error.issues.length - shown.length
  return shown.join('; ') + (more > 0 ? `; and ${more} more` : '')
}
