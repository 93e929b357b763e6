import type { z } from 'zod'

/** Returns `connections[2].timeoutMs: …` for each problem of a parsed file, at most `limit` of them. */
export function describeProblems(error: z.ZodError, limit = 5): string {
  const shown = error.issues.slice(0, limit).map(({ path, message }) => {
    const at = path.map(key => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
    return at === '' ? message : `${at.replace(/^\./, '')}: ${message}`
  })
  const more = error.issues.length - shown.length
  return shown.join('; ') + (more > 0 ? `; and ${more} more` : '')
}
