import type { ImportFormat } from './import-preview.ts'

/** Characters at the start of a text that decide its format. */
const lookedAt = 4000

/** Returns the likely import format of a text, judged by its start. */
export function guessImportFormat(text: string): ImportFormat {
  const start = text.slice(0, lookedAt).replace(/^\ufeff/, '')
  if (/^\s*\{/.test(start)) return /"(?:openapi|swagger)"\s*:/.test(start) ? 'openapi' : 'document'
  if (/^(?:openapi|swagger)\s*:/m.test(start)) return 'openapi'
  return /^\s*\[\s*[[\]{"]/.test(start) || !/(?<![\w.-])curl(?:\.exe)?(?![\w.-])/i.test(start)
    ? 'document'
    : 'curl'
}
