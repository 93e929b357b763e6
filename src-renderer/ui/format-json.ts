import { format } from 'jsonc-parser'

export type TextEdit = { readonly from: number; readonly to: number; readonly insert: string }

/** What makes a JSON text readable, in order of the text: only white space changes, so digits stay as they are. */
export function formatEdits(text: string): TextEdit[] {
  return format(text, undefined, { tabSize: 2, insertSpaces: true, eol: '\n' }).map(
    ({ offset, length, content }) => ({ from: offset, to: offset + length, insert: content }),
  )
}

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
  return text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_all, string: string | undefined) => string ?? '')
}
