import { createScanner } from 'jsonc-parser'
import { token } from './walk-json.ts'

/** A JSON syntax problem; `message` is a sentence for the author of the text. */
export type SyntaxProblem = { readonly offset: number; readonly message: string }

const maxProblems = 20
const textAfterEnd = 'There is more text after the end of the document.'

type Expects = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing'
type Open = { readonly closer: '}' | ']'; readonly offset: number }

/**
 * Returns the problems of a text that JSON.parse refuses, at least one and at most 20. It names common mistakes, and
 * continues after a mistake whose intention is clear.
 */
export function diagnoseJson(text: string): SyntaxProblem[] {
  return new Diagnosis(text).run()
}

class Diagnosis {
  readonly #text: string
  readonly #scanner: ReturnType<typeof createScanner>
  readonly #problems: SyntaxProblem[] = []
  readonly #open: Open[] = []
  #expects: Expects = 'value'
  #lastComma = 0
  #lastEnd = -1
  #lastWasNumber = false
  #isOver = false

  constructor(text: string) {
    this.#text = text
    this.#scanner = createScanner(text, false)
  }

  run(): SyntaxProblem[] {
    if (this.#text.trim() === '') return [{ offset: 0, message: 'The text is empty.' }]
    if (this.#text.startsWith('\ufeff')) {
      this.#report(0, 'The text begins with a byte order mark (BOM). Save it as UTF-8 without one.')
      this.#scanner.setPosition(1)
    }
    while (!this.#isOver && this.#problems.length < maxProblems) this.#step(this.#scanner.scan())
    if (this.#problems.length === 0) this.#report(0, 'This is not valid JSON.')
    return this.#problems
  }

  #report(offset: number, message: string): void {
    this.#problems.push({ offset, message })
  }

  /** Reports a problem after which the rest of the text cannot be interpreted. */
  #giveUp(offset: number, message: string): void {
    this.#report(offset, message)
    this.#isOver = true
  }

  #step(kind: number) {
    const offset = this.#scanner.getTokenOffset()
    switch (kind) {
      case token.trivia:
      case token.lineBreak:
        return
      case token.lineComment:
      case token.blockComment:
        return this.#report(offset, 'JSON has no comments. Remove this one.')
      case token.end:
        return this.#end()
      case token.unknown:
        return this.#unknown(offset)
      case token.comma:
        return this.#comma(offset)
      case token.colon:
        return this.#colon(offset)
      case token.openBrace:
      case token.openBracket:
        return this.#opens(offset, kind === token.openBrace)
      case token.closeBrace:
      case token.closeBracket:
        return this.#closes(offset, kind === token.closeBrace ? '}' : ']')
      case token.string:
        this.#inString(offset)
        return this.#item(offset, true)
      case token.number:
        if (this.#continuesNumber(offset)) return
        if (this.#scanner.getTokenError() !== 0) this.#report(offset, 'This is not a JSON number.')
        return this.#item(offset, false, true)
      default:
        return this.#item(offset, false)
    }
  }

  #end() {
    this.#isOver = true
    if (this.#expects === 'nothing') return
    const inner = this.#open.at(-1)
    const at = this.#text.trimEnd().length
    if (inner === undefined) return this.#report(at, 'The text has no JSON value.')
    const many = this.#open.length === 1 ? 'a bracket is' : `${this.#open.length} brackets are`
    const line = this.#text.slice(0, inner.offset).split('\n').length
    this.#report(
      at,
      `The text ends too early: ${many} still open. Close the one from line ${line} with ${inner.closer}.`,
    )
  }

  /** Handles a string, a number or a word. Its position decides whether it is a key or a value. */
  #item(offset: number, isText: boolean, isNumber = false) {
    const end = this.#scanner.getPosition()
    if (!this.#mayBegin(offset)) return
    if (this.#expects === 'key' || this.#expects === 'key or end') {
      if (!isText) this.#report(offset, 'Write keys in double quotes: "name".')
      this.#expects = 'colon'
    } else this.#valueEnded()
    this.#lastEnd = end
    this.#lastWasNumber = isNumber
  }

  /** Reports a colon or comma that is missing before an item. Returns false after the end of the document. */
  #mayBegin(offset: number): boolean {
    if (this.#expects === 'nothing') this.#giveUp(offset, textAfterEnd)
    if (this.#expects === 'colon') {
      this.#report(offset, 'A colon is missing between a key and its value.')
      this.#expects = 'value'
    }
    if (this.#expects === 'comma or end') {
      this.#report(offset, 'A comma is missing before this.')
      this.#expectNext()
    }
    return !this.#isOver
  }

  #expectNext(): void {
    this.#expects = this.#open.at(-1)?.closer === '}' ? 'key' : 'value'
  }

