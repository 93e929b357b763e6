/** A position in a text, counted from 1. Columns are UTF-16 units, as in editors. */
export type TextPosition = { readonly line: number; readonly column: number }

/** Returns a function from offset to line and column. Reads the text once. LF, CRLF and CR end a line. */
export function createPositions(text: string): (offset: number) => TextPosition {
  let starts: number[] | null = null
  return offset => {
    starts ??= lineStarts(text)
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
  }
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (const match of text.matchAll(/\r\n?|\n/g)) starts.push(match.index + match[0].length)
  return starts
}
