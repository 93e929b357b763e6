import type { JsonMember, JsonTree } from './json-tree.ts'

/** The white space of a JSON library. `indent` counts spaces; 0 keeps everything on one line. */
type JsonLayout = {
  readonly comma: string
  readonly colon: string
  readonly indent: number
}

/** Formats a string like a library, including its quotes. */
type JsonQuoting = { readonly description: string; readonly quote: (value: string) => string }

export type JsonStyle = JsonLayout & {
  readonly quote: (value: string) => string
  readonly sortKeys?: boolean
  /** Other words for `true`, `false` and `null`. */
  readonly literals?: ReadonlyMap<string, string>
  /** Formats a number from its text; without it, numbers keep their text. */
  readonly number?: (text: string) => string
}

const jsonLayouts: readonly (JsonLayout & { readonly description: string })[] = [
  { description: 'without spaces', comma: ',', colon: ':', indent: 0 },
  { description: 'with a space after commas and colons', comma: ', ', colon: ': ', indent: 0 },
  { description: 'indented by 2 spaces', comma: ',', colon: ': ', indent: 2 },
  { description: 'indented by 4 spaces', comma: ',', colon: ': ', indent: 4 },
]

// Each changes the output of JSON.stringify, whose escapes contain none of these characters.
const escapeUnicode = (text: string) => text.replace(/[\u007f-\uffff]/g, escapeUnit)
const escapeSlash = (text: string) => text.replaceAll('/', '\\/')
const escapeHtml = (text: string) => text.replace(/[<>&\u2028\u2029]/g, escapeUnit)

export const quoteAsPython = (value: string) => escapeUnicode(JSON.stringify(value))
export const quoteAsGo = (value: string) => escapeHtml(JSON.stringify(value))

/** The likeliest come first: JavaScript and Java, Python, PHP, PHP with unescaped Unicode, Go, .NET. */
const jsonQuotings: readonly JsonQuoting[] = [
  { description: '', quote: value => JSON.stringify(value) },
  { description: 'with \\u escapes', quote: quoteAsPython },
  {
    description: 'with \\u escapes and \\/',
    quote: value => escapeSlash(escapeUnicode(JSON.stringify(value))),
  },
  { description: 'with \\/', quote: value => escapeSlash(JSON.stringify(value)) },
  { description: 'with \\u escapes for <, > and &', quote: quoteAsGo },
  { description: 'with uppercase \\u escapes', quote: quoteAsDotNet },
]

function quoteAsDotNet(value: string): string {
  const inner = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '\\u0022')
  return `"${inner.replace(/[<>&'+`\u007f-\uffff]/g, unit => `\\u${hexOf(unit).toUpperCase()}`)}"`
}

function escapeUnit(unit: string): string {
  return `\\u${hexOf(unit)}`
}

function hexOf(unit: string): string {
  return unit.charCodeAt(0).toString(16).padStart(4, '0')
}

/**
 * Formats a tree in the style of a library. Returns null once the text exceeds `maxLength` characters, because
 * indentation can make a small, deeply nested body very large.
 */
export function writeJson(tree: JsonTree, style: JsonStyle, maxLength: number): string | null {
  let out = ''

  function value(node: JsonTree, level: number): void {
    if (out.length > maxLength) return
    switch (node.kind) {
      case 'literal':
        out += style.literals?.get(node.text) ?? numberOr(node.text)
        break
      case 'string':
        out += style.quote(node.value)
        break
      case 'array':
        list('[', node.items, ']', level, item => value(item, level + 1))
        break
      case 'object':
        list('{', style.sortKeys ? sorted(node.members) : node.members, '}', level, ([name, member]) => {
          out += style.quote(name) + style.colon
          value(member, level + 1)
        })
    }
  }

  function numberOr(text: string): string {
    return style.number !== undefined && /^[-\d]/.test(text) ? style.number(text) : text
  }

  function list<T>(
    open: string,
    items: readonly T[],
    close: string,
    level: number,
    write: (item: T) => void,
  ) {
    out += open
    for (const [index, item] of items.entries()) {
      if (out.length > maxLength) return
      if (index > 0) out += style.comma
      newLine(level + 1)
      write(item)
    }
    if (items.length > 0) newLine(level)
    out += close
  }

  function newLine(level: number): void {
    if (style.indent > 0) out += `\n${' '.repeat(style.indent * level)}`
  }

  value(tree, 0)
  return out.length > maxLength ? null : out
}

function sorted(members: readonly JsonMember[]): readonly JsonMember[] {
  return members.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
}

/** The limit for all texts of one body together, in characters. */
const maxProduced = 1024 * 1024

/**
 * Generates a body as common JSON libraries format it, the likeliest first. At most 96 texts: 4 layouts, original
 * or sorted keys, 6 ways of escaping, without and with a final newline. Skips escapings that make no difference
 * for this body. Ends early after 1 Mi characters. `description` goes into parentheses.
 */
export function* reserialize(tree: JsonTree): Generator<{ text: string; description: string }> {
  const quotings = distinctQuotings(tree)
  const made: { text: string; description: string }[] = []
  let produced = 0
  for (const sortKeys of [false, true]) {
    for (const quoting of quotings) {
      for (const layout of jsonLayouts) {
        const text = writeJson(tree, { ...layout, quote: quoting.quote, sortKeys }, maxProduced - produced)
        if (text === null) return
        produced += text.length
        const traits = [layout.description, sortKeys ? 'sorted keys' : '', quoting.description]
        const description = traits.filter(trait => trait !== '').join(', ')
        made.push({ text, description })
        yield { text, description }
      }
    }
  }
  for (const { text, description } of made) {
    yield { text: `${text}\n`, description: `${description}, a final newline` }
  }
}

function distinctQuotings(tree: JsonTree): JsonQuoting[] {
  const strings = [...stringsOf(tree)].join('')
  const seen = new Set<string>()
  return jsonQuotings.filter(({ quote }) => {
    const text = quote(strings)
    return seen.has(text) ? false : seen.add(text)
  })
}

function* stringsOf(tree: JsonTree): Generator<string> {
  if (tree.kind === 'string') yield tree.value
  if (tree.kind === 'array') for (const item of tree.items) yield* stringsOf(item)
  if (tree.kind !== 'object') return
  for (const [name, value] of tree.members) {
    yield name
    yield* stringsOf(value)
  }
}
