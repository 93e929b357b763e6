import type { Language } from '#renderer/entities/snippet/snippet.ts'

/** A kind of literal: its delimiters and its escapes. */
type Kind = { readonly quote: string; readonly escapes: 'none' | 'quote only' | 'named' }

const kinds: Readonly<Record<Language, readonly Kind[]>> = {
  curl: [],
  node: [{ quote: "'", escapes: 'named' }],
  python: [{ quote: "'", escapes: 'named' }],
  php: [{ quote: "'", escapes: 'quote only' }],
  go: [
    { quote: '`', escapes: 'none' },
    { quote: '"', escapes: 'named' },
  ],
  ruby: [
    { quote: "'", escapes: 'quote only' },
    { quote: '"', escapes: 'named' },
  ],
  java: [{ quote: '"', escapes: 'named' }],
}
const named: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/**
 * Returns the value of a literal by the rules of its language, without the project's own quoting. Null for anything but
 * one whole literal, and for a line break or an interpolation that is not allowed.
 */
export function readLiteral(language: Language, literal: string): string | null {
  if (language === 'curl') return readShellWord(literal)
  const source = language === 'java' ? readJavaUnits(literal) : literal
  const kind = kinds[language].find(({ quote }) => source?.startsWith(quote))
  if (source === null || kind === undefined) return null
  const { quote, escapes } = kind
  let text = ''
  let at = 1
  while (source[at] !== quote) {
    const char = source[at++]
    if (char === undefined) return null
    if (escapes === 'named' && (char === '\n' || char === '\r')) return null
    if (language === 'go' && (char === '\r' || char === '\0' || char === '\ufeff')) return null
    // Ruby reads CR LF as LF, and a # may start an interpolation.
    if (language === 'ruby' && (char === '\r' || (char === '#' && quote === '"'))) return null
    if (char !== '\\' || escapes === 'none') {
      text += char
      continue
    }
    const escaped = source[at++]
    if (escaped === undefined) return null
    if (escaped === quote || escaped === '\\') text += escaped
    else if (escapes === 'quote only') text += `\\${escaped}`
    else if (language === 'ruby' && escaped === '#') text += '#'
    else if (escaped === 'u') {
      const digits = /^[0-9a-f]{4}/.exec(source.slice(at))
      if (digits === null) return null
      text += String.fromCharCode(Number.parseInt(digits[0], 16))
      at += 4
    } else if (escaped in named) text += named[escaped]
    else return null
  }
  return at === source.length - 1 ? text : null
}

/** A POSIX shell: single quotes may contain anything; only an escaped single quote is allowed outside of them. */
function readShellWord(word: string): string | null {
  const pieces = word.match(/'[^']*'|\\'/g) ?? []
  if (pieces.join('') !== word || word === '') return null
  return pieces.map(piece => (piece.startsWith('\\') ? "'" : piece.slice(1, -1))).join('')
}

/** Java replaces \uXXXX before anything else, after an even number of backslashes. */
function readJavaUnits(literal: string): string | null {
  if (/[^ -~]/.test(literal)) return null // depends on the compiler's encoding
  return literal.replace(/\\(?:\\|u+([0-9a-f]{4}))/g, (whole, digits: string | undefined) =>
    digits === undefined ? whole : String.fromCharCode(Number.parseInt(digits, 16)),
  )
}
