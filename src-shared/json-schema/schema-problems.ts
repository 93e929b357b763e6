import { isDeeperThan } from '../json/depth.ts'
import { isObject, numberText } from '../json/exact-json.ts'
import { compareNumbers } from '../json/exact-number.ts'
import { hasAtMostBytes } from '../model/text.ts'
import { type Keyword, keywordNamed, schemaTypes } from './keywords.ts'
import { subschemasOf } from './subschemas.ts'

/** A problem of a JSON Schema, with its place. */
export type SchemaProblem = { readonly path: readonly (string | number)[]; readonly message: string }

const maxLevels = 64
const maxBytes = 64 * 1024
const maxProblems = 20

/**
 * Returns the first 20 problems of a JSON Schema of draft 2020-12; none if values can be checked with it. It has at most
 * 64 KiB and 64 levels, and refers only to itself. Unknown keywords are ignored. Linear in its size.
 */
export function schemaProblems(schema: Readonly<Record<string, unknown>>): SchemaProblem[] {
  const whole = (message: string): SchemaProblem[] => [{ path: [], message }]
  if (isDeeperThan(schema, maxLevels)) return whole(`A schema is nested at most ${maxLevels} levels deep.`)
  if (!hasAtMostBytes(maxBytes, JSON.stringify(schema)))
    return whole(`A schema has at most ${maxBytes / 1024} KiB.`)
  const problems: SchemaProblem[] = []
  const nodes = new Map<string, Node>()
  const waiting = [{ value: schema as unknown, path: [] as readonly (string | number)[] }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, path } = next
    if (typeof value === 'boolean') {
      nodes.set(pointerOf(path), { path, targets: [] })
      continue
    }
    if (!isObject(value)) {
      problems.push({ path, message: 'This must be a JSON Schema: an object, true or false.' })
      continue
    }
    for (const [name, given] of Object.entries(value)) {
      const message = keywordProblem(name, given)
      if (message !== null) problems.push({ path: [...path, name], message })
    }
    const below = subschemasOf(value).map(one => ({ ...one, path: [...path, ...one.path] }))
    const ref = typeof value.$ref === 'string' ? targetOf(value.$ref) : null
    const targets = below.filter(one => one.isInPlace).map(one => pointerOf(one.path))
    nodes.set(pointerOf(path), { path, targets: ref === null ? targets : [ref, ...targets] })
    waiting.push(...below)
  }
  return [...problems, ...referenceProblems(nodes)].slice(0, maxProblems)
}

/** `targets`: the pointers of the schemas that judge the same value. */
type Node = { readonly path: readonly (string | number)[]; readonly targets: readonly string[] }

/** Finds references that lead to no schema, and those that come back to themselves without a step into the value. */
function referenceProblems(nodes: ReadonlyMap<string, Node>): SchemaProblem[] {
  const problems: SchemaProblem[] = []
  const state = new Map<string, 'open' | 'done'>()
  for (const start of nodes.keys()) {
    const stack = [{ pointer: start, next: 0 }]
    while (stack.length > 0) {
      const top = stack[stack.length - 1]
      if (top === undefined) break
      const node = nodes.get(top.pointer)
      if (top.next === 0) {
        if (state.has(top.pointer)) {
          stack.pop()
          continue
        }
        state.set(top.pointer, 'open')
      }
      const target = node?.targets[top.next++]
      if (node === undefined || target === undefined) {
        state.set(top.pointer, 'done')
        stack.pop()
      } else if (!nodes.has(target)) {
        problems.push({ path: [...node.path, '$ref'], message: `There is no schema at #${target}.` })
      } else if (state.get(target) === 'open') {
        problems.push({ path: node.path, message: 'This schema refers to itself without an end.' })
      } else stack.push({ pointer: target, next: 0 })
    }
  }
  return problems
}

function keywordProblem(name: string, value: unknown): string | null {
  const keyword = keywordNamed(name)
  return keyword === undefined ? null : rules[keyword.takes](value, name)
}

const isCount = (value: unknown) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
const isTexts = (value: unknown) => Array.isArray(value) && value.every(one => typeof one === 'string')
const isType = (value: unknown) => schemaTypes.some(one => one === value)
/** Returns a rule that gives `message` for a value that is not right. */
const rule = (isRight: (value: unknown) => boolean, message: string) => (value: unknown) =>
  isRight(value) ? null : message

const rules: Readonly<Record<Keyword['takes'], (value: unknown, name: string) => string | null>> = {
  // What is below them is judged by itself.
  schema: () => null,
  schemas: rule(value => Array.isArray(value) && value.length > 0, 'This must be a list of schemas.'),
  schemasByName(value, name) {
    if (!isObject(value)) return 'This must be an object of schemas.'
    const wrong = name === 'patternProperties' ? Object.keys(value).find(key => !isPattern(key)) : undefined
    return wrong === undefined ? null : `${wrong} is not a regular expression.`
  },
  number: rule(value => numberText(value) !== null, 'This must be a number.'),
  factor: rule(
    value => compareNumbers(numberText(value) ?? '0', '0') > 0,
    'This must be a number greater than 0.',
  ),
  count: rule(isCount, 'This must be a whole number of 0 or more.'),
  text: rule(value => typeof value === 'string', 'This must be a text.'),
  texts: rule(isTexts, 'This must be a list of texts.'),
  textsByName: rule(
    value => isObject(value) && Object.values(value).every(isTexts),
    'This must be an object of lists of texts.',
  ),
  flag: rule(value => typeof value === 'boolean', 'This must be true or false.'),
  any: () => null,
  list: rule(value => Array.isArray(value), 'This must be a list.'),
  type: rule(
    value => (Array.isArray(value) ? value.length > 0 && value.every(isType) : isType(value)),
    `This must be one of ${schemaTypes.join(', ')}, or a list of them.`,
  ),
  pattern: rule(
    value => typeof value === 'string' && isPattern(value),
    'This must be a regular expression of JavaScript.',
  ),
  ref: rule(
    value => typeof value === 'string' && targetOf(value) !== null,
    'A reference begins with # or #/ and stays in this schema.',
  ),
  nothing: () => 'Parts of a schema are found by their place. Remove this keyword.',
}

function isPattern(source: string): boolean {
  return patternOf(source) !== null
}

/** Returns a regular expression; null if it is none. Many documents have escapes that the mode `u` refuses. */
export function patternOf(source: string): RegExp | null {
  for (const flags of ['u', ''])
    try {
      return new RegExp(source, flags)
    } catch {
      // The next mode may take it.
    }
  return null
}

/** Returns the JSON pointer of a reference into its own document; null for any other. */
function targetOf(ref: string): string | null {
  if (ref !== '#' && !ref.startsWith('#/')) return null
  try {
    return decodeURIComponent(ref.slice(1))
  } catch {
    return null
  }
}

/** Returns a JSON pointer (RFC 6901). */
export function pointerOf(path: readonly (string | number)[]): string {
  return path.map(step => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
