const quote = 0x22
const backslash = 0x5c

/** Whether more than so many brackets of a JSON text are open at once; without parsing it. */
export function isNestedDeeper(text: string, levels: number): boolean {
  // A text of n characters is nested at most n/2 deep, so nearly all need no count.
  if (text.length <= 2 * levels) return false
  let depth = 0
  let inString = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (inString) {
      if (code === backslash) index++
      else if (code === quote) inString = false
    } else if (code === quote) inString = true
    // `[` and `{` differ in the bit 0x20, and so do `]` and `}`.
    else if ((code | 0x20) === 0x7b) {
      if (++depth > levels) return true
    } else if ((code | 0x20) === 0x7d) depth--
  }
  return false
}

/**
 * Whether a JSON text holds more than so many values, counted by its commas and opening brackets; without parsing it.
 */
export function hasMoreValues(text: string, most: number): boolean {
  if (text.length <= most) return false
  let values = 1
  let inString = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (inString) {
      if (code === backslash) index++
      else if (code === quote) inString = false
    } else if (code === quote) inString = true
    // A comma, `[` or `{`.
    else if ((code === 0x2c || (code | 0x20) === 0x7b) && ++values > most) return true
  }
  return false
}
