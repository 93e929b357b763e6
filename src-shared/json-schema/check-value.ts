import { isObject, numberText } from '../json/exact-json.ts'
import { canonicalNumber, compareNumbers, isMultipleOf, isWhole } from '../json/exact-number.ts'
import { formats } from './formats.ts'
import { patternOf, pointerOf } from './schema-problems.ts'
import { subschemasOf } from './subschemas.ts'

type Path = readonly (string | number)[]
type Schema = Readonly<Record<string, unknown>>

/** A place of a value that its schema refuses; `message` is read after the name of the place. */
export type ValueProblem = { readonly path: Path; readonly message: string }

/** The time that is left to the checks of one call: steps of about a microsecond, and milliseconds for slow patterns. */
export type Budget = { steps: number; patternMs: number }

/** Returns the budget of one call. Without one for all, many values could take long together. */
export const newBudget = (): Budget => ({ steps: 500_000, patternMs: 1000 })

/** Returns whether a text matches a regular expression; null if that took too long. */
export type Matches = (pattern: RegExp, text: string, budget: Budget) => boolean | null

/** The judgement of a schema on a value: its problems, and the parts that it has judged, for `unevaluatedProperties`. */
type Judged = { readonly problems: ValueProblem[]; readonly parts: Set<string | number> }

const maxProblems = 20

/** Schemas within each other that judge at the same time: more could overflow the stack. */
const maxLevels = 500

/** A check that ends early. `message` is read after the name of the place. */
class Unchecked extends Error {
  readonly path: Path

  constructor(path: Path, message: string) {
    super(message)
    this.path = path
  }
}

/**
 * Returns a function that checks values with a schema which `schemaProblems` has found valid: by draft 2020-12, with
 * numbers by their exact digits. It returns the first 20 problems; none for a valid value. A value that takes more than its
 * budget, or is nested too deeply, has a problem.
 */
