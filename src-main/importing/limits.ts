/** Actions that one import may create, as many event types, and documents of more are refused unread. */
export const maxEntries = 10_000
/** Values of a JSON document, objects and lists included: each takes some hundred bytes once it is checked. */
export const maxValues = 1_000_000
/** Tokens of a YAML document, of which its parser keeps several hundred bytes each. */
export const maxYamlTokens = 600_000
/** Bytes of a curl command; the shell's grammar is much slower to read than JSON. */
export const maxCurlBytes = 1024 * 1024
/** Parts of an OpenAPI document that are listed as left out. */
export const maxOmissions = 1000

/**
 * Returns the offset where a JSON text has more values than are read; null where it has fewer. Counts what
 * begins a value outside strings, before anything is parsed, in one pass.
 */
export function findTooManyValues(text: string): number | null {
  // Most texts are too short to have so many.
  if (text.length < maxValues) return null
  let values = 1
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === quote) at = endOfString(text, at)
    else if ((unit === comma || unit === openBrace || unit === openBracket) && ++values > maxValues) return at
  }
  return null
}

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const openBracket = 0x5b
const openBrace = 0x7b

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === backslash) at++
    else if (unit === quote) return at
  }
  return text.length
}
