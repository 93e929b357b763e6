import { isObject, numberText } from '../json/exact-json.ts'
import { canonicalNumber, compareNumbers, isMultipleOf, isWhole } from '../json/exact-number.ts'
import { formats } from './formats.ts'
import { patternOf, pointerOf } from './schema-problems.ts'
import { subschemasOf } from './subschemas.ts'

type Path = readonly (string | number)[]
type Schema = Readonly<Record<string, unknown>>

/** A place of a value that its schema refuses; `message` is read after the name of the place. */
export type ValueProblem = { readonly path: Path; readonly message: string }

/** Returns whether a text matches a regular expression; null if that took too long. */
export type Matches = (pattern: RegExp, text: string) => boolean | null

/** The judgement of a schema on a value: its problems, and the parts that it has judged, for `unevaluatedProperties`. */
type Judged = { readonly problems: ValueProblem[]; readonly parts: Set<string | number> }

/** Schemas that are asked about values. A schema with many alternatives within each other could ask for ever. */
const maxSteps = 500_000
const maxProblems = 20

class TooManySteps extends Error {}

/**
 * Returns a function that checks values with a schema which `schemaProblems` has found valid: by draft 2020-12, with
 * numbers by their exact digits. It returns the first 20 problems; none for a valid value. A value that takes more than
 * 500,000 steps has a problem.
 */
