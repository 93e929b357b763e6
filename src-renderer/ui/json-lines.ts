import { createScanner } from 'jsonc-parser'
import { token } from '#shared/json/walk-json.ts'

type Piece = { readonly text: string; readonly kind: string }

/** A text, JSON or nearly so, in lines of pieces by their kind: key, string, number, literal, punctuation. */
export function jsonLines(text: string): Piece[][] {
  const lines: Piece[][] = [[]]
  const put = (piece: string, kind: string) => {
    piece.split(/\r\n?|\n/).forEach((part, index) => {
      if (index > 0) lines.push([])
      if (part !== '') lines.at(-1)?.push({ text: part, kind })
    })
  }
  const scanner = createScanner(text, false)
  // A string is a key if a colon follows: what is not yet put down waits for it.
  let string: string | null = null
  let space = ''
  const flush = (isKey: boolean) => {
    if (string !== null) put(string, isKey ? 'key' : 'string')
    if (space !== '') put(space, 'plain')
    string = null
    space = ''
  }
  for (let at = 0; at < text.length; at = scanner.getPosition()) {
    const found: number = scanner.scan()
    const piece = text.slice(scanner.getTokenOffset(), scanner.getPosition())
    if (found === token.end) break
    if (found === token.trivia || found === token.lineBreak) {
      space += piece
      continue
    }
    flush(found === token.colon)
    if (found === token.string) string = piece
    else put(piece, kinds[found] ?? 'plain')
  }
  flush(false)
  return lines
}

const kinds: Readonly<Record<number, string>> = {
  [token.openBrace]: 'punctuation',
  [token.closeBrace]: 'punctuation',
  [token.openBracket]: 'punctuation',
  [token.closeBracket]: 'punctuation',
  [token.comma]: 'punctuation',
  [token.colon]: 'punctuation',
  [token.null]: 'literal',
  [token.true]: 'literal',
  [token.false]: 'literal',
  [token.number]: 'number',
  [token.lineComment]: 'comment',
  [token.blockComment]: 'comment',
}
