import { isDeeperThan, maxDepth } from '../json/depth.ts'
import { isExactNumber, isObject, numberText } from '../json/exact-json.ts'
import type { JsonType, ParameterType, SentParameter } from './parameter.ts'

/** The values that a type of parameter accepts, and its description. */
export type ParameterKind = {
  /** With an article: “a number”. */
  readonly noun: string
  /** The type of its JSON Schema, which models and clients are given. */
  readonly schemaType: 'string' | 'number' | 'integer' | 'boolean' | 'object'
  /** The types of JSON Schemas that an import makes parameters of this type of. */
  readonly imported: readonly string[]
  /** The types of JSON values that a step can give it. */
  readonly takes: readonly JsonType[]
  /** Returns why a value of a call is not of this type, to be read after its name; null if it is. Coerces nothing. */
  problem(value: unknown): string | null
  /** Returns a value that a step gives it as it is sent. */
  fitted(value: unknown): unknown
}

const asIs = (value: unknown) => value

export const parameterKinds: Readonly<Record<ParameterType, ParameterKind>> = {
  string: {
    noun: 'a text',
    schemaType: 'string',
    imported: ['string'],
    takes: ['string', 'number', 'boolean'],
    problem: value => (typeof value === 'string' ? null : mustBe('a string', value)),
    // `{{order_id}}` may be a number in the event.
    fitted: value => numberText(value) ?? (typeof value === 'boolean' ? String(value) : value),
  },
  number: {
    noun: 'a number',
    schemaType: 'number',
    imported: ['number', 'integer'],
    takes: ['number'],
    problem(value) {
      if (isExactNumber(value)) return null
      if (typeof value !== 'number') return mustBe('a number', value)
      return Number.isFinite(value) ? null : `must be a finite number, not ${value}.`
    },
    fitted: asIs,
  },
  boolean: {
    noun: 'true or false',
    schemaType: 'boolean',
    imported: ['boolean'],
    takes: ['boolean'],
    problem: value => (typeof value === 'boolean' ? null : mustBe('a boolean', value)),
    fitted: asIs,
  },
  object: {
    noun: 'an object',
    schemaType: 'object',
    imported: ['object'],
    takes: ['object'],
    problem(value) {
      if (!isObject(value)) return mustBe('an object', value)
      return isDeeperThan(value, maxDepth) ? `is nested deeper than ${maxDepth} levels.` : null
    },
    fitted: asIs,
  },
}

type Valued = Pick<SentParameter, 'type' | 'isList' | 'schema'>

/** Returns whether the type of a parameter says all about the type of its values, and its schema nothing else. */
export const isSimple = ({ type, schema }: Valued) =>
  schema === undefined || schema.type === parameterKinds[type].schemaType

/** Returns a value that a step gives a parameter as it is sent; for a list each of its elements. */
export function fittedValue(parameter: Valued, value: unknown): unknown {
  if (!isSimple(parameter)) return value
  const { fitted } = parameterKinds[parameter.type]
  return parameter.isList === true && Array.isArray(value) ? value.map(fitted) : fitted(value)
}

/** Returns the types of JSON values that a step can give a parameter, with a noun for them; null if its schema decides. */
export function takenBy(parameter: Valued): Pick<ParameterKind, 'noun' | 'takes'> | null {
  if (parameter.isList === true) return { noun: 'a list', takes: ['list'] }
  return isSimple(parameter) ? parameterKinds[parameter.type] : null
}

const mustBe = (wanted: string, value: unknown) => `must be ${wanted}, not ${described(value)}.`

function described(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (isExactNumber(value)) return 'a number'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
