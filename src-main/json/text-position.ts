/** A place in a text, both counted from 1; columns in UTF-16 units, as editors count. */
export type TextPosition = { readonly line: number; readonly column: number }

/** Gives line and column of offsets in `text`; reads the text once. Lines end as editors see it: LF, CRLF, CR. */
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
