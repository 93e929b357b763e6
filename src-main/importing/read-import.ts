import type { ImportFormat } from '#shared/model/import-preview.ts'
import { parseCurl } from './curl/parse-curl.ts'
import { parseOpenApi } from './openapi/parse-openapi.ts'
import { type Parsed, parseDocument } from './parse.ts'

/**
 * Reads the text of an import in any of its formats. Never throws: what is wrong with it are problems. Pure.
 *
 * @param baseUrl of the connection that it goes to; null for a new one, or one without.
 */
export function readImport(text: string, format: ImportFormat, baseUrl: string | null): Parsed {
  switch (format) {
    case 'document':
      return parseDocument(text)
    case 'openapi':
      return parseOpenApi(text)
    case 'curl':
      return parseCurl(text, baseUrl)
  }
}
