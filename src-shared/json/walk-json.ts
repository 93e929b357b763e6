import { createScanner } from 'jsonc-parser'

/** Tokens of jsonc-parser's scanner, copied because its `const enum` does not exist at run time. */
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
  /** Called for a key of the innermost object. */
  key?(name: string, offset: number): void
  /**
   * Called at the start of a value. `step` is its key or index in the innermost container; null at the root. `text`
   * is the content of a string or the source of a number.
   */
  value?(
    step: string | number | null,
    kind: 'object' | 'array' | 'string' | 'number' | 'other',
    offset: number,
    text: string,
  ): void
  /** Called at the end of the innermost container. */
  leave?(): void
}

type Open = { readonly isArray: boolean; step: string | number; expectsKey: boolean }

/** Walks through a valid JSON text once. It does not recurse, so deep texts cannot overflow the stack. */
export function walkJson(text: string, visitor: JsonVisitor): void {
  // The scanner would keep each character of the white space at the end.
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