export function createValueCheck(root: Schema, matches: Matches): (value: unknown) => ValueProblem[] {
  const schemas = schemasByPointer(root)
  const patterns = new Map<string, RegExp | null>()
  let steps = 0

  function isMatch(source: string, text: string): boolean | null {
    const known = patterns.get(source)
    const pattern = known === undefined ? patternOf(source) : known
    patterns.set(source, pattern)
    return pattern === null ? true : matches(pattern, text)
  }

  function judge(schema: unknown, value: unknown, path: Path): Judged {
    if (++steps > maxSteps) throw new TooManySteps()
    const judged: Judged = { problems: [], parts: new Set() }
    if (schema === false) judged.problems.push({ path, message: 'is not allowed.' })
    if (!isObject(schema)) return judged
    const add = (message: string, at: Path = path) => judged.problems.push({ path: at, message })
    const take = (other: Judged, withProblems = true) => {
      if (withProblems) judged.problems.push(...other.problems.slice(0, maxProblems))
      for (const part of other.parts) judged.parts.add(part)
    }
    const ref = schema.$ref
    if (typeof ref === 'string') take(judge(schemas.get(decodeURIComponent(ref.slice(1))), value, path))
    judgeKind(schema, value, add)
    if (typeof value === 'string') judgeText(schema, value, add)
    const number = numberText(value)
    if (number !== null) judgeNumber(schema, number, add)
    for (const one of listOf(schema.allOf)) take(judge(one, value, path))
    judgeAlternatives(schema, value, path, { add, take })
    if (Array.isArray(value)) judgeList(schema, value, path, judged, add)
    if (isObject(value)) judgeObject(schema, value, path, judged, { add, take })
    return judged
  }

  type Add = (message: string, at?: Path) => void
  type Out = { readonly add: Add; readonly take: (other: Judged, withProblems?: boolean) => void }

  function judgeText(schema: Schema, text: string, add: Add): void {
    const { pattern, format, minLength, maxLength } = schema
    if (minLength !== undefined || maxLength !== undefined) {
      const length = characters(text)
      if (isLess(length, minLength)) add(`must have at least ${minLength} characters.`)
      if (isMore(length, maxLength)) add(`must have at most ${maxLength} characters.`)
    }
    if (typeof pattern === 'string') {
      const found = isMatch(pattern, text)
      if (found === null) add(`cannot be checked: its pattern ${pattern} takes too long.`)
      else if (!found) add(`must match the pattern ${pattern}.`)
    }
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
    if (isLess(list.length, schema.minItems)) add(`must have at least ${schema.minItems} elements.`)
    if (isMore(list.length, schema.maxItems)) add(`must have at most ${schema.maxItems} elements.`)
    if (schema.uniqueItems === true && new Set(list.map(canonical)).size < list.length)
      add('must not have the same element twice.')
    const first = listOf(schema.prefixItems)
    const each = (one: unknown, index: number, schemaOfOne: unknown) => {
      judged.parts.add(index)
      judged.problems.push(...judge(schemaOfOne, one, [...path, index]).problems)
    }
    list.forEach((one, index) => {
      if (judged.problems.length > maxProblems) return
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
      if (!judged.parts.has(index)) each(one, index, schema.unevaluatedItems)
  }

  function judgeObject(
    schema: Schema,
    value: Readonly<Record<string, unknown>>,
    path: Path,
    judged: Judged,
    { add, take }: Out,
  ): void {
    const names = Object.keys(value)
    if (isLess(names.length, schema.minProperties)) add(`must have at least ${schema.minProperties} fields.`)
    if (isMore(names.length, schema.maxProperties)) add(`must have at most ${schema.maxProperties} fields.`)
    const need = (required: unknown) => {
      for (const name of listOf(required))
        if (typeof name === 'string' && !Object.hasOwn(value, name)) add('is required.', [...path, name])
    }
    need(schema.required)
    for (const [name, required] of entriesOf(schema.dependentRequired))
      if (Object.hasOwn(value, name)) need(required)
    for (const [name, one] of entriesOf(schema.dependentSchemas))
      if (Object.hasOwn(value, name)) take(judge(one, value, path))
    const properties = isObject(schema.properties) ? schema.properties : {}
    const patterned = entriesOf(schema.patternProperties)
    for (const name of names) {
      if (judged.problems.length > maxProblems) return
      const at = [...path, name]
      const part = (own: unknown) => {
        judged.parts.add(name)
        judged.problems.push(...judge(own, value[name], at).problems)
      }
      if (schema.propertyNames !== undefined)
        for (const { message } of judge(schema.propertyNames, name, at).problems)
          add(`has a name that ${message}`, at)
      const isOwn = Object.hasOwn(properties, name)
      if (isOwn) part(properties[name])
      const fitting = patterned.filter(([source]) => isMatch(source, name) !== false)
      for (const [, one] of fitting) part(one)
      if (isOwn || fitting.length > 0) continue
      if (schema.additionalProperties === false) add('is not a field of this object.', at)
      else if (schema.additionalProperties !== undefined) part(schema.additionalProperties)
    }
    if (schema.unevaluatedProperties === undefined) return
    for (const name of names)
      if (!judged.parts.has(name))
        judged.problems.push(...judge(schema.unevaluatedProperties, value[name], [...path, name]).problems)
  }

  return value => {
    steps = 0
    try {
      return judge(root, value, []).problems.slice(0, maxProblems)
    } catch (error) {
      if (!(error instanceof TooManySteps)) throw error
      return [
        { path: [], message: 'cannot be checked: its schema has too many alternatives for this value.' },
      ]
    }
  }
}

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

function judgeKind(schema: Schema, value: unknown, add: (message: string) => void): void {
  const { type, enum: values } = schema
  const types = Array.isArray(type) ? type : type === undefined ? null : [type]
  if (types !== null && !types.some(one => isOfType(value, one)))
    add(
      `must be ${types.map(one => nouns[String(one)] ?? String(one)).join(' or ')}, not ${nouns[typeOf(value)]}.`,
    )
  const allowed = Array.isArray(values) ? values : schema.const === undefined ? null : [schema.const]
  if (allowed === null) return
  const own = typeof value === 'string' ? null : canonical(value)
  if (
    !allowed.some(one => (own === null ? one === value : typeof one !== 'string' && canonical(one) === own))
  )
    add(`must be ${shownValues(allowed)}.`)
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
function canonical(value: unknown): string {
  const number = numberText(value)
  if (number !== null) return canonicalNumber(number)
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const fields = Object.keys(value).sort()
  return `{${fields.map(name => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`
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
