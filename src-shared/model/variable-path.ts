/** A name in a path. */
const name = String.raw`[^\s.{}[\]"']+`
/** A key in quotes, with escapes as in JSON. */
const quoted = String.raw`"(?:[^"\\\n]|\\[^\n])*"|'(?:[^'\\\n]|\\[^\n])*'`
const bracket = String.raw`\[(?:\d+|${quoted})\]`
const path = String.raw`(?:${name}|${bracket})(?:\.${name}|${bracket})*`

/**
 * The source of an expression that matches a `{{variable}}` of a workflow, with its path as the only group. Each of its
 * parts ends at a character that the next one cannot begin with, so a scan is linear.
 */
export const variablePattern = String.raw`\{\{[^\S\n]*(${path})[^\S\n]*\}\}`

const wholePath = new RegExp(`^${path}$`)
const part = new RegExp(String.raw`(?:^|\.)(${name})|\[(\d+)\]|\[(${quoted})\]`, 'gy')
const quotedParts = new RegExp(quoted, 'g')

/** Matches what operators, filters and functions are written with. Keys rarely have it. */
const oddCharacter = /[()|&+*/%^=<>!?,;~#`\\“”‘’]/
const plainName = new RegExp(`^${name}$`)

/**
 * Parses the path of a variable to its steps: `customer.name`, `lines.0.sku`, `lines[0].sku`, `fields["odd key"].b`. Null
 * for any other text.
 */
export function parsePath(text: string): string[] | null {
  if (!wholePath.test(text)) return null
  return Array.from(text.matchAll(part), ([, plain, index, key]) => plain ?? index ?? unquoted(key ?? ''))
}

/**
 * Returns the path with these steps: in brackets and quotes where a key needs them, or begins like a variable of the
 * service.
 */
export function pathText(steps: readonly string[]): string {
  return steps.reduce(
    (before, step) =>
      pathInside(before, isPlain(step) && !step.startsWith('$') ? step : `[${JSON.stringify(step)}]`),
    '',
  )
}

/** Returns the path of what is at a path inside another. */
export function pathInside(outer: string, inner: string): string {
  return outer === '' || inner.startsWith('[') ? outer + inner : `${outer}.${inner}`
}

/** Returns whether a path looks like an expression: `total*2`, `name|upper`. It may still be that of an unusual key. */
export function isOddPath(text: string): boolean {
  return oddCharacter.test(text.replace(quotedParts, ''))
}

function isPlain(step: string): boolean {
  return plainName.test(step) && !oddCharacter.test(step)
}

const controls: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

function unquoted(literal: string): string {
  return literal
    .slice(1, -1)
    .replace(/\\(?:u([\da-fA-F]{4})|(.))/g, (_escape, code: string | undefined, sign: string) =>
      code === undefined ? (controls[sign] ?? sign) : String.fromCharCode(Number.parseInt(code, 16)),
    )
}
