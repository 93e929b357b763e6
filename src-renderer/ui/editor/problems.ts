import { diagnoseJson } from '#shared/json/diagnose-json.ts'
import { parseJson } from '#shared/json/parse-json.ts'

/** A problem at a place of a text; without a place, on the first line. */
export type EditorProblem = {
  /** Offset in UTF-16 units, with LF line ends. Instead of line and column. */
  readonly from?: number
  /** Counts from 1. */
  readonly line?: number
  /** Counts from 1, in UTF-16 units. */
  readonly column?: number
  /** In UTF-16 units; by default that of the word or string there. */
  readonly length?: number
  /** The first sentence is emphasized. May contain `code` in backquotes. */
  readonly message: string
  readonly severity: 'error' | 'warning'
}

/** Returns the syntax errors of a JSON text; none for a blank one. */
export function syntaxProblems(text: string): EditorProblem[] {
  if (text.trim() === '' || parseJson(text) !== undefined) return []
  return diagnoseJson(text).map(({ offset, message }) => ({ from: offset, message, severity: 'error' }))
}

/** Returns the length of the string, word or character at this place of a line. */
export function lengthAt(line: string, column: number): number {
  const rest = line.slice(column)
  const [found] = /^"(?:[^"\\]|\\.)*"?|^[^\s",:[\]]+/.exec(rest) ?? []
  return found?.length ?? Math.min(1, rest.length)
}

/** Splits a message into pieces: code or text, in the first sentence or after it. */
export function messageParts(message: string): { text: string; isCode: boolean; isFirst: boolean }[] {
  const end = /[.!?](?=\s)/.exec(message)?.index ?? message.length
  let at = 0
  return message.split('`').flatMap((text, index) => {
    const from = at
    at += text.length + 1
    const isCode = index % 2 === 1
    const cut = Math.max(0, Math.min(text.length, end + 1 - from))
    const pieces = isCode
      ? [{ text, isCode, isFirst: from < end }]
      : [
          { text: text.slice(0, cut), isCode, isFirst: true },
          { text: text.slice(cut), isCode, isFirst: false },
        ]
    return pieces.filter(piece => piece.text !== '')
  })
}
