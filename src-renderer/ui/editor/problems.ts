import { diagnoseJson } from '#shared/json/diagnose-json.ts'

/** Something to say of a text, at a place of it. Without a place it is of the first line. */
export type EditorProblem = {
  /** Offset in UTF-16 units, of a text whose lines end with LF; or else: */
  readonly from?: number
  /** Counted from 1. */
  readonly line?: number
  /** Counted from 1, in UTF-16 units. */
  readonly column?: number
  /** In UTF-16 units; without it the word or the string at that place. */
  readonly length?: number
  /** Its first sentence stands out; `code` may stand in backquotes. */
  readonly message: string
  readonly severity: 'error' | 'warning'
}

/** What is wrong with a text as JSON; nothing with a blank one. */
export function syntaxProblems(text: string): EditorProblem[] {
  if (text.trim() === '') return []
  try {
    JSON.parse(text)
    return []
  } catch {
    return diagnoseJson(text).map(({ offset, message }) => ({ from: offset, message, severity: 'error' }))
  }
}

/** How much of a line a problem at this place is about: the string that begins there, a word, a sign. */
export function lengthAt(line: string, column: number): number {
  const rest = line.slice(column)
  const [found] = /^"(?:[^"\\]|\\.)*"?|^[^\s",:[\]]+/.exec(rest) ?? []
  return found?.length ?? Math.min(1, rest.length)
}

/** A message in the pieces it is shown in: the first sentence, and what is code. */
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