  #valueEnded(): void {
    this.#expects = this.#open.length === 0 ? 'nothing' : 'comma or end'
  }

  #comma(offset: number) {
    if (this.#expects === 'colon' || (this.#expects === 'value' && this.#open.at(-1)?.closer === '}'))
      this.#report(offset, 'A value is missing before this comma.')
    else if (this.#expects === 'nothing') return this.#giveUp(offset, textAfterEnd)
    else if (this.#expects !== 'comma or end') this.#report(offset, 'There is an extra comma here.')
    if (this.#open.length === 0) return this.#giveUp(offset, 'The document must start with { or [.')
    this.#expectNext()
    this.#lastComma = offset
  }

  #colon(offset: number) {
    if (this.#expects === 'colon') this.#expects = 'value'
    else this.#giveUp(offset, 'A colon is only allowed between a key and its value.')
  }

  #opens(offset: number, isObject: boolean) {
    if (!this.#mayBegin(offset)) return
    if (this.#expects === 'key' || this.#expects === 'key or end')
      return this.#giveUp(offset, 'A key in double quotes is expected here.')
    this.#open.push({ closer: isObject ? '}' : ']', offset })
    this.#expects = isObject ? 'key or end' : 'value or end'
  }

  #closes(offset: number, closer: '}' | ']') {
    const inner = this.#open.at(-1)
    if (inner === undefined) return this.#giveUp(offset, `This ${closer} has no opening bracket.`)
    if (inner.closer !== closer)
      return this.#giveUp(offset, `A ${inner.closer} is expected here, not ${closer}.`)
    if (this.#expects === 'colon') this.#report(offset, 'The key before this has no value.')
    else if (this.#expects === 'value' && closer === '}')
      this.#report(offset, 'A value is missing before this.')
    else if (
      (this.#expects === 'key' || this.#expects === 'value') &&
      this.#problems.at(-1)?.offset !== this.#lastComma
    )
      this.#report(this.#lastComma, `Remove this trailing comma: no value follows it before the ${closer}.`)
    this.#open.pop()
    this.#valueEnded()
  }

  /** Returns whether digits directly follow a number, as in 01 or 0x1f, and reports them. */
  #continuesNumber(offset: number): boolean {
    if (!this.#lastWasNumber || offset !== this.#lastEnd) return false
    this.#report(offset, 'A JSON number is decimal and has no leading zeros.')
    this.#lastEnd = this.#scanner.getPosition()
    return true
  }

  #inString(offset: number) {
    if (this.#scanner.getTokenError() === unexpectedEndOfString) {
      const isLast = this.#scanner.getPosition() >= this.#text.length
      return isLast
        ? this.#giveUp(offset, 'The text ends within this string: its closing quotation mark is missing.')
        : this.#giveUp(
            offset,
            'This string does not end on its line. Close it, or write \\n for a line break.',
          )
    }
    const source = this.#text.slice(offset, this.#scanner.getPosition())
    for (const { index, 1: backslash, 2: control } of source.matchAll(inString)) {
      if (backslash === undefined && control === undefined) continue
      this.#report(
        offset + index,
        backslash === undefined
          ? 'Write a control character in a string as \\t, \\u0001 and so on.'
          : 'A backslash must be followed by one of " \\ / b f n r t, or by u and four hexadecimal digits.',
      )
      return
    }
  }

  #unknown(offset: number) {
    const rest = this.#text.slice(offset, offset + 400)
    if (rest.startsWith('```')) {
      this.#report(offset, 'Remove this markdown fence (```) and send only the JSON.')
      return this.#scanner.setPosition(lineEnd(this.#text, offset))
    }
    if (rest.startsWith('#')) {
      this.#report(offset, 'JSON has no comments. Remove this one.')
      return this.#scanner.setPosition(lineEnd(this.#text, offset))
    }
    const quotes = quoteNames[rest[0] ?? '']
    if (quotes !== undefined) {
      this.#report(offset, `Write strings in double quotes ("), not in ${quotes.name}.`)
      this.#scanner.setPosition(quotedEnd(this.#text, offset, quotes.closer))
      return this.#item(offset, true)
    }
    const invisible = /^[\p{Cf}\p{Zs}\v\f]/u.exec(rest)?.[0]
    if (invisible !== undefined) {
      this.#report(offset, `There is an invisible character (${codePoint(invisible)}) here. Remove it.`)
      return this.#scanner.setPosition(offset + invisible.length)
    }
    const [word = rest[0] ?? ''] = /^[^\s,:{}[\]"'`/]+/u.exec(rest) ?? []
    this.#scanner.setPosition(offset + word.length)
    if (this.#lastWasNumber && offset === this.#lastEnd)
      return this.#report(offset, 'This is not a JSON number.')
    if (this.#open.length === 0 && this.#expects === 'value' && !isKnownWord(word))
      return this.#giveUp(offset, 'The document must start with { or [, but there is other text before it.')
    if (this.#expects !== 'key' && this.#expects !== 'key or end' && this.#expects !== 'nothing')
      this.#report(offset, wordSentence(word))
    this.#item(offset, false)
  }
}

const unexpectedEndOfString = 2
/** Matches a valid escape, a backslash without one, or a control character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const inString = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|(\\)|([\0-\x1f])/g

const quoteNames: Readonly<Record<string, { name: string; closer: string }>> = {
  "'": { name: "single quotes (')", closer: "'" },
  '`': { name: 'backquotes (`)', closer: '`' },
  '“': { name: 'typographic quotes (“ ”)', closer: '”' },
  '”': { name: 'typographic quotes (“ ”)', closer: '”' },
  '‘': { name: 'typographic quotes (‘ ’)', closer: '’' },
}

function lineEnd(text: string, from: number): number {
  const found = text.indexOf('\n', from)
  return found === -1 ? text.length : found
}

/** Returns the offset after the closing quote on the same line, or else the end of the word. */
function quotedEnd(text: string, from: number, closer: string): number {
  const end = lineEnd(text, from)
  for (let at = from + 1; at < end; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === closer) return at + 1
  }
  const word = /[\s,:{}[\]]/.exec(text.slice(from, end))
  return word === null ? end : from + word.index
}

const isKnownWord = (word: string) =>
  /^([-+]?(NaN|Infinity)|undefined|None|True|False|NULL|Null|TRUE|FALSE)$/.test(word)

function wordSentence(word: string): string {
  if (/^[-+]?(NaN|Infinity)$|^undefined$/.test(word))
    return `${word} is not a JSON value. Write null instead.`
  if (word === 'None' || /^null$/i.test(word)) return `Write null instead of ${word}.`
  if (/^(true|false)$/i.test(word)) return `Write ${word.toLowerCase()} in lower case.`
  if (/^[-+.\d]/.test(word)) return 'This is not a JSON number.'
  return 'A value is expected here. Write strings in double quotes.'
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
