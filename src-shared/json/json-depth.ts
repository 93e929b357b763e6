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
  let inString = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (inString) {
      if (code === backslash) index++
      else if (code === quote) inString = false
    } else if (code === quote) inString = true
    // `[` and `{` differ in the bit 0x20, and so do `]` and `}`.
    else if ((code | 0x20) === 0x7b) {
      if (++depth > levels || ++count > values) return index
    } else if ((code | 0x20) === 0x7d) depth--
    else if (code === comma && ++count > values) return index
  }
  return null
}

/** Returns whether a text has more than `most` opening brackets. Native search makes this ten times as fast as a count. */
function hasMoreOpenings(text: string, most: number): boolean {
  let left = most
  for (const bracket of '[{')
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1))
      if (left-- === 0) return true
  return false
}
