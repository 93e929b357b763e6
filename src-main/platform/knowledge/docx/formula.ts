import type { Attribute } from './xml.ts'

/** Where a formula is written. */
export type FormulaOutput = {
  write(text: string): void
  /** Begins a part, which `take` ends and returns, and `put` writes. */
  begin(): void
  take(): string
  put(text: string): void
}

/** The parts of a formula that follow a sign. */
const signs: Readonly<Record<string, string>> = {
  'm:num': '',
  'm:den': '/',
  'm:sup': '^',
  'm:sub': '_',
  'm:lim': '_',
}

type Element = { readonly name: string; parts: number; opening: string; closing: string }

/** Writes formulas in a line, as one types them: `(a+b)/2`, `x^2`, `√(x+1)`. */
export function createFormula({ write, begin, take, put }: FormulaOutput) {
  const elements: Element[] = []

  return {
    open(name: string, attribute: Attribute): void {
      const parent = elements.at(-1)
      const owner = elements.at(-2)
      elements.push({ name, parts: 0, opening: name === 'm:d' ? '(' : '∫', closing: ')' })
      if (name in signs) begin()
      if (parent === undefined) return
      if (name === 'm:begChr' && owner !== undefined) owner.opening = attribute('val') ?? ''
      else if (name === 'm:endChr' && owner !== undefined) owner.closing = attribute('val') ?? ''
      else if (name === 'm:chr' && owner?.name === 'm:nary') owner.opening = attribute('val') ?? ''
      else if (name === 'm:e' || name === 'm:mr') {
        const isFirst = parent.parts++ === 0
        if (parent.name === 'm:rad') begin()
        else if (parent.name === 'm:d') write(isFirst ? parent.opening : ', ')
        else if (parent.name === 'm:func' || parent.name === 'm:nary') write(' ')
        else if (parent.name === 'm:mr' && !isFirst) write(', ')
        else if (!isFirst) write('; ')
      }
    },
    close(name: string): void {
      const element = elements.pop()
      const parent = elements.at(-1)
      const sign = name === 'm:e' && parent?.name === 'm:rad' ? '√' : signs[name]
      if (sign !== undefined) {
        const text = take()
        if (text !== '') put(sign + inBrackets(text))
      } else if (name === 'm:d' && element !== undefined) write(element.closing)
      else if (name === 'm:naryPr') write(parent?.opening ?? '')
    },
  }
}

/** Puts a part in brackets, unless it is a number or a name. */
const inBrackets = (text: string) => (/^[\p{L}\p{N}.,]{1,30}$/u.test(text) ? text : `(${text})`)
