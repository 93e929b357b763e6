/** The languages that `highlight` colours. */
export type HighlightId = 'bash' | 'javascript' | 'python' | 'php' | 'go' | 'ruby' | 'java'

/** The parts of a language, each the source of a regular expression, tried in this order. */
export type Grammar = {
  readonly comment: string
  readonly string: string
  /** Numbers, and variables if the language marks them. */
  readonly value: string
  /** Keywords and constants. */
  readonly keywords: ReadonlySet<string>
  /** Functions that are called without parentheses. */
  readonly commands?: ReadonlySet<string>
  /** Matches the variables in strings with this opening. */
  readonly interpolation?: { readonly opening: RegExp; readonly value: RegExp }
}

const words = (text: string) => new Set(text.split(' '))

const slashes = '\\/\\/[^\\n]*|\\/\\*[^]*?\\*\\/'
const hash = '#[^\\n]*'
const single = "'(?:[^'\\\\\\n]|\\\\.)*'"
const double = '"(?:[^"\\\\\\n]|\\\\.)*"'
/** Strings that may span lines. */
const longSingle = "'(?:[^'\\\\]|\\\\[^])*'"
const longDouble = '"(?:[^"\\\\]|\\\\[^])*"'
const template = '`(?:[^`\\\\]|\\\\[^])*`'
const number = '\\b\\d[\\w.]*'
/** Only before a method or the end of an argument; elsewhere a slash divides. */
const regex = '\\/(?![\\s/*])(?:\\\\.|\\[[^\\]\\n]*\\]|[^\\/\\\\\\n[])+\\/[a-z]*(?=[.,)])'
const shellVariable = '\\$(?:\\{[^{}\\n]*\\}|\\w+|[@*#?!$-])'

export const grammars: Readonly<Record<HighlightId, Grammar>> = {
  bash: {
    comment: `(?<![^\\s])${hash}`,
    // Inside a string, a single quote ends it, is escaped, and starts it again.
    string: `\\$${longSingle}|'[^']*'(?:\\\\''[^']*')*|${longDouble}`,
    value: `${shellVariable}|${number}`,
    keywords: words('if then else fi for in do done case esac local return exit'),
    commands: words('curl openssl printf date sed cat echo iconv base64 tr digest verify'),
    interpolation: { opening: /^"/, value: new RegExp(shellVariable, 'g') },
  },
  javascript: {
    comment: slashes,
    string: `${single}|${double}|${template}|${regex}`,
    value: number,
    keywords: words(
      'import from export const let function return if else for of in new await async throw try catch class true false null undefined',
    ),
    interpolation: { opening: /^`/, value: /\$\{[^{}]*\}/g },
  },
  python: {
    comment: hash,
    string: `\\b[bfr]{0,2}(?:"""[^]*?"""|'''[^]*?'''|${double}|${single})|"""[^]*?"""|'''[^]*?'''|${double}|${single}`,
    value: number,
    keywords: words(
      'import from as def class return if elif else for in not and or is with try except raise pass lambda True False None self',
    ),
    interpolation: { opening: /^\w*f/, value: /\{[^{}]*\}/g },
  },
  php: {
    comment: `${slashes}|${hash}`,
    string: `${longSingle}|${longDouble}`,
    value: `\\$\\w+|${number}`,
    keywords: words(
      'php function return if else foreach as new throw true false null string int bool array never use namespace',
    ),
    commands: words('echo exit'),
    interpolation: { opening: /^"/, value: /\$\w+|\{\$[^{}]*\}/g },
  },
  go: {
    comment: slashes,
    string: `\`[^\`]*\`|${double}|${single}`,
    value: number,
    keywords: words(
      'package import func return if else for range var const type struct interface map chan go defer switch case string bool byte int error true false nil',
    ),
  },
  ruby: {
    comment: hash,
    string: `${longSingle}|${longDouble}|${regex}`,
    value: `[@$]\\w+|(?<![:\\w]):[a-z_]\\w*|${number}`,
    keywords: words(
      'def end return if unless else elsif do while ensure rescue begin class module then and or not true false nil self',
    ),
    commands: words('require puts abort loop'),
    interpolation: { opening: /^"/, value: /#\{[^{}]*\}/g },
  },
  java: {
    comment: slashes,
    string: `"""[^]*?"""|${double}|${single}`,
    value: number,
    keywords: words(
      'import static public private class void var new return if else for try catch throw throws final int long byte boolean true false null this',
    ),
  },
}
