import { format } from 'jsonc-parser'

type TextEdit = { readonly from: number; readonly to: number; readonly insert: string }

/** Characters of indentation that are added at most: 1 MiB of `1,` at depth 1,000 would become a gigabyte. */
const mostIndentation = 16 * 1024 * 1024

/**
 * Returns what makes a JSON text readable, in order of the text: only white space changes, so digits stay as they
 * are. A text that is nested so deep that indenting it would make it huge stays as it is.
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

/** A JSON text with a line for each value, two spaces a level; a text that is no JSON as it is. */
export function formatJson(text: string): string {
  try {
    JSON.parse(text)
  } catch {
    return text
  }
  return applyEdits(text, formatEdits(text))
}

/** A JSON text on one line, without white space between its tokens; digits and strings stay as they are. */
export function compactJson(text: string): string {
  return text.replace(stringOrSpace, token => (token.startsWith('"') ? token : ''))
}

/** The closing quote may be missing: a pattern that then starts over takes quadratic time on `"\\"\\"…`. */
const stringOrSpace = /"[^"\\]*(?:\\.[^"\\]*)*"?|\s+/gs
