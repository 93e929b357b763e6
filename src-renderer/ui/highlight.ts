import { type Grammar, grammars, type HighlightId } from './grammars.ts'

/**
 * The theme's colours for code, `c-key` to `c-com`: plain text, strings, numbers and variables, keywords, functions and
 * commands, punctuation, comments.
 */
export type TokenKind = 'key' | 'str' | 'num' | 'lit' | 'fn' | 'pun' | 'com'
export type Token = { readonly text: string; readonly kind: TokenKind }

/**
 * Returns the coloured tokens of each line without loading an editor. The colours are right for the programs that
 * the dashboard shows. The joined lines are always the original text.
 */
export function highlight(code: string, id: HighlightId): Token[][] {
  const lines: Token[][] = [[]]
  for (const { text, kind } of tokensOf(code, grammars[id])) {
    const [first = '', ...more] = text.split('\n')
    if (first !== '') lines.at(-1)?.push({ text: first, kind })
    for (const line of more) lines.push(line === '' ? [] : [{ text: line, kind }])
  }
  return lines
}

function* tokensOf(code: string, grammar: Grammar): Generator<Token> {
  const { comment, string, value } = grammar
  const pattern = new RegExp(
    `(?<com>${comment})|(?<str>${string})|(?<num>${value})|(?<word>[\\p{L}_][\\p{L}\\d_]*)|(?<pun>[^\\s\\p{L}\\d_]+?)`,
    'gu',
  )
  let end = 0
  for (const match of code.matchAll(pattern)) {
    const [text] = match
    if (match.index > end) yield { text: code.slice(end, match.index), kind: 'key' }
    end = match.index + text.length
    const { com, str, num, word } = match.groups ?? {}
    if (com !== undefined) yield { text, kind: 'com' }
    else if (str !== undefined) yield* stringTokens(text, grammar)
    else if (num !== undefined) yield { text, kind: 'num' }
    else if (word !== undefined) yield { text, kind: kindOfWord(text, code[end], grammar) }
    else yield { text, kind: 'pun' }
  }
  if (end < code.length) yield { text: code.slice(end), kind: 'key' }
}

function kindOfWord(word: string, next: string | undefined, { keywords, commands }: Grammar): TokenKind {
  if (keywords.has(word)) return 'lit'
  return next === '(' || commands?.has(word) === true ? 'fn' : 'key'
}

/** Splits a string and the variables in it. */
function* stringTokens(text: string, { interpolation }: Grammar): Generator<Token> {
  let end = 0
  if (interpolation?.opening.test(text) === true) {
    for (const match of text.matchAll(interpolation.value)) {
      if (match.index > end) yield { text: text.slice(end, match.index), kind: 'str' }
      yield { text: match[0], kind: 'num' }
      end = match.index + match[0].length
    }
  }
  if (end < text.length) yield { text: text.slice(end), kind: 'str' }
}
