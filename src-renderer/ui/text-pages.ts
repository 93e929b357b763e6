/** A part of a text that is shown at once. */
export type TextPage = {
  readonly from: number
  readonly to: number
  /** The number of its first line, from 1. */
  readonly line: number
  /** Whether it begins within a line, which is too long for one page. */
  readonly isWithin: boolean
}

const mostLines = 400
const mostCharacters = 40_000

/** Returns the pages of a text, at least one: whole lines, as far as they fit. */
export function pagesOf(text: string): TextPage[] {
  const pages: TextPage[] = []
  let [from, line, isWithin] = [0, 1, false]
  do {
    let [to, lines] = [from, 0]
    while (lines < mostLines && to < text.length) {
      const end = text.indexOf('\n', to)
      const next = end === -1 ? text.length : end + 1
      if (next - from > mostCharacters) break
      to = next
      lines += 1
    }
    const isCut = to === from && text.length > 0
    if (isCut) to = cutAt(text, from + mostCharacters)
    pages.push({ from, to, line, isWithin })
    from = to
    isWithin = isCut && text[to - 1] !== '\n'
    line += isWithin ? 0 : isCut ? 1 : lines
  } while (from < text.length)
  return pages
}

/** Returns a place to cut that leaves a character whole. */
function cutAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return Math.min(text.length, code >= 0xdc00 && code < 0xe000 ? at + 1 : at)
}

/** Returns the number of lines; a line feed at the end begins none. */
export function countLines(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; count++) {
    const end = text.indexOf('\n', at)
    at = end === -1 ? text.length : end + 1
  }
  return count
}

/** Returns the page of a place and where it is in the text. Lines and columns count from 1. */
export function findPlace(
  text: string,
  pages: readonly TextPage[],
  { line, column }: { readonly line: number; readonly column: number },
): { readonly page: number; readonly at: number } {
  const start = pages.findLast(page => page.line < line || (page.line === line && !page.isWithin))
  let at = start?.from ?? 0
  for (let now = start?.line ?? 1; now < line; now++) {
    const end = text.indexOf('\n', at)
    if (end === -1) break
    at = end + 1
  }
  at = Math.min(Math.max(0, text.length - 1), at + Math.max(0, column - 1))
  const page = pages.findIndex(({ from, to }) => at >= from && at < to)
  return { page: Math.max(0, page), at }
}