export function createValueCheck(
  root: Schema,
  matches: Matches,
): (value: unknown, budget?: Budget) => ValueProblem[] {
  const schemas = schemasByPointer(root)
  const patterns = new Map<string, RegExp | null>()
  const allowed = new WeakMap<Schema, Allowed>()
  let budget = newBudget()
  let level = 0

  /** Takes a part of the budget. A long text, or a list, takes more than one step. */
  function spend(steps: number): void {
    budget.steps -= steps
    if (budget.steps < 0)
      throw new Unchecked([], 'cannot be checked: its schema has too many alternatives for this value.')
  }

  function isMatch(source: string, text: string, path: Path): boolean {
    const known = patterns.get(source)
    const pattern = known === undefined ? patternOf(source) : known
    patterns.set(source, pattern)
    const found = pattern === null ? true : matches(pattern, text, budget)
    if (found === null) throw new Unchecked(path, `cannot be checked: its pattern ${source} takes too long.`)
    return found
  }

  function judge(schema: unknown, value: unknown, path: Path): Judged {
    spend(1)
    if (level >= maxLevels) throw new Unchecked([], 'is nested too deeply to be checked.')
    level++
    const judged: Judged = { problems: [], parts: new Set() }
    if (schema === false) append(judged, [{ path, message: 'is not allowed.' }])
    if (isObject(schema)) judgeAll(schema, value, path, judged)
    level--
    return judged
  }

  function judgeAll(schema: Schema, value: unknown, path: Path, judged: Judged): void {
    const add = (message: string, at: Path = path) => append(judged, [{ path: at, message }])
    const take = (other: Judged) => {
      spend(other.parts.size >> 3)
      append(judged, other.problems)
      for (const part of other.parts) judged.parts.add(part)
    }
    const ref = schema.$ref
    if (typeof ref === 'string') take(judge(schemas.get(decodeURIComponent(ref.slice(1))), value, path))
    judgeKind(schema, value, add)
    judgeValues(schema, value, add)
    if (typeof value === 'string') judgeText(schema, value, path, add)
    const number = numberText(value)
    if (number !== null) {
      spend(number.length >> 6)
      judgeNumber(schema, number, add)
    }
    for (const one of listOf(schema.allOf)) take(judge(one, value, path))
    judgeAlternatives(schema, value, path, { add, take })
    if (Array.isArray(value)) judgeList(schema, value, path, judged, add)
    if (isObject(value)) judgeObject(schema, value, path, judged, { add, take })
  }

  type Add = (message: string, at?: Path) => void
  type Out = { readonly add: Add; readonly take: (other: Judged) => void }

  function judgeKind({ type }: Schema, value: unknown, add: Add): void {
    if (type === undefined) return
    const types = Array.isArray(type) ? type : [type]
    if (types.some(one => isOfType(value, one))) return
    spend(types.length)
    add(
      `must be ${types.map(one => nouns[String(one)] ?? String(one)).join(' or ')}, not ${nouns[typeOf(value)]}.`,
    )
  }

  function judgeValues(schema: Schema, value: unknown, add: Add): void {
    if (schema.enum === undefined && schema.const === undefined) return
    const known = allowed.get(schema) ?? allowedBy(schema, spend)
    allowed.set(schema, known)
    const isAllowed =
      typeof value === 'string'
        ? known.texts.has(value)
        : known.others.size > 0 && known.others.has(canonical(value, spend))
    if (!isAllowed) add(`must be ${known.shown}.`)
  }

  function judgeText(schema: Schema, text: string, path: Path, add: Add): void {
    const { pattern, format, minLength, maxLength } = schema
    if (minLength !== undefined || maxLength !== undefined || format !== undefined) spend(text.length >> 6)
    if (minLength !== undefined || maxLength !== undefined) {
      const length = characters(text)
      if (isLess(length, minLength)) add(`must have at least ${minLength} characters.`)
      if (isMore(length, maxLength)) add(`must have at most ${maxLength} characters.`)
    }
    if (typeof pattern === 'string' && !isMatch(pattern, text, path))
      add(`must match the pattern ${pattern}.`)
    const known = typeof format === 'string' ? formats.get(format) : undefined
    if (known !== undefined && !known.matches(text)) add(`must be ${known.noun}.`)
  }

  function judgeAlternatives(schema: Schema, value: unknown, path: Path, { add, take }: Out): void {
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const given = schema[keyword]
      if (!Array.isArray(given)) continue
      const all = given.map((one: unknown) => judge(one, value, path))
      const valid = all.filter(({ problems }) => problems.length === 0)
      if (valid.length === 0) nearest(all, path, add)
      else if (keyword === 'oneOf' && valid.length > 1)
        add('must fit exactly one of its alternatives, and fits several.')
      for (const one of valid) take(one)
    }
    if (schema.not !== undefined && judge(schema.not, value, path).problems.length === 0)
      add('is what its schema excludes.')
    if (schema.if === undefined) return
    const condition = judge(schema.if, value, path)
    const holds = condition.problems.length === 0
    if (holds) take(condition)
    const next = holds ? schema.then : schema.else
    if (next !== undefined) take(judge(next, value, path))
  }

  function judgeList(schema: Schema, list: readonly unknown[], path: Path, judged: Judged, add: Add): void {
    spend(list.length >> 5)
    if (isLess(list.length, schema.minItems)) add(`must have at least ${schema.minItems} elements.`)
    if (isMore(list.length, schema.maxItems)) add(`must have at most ${schema.maxItems} elements.`)
    if (schema.uniqueItems === true && new Set(list.map(one => canonical(one, spend))).size < list.length)
      add('must not have the same element twice.')
    const first = listOf(schema.prefixItems)
    const each = (one: unknown, index: number, schemaOfOne: unknown) => {
      judged.parts.add(index)
      append(judged, judge(schemaOfOne, one, [...path, index]).problems)
    }
    list.forEach((one, index) => {
      if (isFull(judged)) return
      const own = index < first.length ? first[index] : schema.items
      if (own !== undefined) each(one, index, own)
    })
    if (schema.contains !== undefined) {
      let found = 0
      for (const [index, one] of list.entries()) {
        if (judge(schema.contains, one, path).problems.length > 0) continue
        found++
        judged.parts.add(index)
      }
      if (isLess(found, schema.minContains ?? 1))
        add('has too few elements of the kind that it must contain.')
      if (isMore(found, schema.maxContains)) add('has too many elements of one kind.')
    }
    if (schema.unevaluatedItems === undefined) return
    for (const [index, one] of list.entries())
      if (!judged.parts.has(index) && !isFull(judged)) each(one, index, schema.unevaluatedItems)
  }

  function judgeObject(
    schema: Schema,
    value: Readonly<Record<string, unknown>>,
    path: Path,
    judged: Judged,
    { add, take }: Out,
  ): void {
    // Listing the names of a large object takes longer than all else.
    const names = aboutNames.some(keyword => schema[keyword] !== undefined) ? Object.keys(value) : []
    spend(names.length)
    if (isLess(names.length, schema.minProperties)) add(`must have at least ${schema.minProperties} fields.`)
    if (isMore(names.length, schema.maxProperties)) add(`must have at most ${schema.maxProperties} fields.`)
    const need = (required: unknown) => {
      const all = listOf(required)
      spend(all.length >> 3)
      for (const name of all)
        if (typeof name === 'string' && !Object.hasOwn(value, name)) add('is required.', [...path, name])
    }
    need(schema.required)
    const patterned = entriesOf(schema.patternProperties)
    const dependent = entriesOf(schema.dependentRequired)
    spend((patterned.length + dependent.length) >> 1)
    for (const [name, required] of dependent) if (Object.hasOwn(value, name)) need(required)
    for (const [name, one] of entriesOf(schema.dependentSchemas))
      if (Object.hasOwn(value, name)) take(judge(one, value, path))
    const properties = isObject(schema.properties) ? schema.properties : {}
    for (const name of names) {
      if (isFull(judged)) return
      const at = [...path, name]
      const part = (own: unknown) => {
        judged.parts.add(name)
        append(judged, judge(own, value[name], at).problems)
      }
      if (schema.propertyNames !== undefined)
        for (const { message } of judge(schema.propertyNames, name, at).problems)
          add(`has a name that ${message}`, at)
      const isOwn = Object.hasOwn(properties, name)
      if (isOwn) part(properties[name])
      const fitting = patterned.filter(([source]) => isMatch(source, name, path))
      for (const [, one] of fitting) part(one)
      if (isOwn || fitting.length > 0) continue
      if (schema.additionalProperties === false) add('is not a field of this object.', at)
      else if (schema.additionalProperties !== undefined) part(schema.additionalProperties)
    }
    if (schema.unevaluatedProperties === undefined) return
    for (const name of names)
      if (!judged.parts.has(name) && !isFull(judged))
        append(judged, judge(schema.unevaluatedProperties, value[name], [...path, name]).problems)
  }

  return (value, given = newBudget()) => {
    budget = given
    level = 0
    try {
      return judge(root, value, []).problems
    } catch (error) {
      if (!(error instanceof Unchecked)) throw error
      return [{ path: error.path, message: error.message }]
    }
  }
}

