const jsonEscape = /\\(u[0-9a-fA-F]{4}|.)/g
const shortEscapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** Returns a text in the form in which texts are compared: lower case, with one form of the small sigma. */
export function normalizeForSearch(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ')
}

/**
 * Returns the text of a body that the index and every search use: normalized, and if it has JSON escapes, also normalized
 * with the escapes decoded.
 */
export function searchable(body: string): string {
  const normalized = normalizeForSearch(body)
  if (!body.includes('\\')) return normalized
  return `${normalized}\n${normalizeForSearch(body.replace(jsonEscape, unescaped))}`
}

function unescaped(_: string, code: string): string {
  if (code.length > 1) return String.fromCharCode(Number.parseInt(code.slice(1), 16))
  return shortEscapes[code] ?? code
}
