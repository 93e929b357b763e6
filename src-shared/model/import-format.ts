import type { ImportFormat } from './import-preview.ts'

/** Characters at the start of a text that decide its format. */
const lookedAt = 4000

/** Returns the likely import format of a text, judged by its start. */
export function guessImportFormat(text: string): ImportFormat {
  const start = text.slice(0, lookedAt).replace(/^\ufeff/, '')
  if (/^\s*(?:```\w*\s*)?(?:[$%>#]\s+)?curl(?:\.exe)?\s/i.test(start)) return 'curl'
  if (/^\s*\{/.test(start)) return /"(?:openapi|swagger)"\s*:/.test(start) ? 'openapi' : 'document'
  return /^(?:openapi|swagger)\s*:/m.test(start) ? 'openapi' : 'document'
}
