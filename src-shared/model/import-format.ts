import type { ImportFormat } from './import-preview.ts'

/** How far into a text is looked for what it is. */
const lookedAt = 4000

/** What a text that is to be imported most likely is, by its beginning. */
export function guessImportFormat(text: string): ImportFormat {
  const start = text.slice(0, lookedAt).replace(/^\ufeff/, '')
  if (/^\s*(?:```\w*\s*)?(?:[$%>#]\s+)?curl(?:\.exe)?\s/i.test(start)) return 'curl'
  if (/^\s*\{/.test(start)) return /"(?:openapi|swagger)"\s*:/.test(start) ? 'openapi' : 'document'
  return /^(?:openapi|swagger)\s*:/m.test(start) ? 'openapi' : 'document'
}
