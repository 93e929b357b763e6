const quote = 0x22
const backslash = 0x5c
const comma = 0x2c

type Bounds = { readonly levels: number; readonly values: number }

/** Returns whether a JSON text is nested deeper than `levels`, without parsing it. */
export function isNestedDeeper(text: string, levels: number): boolean {
  return isBeyond(text, { levels, values: Number.POSITIVE_INFINITY })
}

/** Returns whether a JSON text is nested deeper than `levels` or has more than `values` values. */
export function isBeyond(text: string, bounds: Bounds): boolean {
  return offsetBeyond(text, bounds) !== null
}

/**
 * Returns the offset where a JSON text exceeds `levels` of nesting or `values` values; null if it exceeds neither. Counts
 * brackets and commas instead of parsing.
 */
export function offsetBeyond(text: string, { levels, values }: Bounds): number | null {
  // A text of n characters has at most n/2 levels and n values, so nearly all texts need no count.
  if (text.length <= 2 * levels && text.length <= values) return null
  if (values === Number.POSITIVE_INFINITY && !hasMoreOpenings(text, levels)) return null
  let depth = 0
  let count = 1
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === quote) index = endOfString(text, index)
    // `[` and `{` differ in the bit 0x20, and so do `]` and `}`.
    else if ((code | 0x20) === 0x7b) {
      if (++depth > levels || ++count > values) return index
    } else if ((code | 0x20) === 0x7d) depth--
    else if (code === comma && ++count > values) return index
  }
  return null
}

/** Returns the offset of the closing quote of a string, or the length of a text that ends before it. Searches natively. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0
    while (text.charCodeAt(at - 1 - escapes) === backslash) escapes++
    if (escapes % 2 === 0) return at
  }
  return text.length
}

/** Returns whether a text has more than `most` opening brackets. Native search makes this ten times as fast as a count. */
function hasMoreOpenings(text: string, most: number): boolean {
  let left = most
  for (const bracket of '[{')
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1))
      if (left-- === 0) return true
  return false
}
