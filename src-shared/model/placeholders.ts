import { z } from 'zod'
import { encodeText } from './action-url.ts'

/** Characters of a name that is read as a placeholder. */
const maxName = 200
const maxConstant = 500

/**
 * Matches `{name}`, `<name>` and a segment that begins with `:name`. Each ends at the characters that begin another one,
 * so a scan is linear.
 */
const placeholder = new RegExp(
  String.raw`\{([^{}/?#]{1,${maxName}})\}|<([^<>/?#]{1,${maxName}})>|(?<=^|/):([A-Za-z_][\w-]{0,${maxName - 1}})(?![\w-])`,
  'g',
)

/** The value of a placeholder in the paths of an import. */
export const Constant = z
  .string()
  .max(maxConstant, `A constant has at most ${maxConstant} characters.`)
  .refine(text => text.trim() !== '', 'A constant must not be empty.')
  // URL parsers resolve both, even percent-encoded, so they would lead to another path.
  .refine(
    text => text !== '.' && text !== '..',
    'A constant must not be . or .., which lead to another path.',
  )
  .refine(text => text.isWellFormed(), 'A constant must be valid Unicode.')

/** The constants of an import by the names of their placeholders. */
export const Constants = z.record(z.string(), Constant)
export type Constants = Readonly<z.infer<typeof Constants>>

/** Returns the names of the placeholders of a path, each once. */
export function placeholdersIn(path: string): string[] {
  return [...new Set(Array.from(path.matchAll(placeholder), nameOf))]
}

/** A part of a path: a text, or a placeholder with its name. */
export type PathPart = { readonly text: string; readonly name: string | null }

/** Returns the parts of a path in their order. */
export function pathParts(path: string): PathPart[] {
  const parts: PathPart[] = []
  let from = 0
  for (const match of path.matchAll(placeholder)) {
    if (match.index > from) parts.push({ text: path.slice(from, match.index), name: null })
    parts.push({ text: match[0], name: nameOf(match) })
    from = match.index + match[0].length
  }
  if (from < path.length) parts.push({ text: path.slice(from), name: null })
  return parts
}

/** Returns a path with each placeholder replaced by what `replacement` returns for its name. */
export function replacePlaceholders(path: string, replacement: (name: string) => string): string {
  return pathParts(path)
    .map(({ text, name }) => (name === null ? text : replacement(name)))
    .join('')
}

/**
 * Returns a path with its constants, percent-encoded, and `{argument}` for each placeholder that has none. `open` has the
 * names of these.
 */
export function openPath(
  path: string,
  constants: Constants,
  argumentOf: (name: string) => string,
): { readonly path: string; readonly open: readonly string[] } {
  const open = placeholdersIn(path).filter(name => constantOf(constants, name) === undefined)
  return {
    path: replacePlaceholders(path, name => {
      const constant = constantOf(constants, name)
      return constant === undefined ? `{${argumentOf(name)}}` : encodeText(constant)
    }),
    open,
  }
}

/** Returns the constant of a placeholder; undefined if it has none. */
export function constantOf(constants: Constants, name: string): string | undefined {
  return Object.hasOwn(constants, name) ? constants[name] : undefined
}

function nameOf([, braces, angles, colon]: RegExpExecArray | RegExpMatchArray): string {
  return braces ?? angles ?? colon ?? ''
}