/** The keywords that need all names of an object. */
const aboutNames = [
  ...['minProperties', 'maxProperties', 'properties', 'patternProperties'],
  ...['additionalProperties', 'propertyNames', 'unevaluatedProperties'],
]

const isFull = ({ problems }: Judged) => problems.length >= maxProblems

/** Adds problems, at most 20 in all. */
function append({ problems }: Judged, found: readonly ValueProblem[]): void {
  for (const one of found) if (problems.length < maxProblems) problems.push(one)
}

/** The values of `enum` or `const`. */
type Allowed = {
  readonly texts: ReadonlySet<string>
  /** The canonical texts of all other values. */
  readonly others: ReadonlySet<string>
  readonly shown: string
}

function allowedBy({ enum: values, const: only }: Schema, spend: Spend): Allowed {
  const all: readonly unknown[] = Array.isArray(values) ? values : [only]
  const texts = all.filter(one => typeof one === 'string')
  const others = all.filter(one => typeof one !== 'string').map(one => canonical(one, spend))
  return { texts: new Set(texts), others: new Set(others), shown: shownValues(all) }
}

type Spend = (steps: number) => void

/** Returns the schemas within a schema by their JSON pointers. */
function schemasByPointer(root: Schema): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>([['', root]])
  const waiting: { value: Schema; path: Path }[] = [{ value: root, path: [] }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    for (const { value, path } of subschemasOf(next.value)) {
      const at = [...next.path, ...path]
      found.set(pointerOf(at), value)
      if (isObject(value)) waiting.push({ value, path: at })
    }
  return found
}

