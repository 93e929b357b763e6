import { createScanner } from 'jsonc-parser'

/** Tokens of jsonc-parser's scanner; its own enumeration is a constant that only its compiler sees. */
export const token = {
  openBrace: 1,
  closeBrace: 2,
  openBracket: 3,
  closeBracket: 4,
  comma: 5,
  colon: 6,
  null: 7,
  true: 8,
  false: 9,
  string: 10,
  number: 11,
  lineComment: 12,
  blockComment: 13,
  lineBreak: 14,
  trivia: 15,
  unknown: 16,
  end: 17,
} as const

export type JsonVisitor = {
  /** A key of the innermost object. */
  key?(name: string, offset: number): void
  /**
   * A value begins. `step` leads to it from the innermost container; null at the root. For a string `text`
   * is what it says, for a number its source.
   */
  value?(
    step: string | number | null,
    kind: 'object' | 'array' | 'string' | 'number' | 'other',
    offset: number,
    text: string,
  ): void
  /** The innermost container ends. */
  leave?(): void
}

type Open = { readonly isArray: boolean; step: string | number; expectsKey: boolean }

/** Goes through a valid JSON text once, token by token, not recursively: a deep one overflows no stack. */
export function walkJson(text: string, visitor: JsonVisitor): void {
  // Less the space at the end, of which the scanner would keep each character.
  const scanner = createScanner(text.trimEnd(), true)
  const open: Open[] = []
  for (;;) {
    const found: number = scanner.scan()
    if (found === token.end) return
    const inner = open.at(-1)
    const step = inner?.step ?? null
    const offset = scanner.getTokenOffset()
    switch (found) {
      case token.openBrace:
        visitor.value?.(step, 'object', offset, '')
        open.push({ isArray: false, step: '', expectsKey: true })
        break
      case token.openBracket:
        visitor.value?.(step, 'array', offset, '')
        open.push({ isArray: true, step: 0, expectsKey: false })
        break
      case token.closeBrace:
      case token.closeBracket:
        open.pop()
        visitor.leave?.()
        break
      case token.comma:
        if (inner?.isArray === true && typeof inner.step === 'number') inner.step++
        else if (inner !== undefined) inner.expectsKey = true
        break
      case token.colon:
        break
      case token.string:
        if (inner?.expectsKey === true) {
          inner.step = scanner.getTokenValue()
          inner.expectsKey = false
          visitor.key?.(inner.step, offset)
        } else visitor.value?.(step, 'string', offset, scanner.getTokenValue())
        break
      case token.number:
        visitor.value?.(step, 'number', offset, scanner.getTokenValue())
        break
      default:
        visitor.value?.(step, 'other', offset, '')
    }
  }
}
