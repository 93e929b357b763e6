import { createScanner } from 'jsonc-parser'
import { token } from '#shared/json/walk-json.ts'
import type { Token, TokenKind } from './highlight.ts'

/** Returns the tokens of each line of a JSON text, or of one with errors. */
export function jsonLines(text: string): Token[][] {
  const lines: Token[][] = [[]]
  const put = (piece: string, kind: TokenKind) => {
    piece.split(/\r\n?|\n/).forEach((part, index) => {
      if (index > 0) lines.push([])
      if (part !== '') lines.at(-1)?.push({ text: part, kind })
    })
  }
  const scanner = createScanner(text, false)
  // A string is a key if a colon follows, so it waits for the next token.
  let string: string | null = null
  let space = ''
  const flush = (isKey: boolean) => {
    if (string !== null) put(string, isKey ? 'key' : 'str')
    if (space !== '') put(space, 'key')
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
    else put(piece, '{}[],:'.includes(piece) ? 'pun' : (kinds[found] ?? 'key'))
  }
  flush(false)
  return lines
}

const kinds: Readonly<Record<number, TokenKind>> = {
  [token.null]: 'lit',
  [token.true]: 'lit',
  [token.false]: 'lit',
  [token.number]: 'num',
  [token.lineComment]: 'com',
  [token.blockComment]: 'com',
}
