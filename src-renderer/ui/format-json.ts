import { format } from 'jsonc-parser'
import { parseJson } from '#shared/json/parse-json.ts'

type TextEdit = { readonly from: number; readonly to: number; readonly insert: string }

/** Maximum number of characters of indentation: 1 MiB of `1,` at depth 1,000 would become a gigabyte. */
const mostIndentation = 16 * 1024 * 1024

/**
 * Returns the edits that format a JSON text, in its order. Only white space changes, so numbers keep their digits.
 * Returns none if the indentation would make the text huge.
 */
export function formatEdits(text: string): TextEdit[] {
  if (indentationOf(text) > mostIndentation) return []
  return format(text, undefined, { tabSize: 2, insertSpaces: true, eol: '\n' }).map(
    ({ offset, length, content }) => ({ from: offset, to: offset + length, insert: content }),
  )
}

/** Returns how many characters of indentation a JSON text gets. */
function indentationOf(text: string): number {
  let total = 0
  let depth = 0
  for (const [token] of text.matchAll(stringOrSign)) {
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth--
    if (token[0] !== '"') total += 2 * Math.max(0, depth)
  }
  return total
}

const stringOrSign = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\],]/gs

export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const parts: string[] = []
  let at = 0
  for (const { from, to, insert } of edits) {
    parts.push(text.slice(at, from), insert)
    at = to
  }
  return [...parts, text.slice(at)].join('')
}

/** Formats a JSON text with a line for each value and two spaces a level. Returns any other text unchanged. */
export function formatJson(text: string): string {
  return parseJson(text) === undefined ? text : applyEdits(text, formatEdits(text))
}

/** Returns a JSON text without white space between its tokens. Digits and strings do not change. */
export function compactJson(text: string): string {
  return text.replace(stringOrSpace, token => (token.startsWith('"') ? token : ''))
}

/** The closing quote is optional: without that, an unclosed string would take quadratic time. */
const stringOrSpace = /"[^"\\]*(?:\\.[^"\\]*)*"?|[ \t\r\n]+/gs