function judgeNumber(schema: Schema, number: string, add: (message: string) => void): void {
  const compared = (limit: unknown) => {
    const text = numberText(limit)
    return text === null ? 0 : compareNumbers(number, text)
  }
  const isLimit = (limit: unknown) => numberText(limit) !== null
  if (compared(schema.minimum) < 0) add(`must be at least ${numberText(schema.minimum)}.`)
  if (compared(schema.maximum) > 0) add(`must be at most ${numberText(schema.maximum)}.`)
  if (isLimit(schema.exclusiveMinimum) && compared(schema.exclusiveMinimum) <= 0)
    add(`must be more than ${numberText(schema.exclusiveMinimum)}.`)
  if (isLimit(schema.exclusiveMaximum) && compared(schema.exclusiveMaximum) >= 0)
    add(`must be less than ${numberText(schema.exclusiveMaximum)}.`)
  const factor = numberText(schema.multipleOf)
  if (factor !== null && !isMultipleOf(number, factor)) add(`must be a multiple of ${factor}.`)
}

/** Adds the problems of the alternative that comes furthest: the one whose problems are deepest in the value. */
function nearest(all: readonly Judged[], path: Path, add: (message: string, at?: Path) => void): void {
  const depth = ({ problems }: Judged) => Math.min(...problems.map(one => one.path.length))
  const deepest = all.filter(one => depth(one) > path.length).sort((a, b) => depth(b) - depth(a))[0]
  const [only] = all
  const shown = all.length === 1 ? only : deepest
  if (shown === undefined) add('fits none of its alternatives.')
  else for (const { path: at, message } of shown.problems) add(message, at)
}

const nouns: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (numberText(value) !== null) return 'number'
  return typeof value
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type !== 'integer') return typeOf(value) === type
  const number = numberText(value)
  return number !== null && isWhole(number)
}

const maxShown = 10

function shownValues(values: readonly unknown[]): string {
  const shown = values.slice(0, maxShown).map(one => JSON.stringify(one).slice(0, 100))
  if (shown.length === 1) return shown[0] ?? ''
  return `one of ${shown.join(', ')}${values.length > maxShown ? ', …' : ''}`
}

/** Returns the same text for values that JSON Schema takes for equal. */
function canonical(value: unknown, spend: Spend): string {
  spend(1)
  const number = numberText(value)
  if (number !== null) {
    spend(2 + (number.length >> 6))
    return canonicalNumber(number)
  }
  if (Array.isArray(value)) return `[${value.map(one => canonical(one, spend)).join(',')}]`
  if (typeof value === 'string') spend(value.length >> 6)
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const fields = Object.keys(value).sort()
  spend(2 * fields.length)
  return `{${fields.map(name => `${JSON.stringify(name)}:${canonical(value[name], spend)}`).join(',')}}`
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const entriesOf = (value: unknown) => (isObject(value) ? Object.entries(value) : [])
const isLess = (count: number, limit: unknown) => typeof limit === 'number' && count < limit
const isMore = (count: number, limit: unknown) => typeof limit === 'number' && count > limit

/** Returns the number of code points of a text. */
function characters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
