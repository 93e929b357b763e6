const jsonEscape = /\\(u[0-9a-fA-F]{4}|.)/g
const shortEscapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** Text as it is compared: without regard to case, the two small sigmas alike. */
export function fold(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ')
}

/**
 * A body as it is searched, for the index, the scan and the final check alike: folded, and when it holds
 * JSON escapes, once more with each read as what it stands for.
 */
export function searchable(body: string): string {
  const folded = fold(body)
  if (!body.includes('\\')) return folded
  return `${folded}\n${fold(body.replace(jsonEscape, unescaped))}`
}

function unescaped(_: string, code: string): string {
  if (code.length > 1) return String.fromCharCode(Number.parseInt(code.slice(1), 16))
  return shortEscapes[code] ?? code
}
