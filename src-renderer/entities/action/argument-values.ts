import { isExactNumber, numberText, parseExact } from '#shared/json/exact-json.ts'
import { isExact } from '#shared/json/exact-number.ts'
import { walkJson } from '#shared/json/walk-json.ts'
import { createValueCheck, newBudget } from '#shared/json-schema/check-value.ts'
import { matchesIfQuick } from '#shared/json-schema/quick-patterns.ts'
import { schemaProblems } from '#shared/json-schema/schema-problems.ts'
import { inputsOf, type Parameter, type ParameterType } from '#shared/model/parameter.ts'
import { isSimple } from '#shared/model/parameter-kinds.ts'
import { type CheckOf, valueProblems } from '#shared/request/value-problems.ts'
import { formatJson } from '../../ui/format-json.ts'

/**
 * The entries of the form by parameter name: the text of a field, or whether a switch is on. A parameter without an
 * entry is left out of the call.
 */
export type ArgumentValues = Readonly<Record<string, string | boolean>>

/** Undefined leaves the parameter out. */
export type Entry = string | boolean | undefined

type ReadArguments = {
  /** Null while one of them is invalid. */
  readonly arguments: Record<string, unknown> | null
  /** All that could be read, valid or not. */
  readonly given: Readonly<Record<string, unknown>>
  /** Problems, by parameter name. */
  readonly problems: ReadonlyMap<string, string>
  /** Problems of values that are given, by their places: `lines.0.sku`. */
  readonly refused: ReadonlyMap<string, string>
  /** Notes on values that are sent differently from how they were typed, by parameter name. */
  readonly warnings: ReadonlyMap<string, string>
}

type Read = { readonly value?: unknown; readonly problem?: string; readonly warning?: string }

/** Converts the entries of the form to arguments of the parameters' types. */
export function readArguments(parameters: readonly Parameter[], values: ArgumentValues): ReadArguments {
  const given: [string, unknown][] = []
  const problems = new Map<string, string>()
  const warnings = new Map<string, string>()
  const refused = new Map<string, string>()
  const budget = newBudget()
  for (const parameter of inputsOf(parameters)) {
    const { name } = parameter
    const entry = Object.hasOwn(values, name) ? values[name] : undefined
    const { value, problem, warning } = readOne(parameter, entry)
    if (value !== undefined) given.push([name, value])
    if (warning !== undefined) warnings.set(name, warning)
    if (problem !== undefined) problems.set(name, problem)
    else if (value !== undefined && !(value === null && !parameter.required))
      for (const { path, message } of valueProblems(parameter, value, checkOf, budget)) {
        const place = [name, ...path].join('.')
        if (!problems.has(name)) problems.set(name, `${place} ${message}`)
        refused.set(place, `${place} ${message}`)
      }
  }
  const read = Object.fromEntries(given)
  return { arguments: problems.size > 0 ? null : read, given: read, problems, refused, warnings }
}

const checks = new WeakMap<object, ReturnType<CheckOf>>()

/** Returns the check of a schema; one with problems checks nothing. The service has the last word. */
const checkOf: CheckOf = schema => {
  const known = checks.get(schema)
  if (known !== undefined) return known
  const check = schemaProblems(schema).length > 0 ? () => [] : createValueCheck(schema, matchesIfQuick)
  checks.set(schema, check)
  return check
}

function readOne(parameter: Parameter, entry: Entry): Read {
  const { name, required } = parameter
  const { field, mayBeEmpty, initial, read } = argumentKindOf(parameter)
  const isGiven = typeof entry === (field === 'switch' ? 'boolean' : 'string')
  const isEmpty = !mayBeEmpty && typeof entry === 'string' && entry.trim() === ''
  if (entry !== undefined && isGiven && !isEmpty) return read(name, entry)
  if (!required) return {}
  return initial === undefined ? { problem: `${name} is required.` } : { value: initial }
}

/** How the form shows, reads and fills in the arguments of a type of parameter. */
type ArgumentKind = {
  /** `line`: one line of text. `json`: an editor. */
  readonly field: 'switch' | 'line' | 'json'
  readonly isNumeric: boolean
  /** Whether an empty text is a value. */
  readonly mayBeEmpty: boolean
  /** The value of a required argument before anybody enters one. */
  readonly initial?: unknown
  /** @param entry not empty. */
  read(name: string, entry: string | boolean): Read
  /** Returns the entry of a value; undefined for a value of another type. */
  entryOf(value: unknown): Entry
}

const textField = { field: 'line', isNumeric: false, mayBeEmpty: false } as const

const argumentKinds: Readonly<Record<ParameterType, ArgumentKind>> = {
  string: {
    ...textField,
    mayBeEmpty: true,
    read: (_name, value) => ({ value }),
    entryOf: value => (typeof value === 'string' ? value : undefined),
  },
  number: {
    ...textField,
    isNumeric: true,
    read: (name, entry) => readNumber(name, String(entry).trim()),
    entryOf: value => numberText(value) ?? undefined,
  },
  boolean: {
    ...textField,
    field: 'switch',
    initial: false,
    read: (_name, value) => ({ value }),
    entryOf: value => (typeof value === 'boolean' ? value : undefined),
  },
  object: {
    ...textField,
    field: 'json',
    read: (name, entry) => readObject(name, String(entry)),
    entryOf: value =>
      typeof value === 'object' && value !== null && !isExactNumber(value)
        ? formatJson(JSON.stringify(value))
        : undefined,
  },
}

const jsonKind = (isList: boolean): ArgumentKind => ({
  ...textField,
  field: 'json',
  read: (name, entry) => readJson(name, String(entry), isList),
  entryOf: value =>
    value === undefined || (isList && !Array.isArray(value)) ? undefined : formatJson(JSON.stringify(value)),
})
const list = jsonKind(true)
const any = jsonKind(false)

/** Returns how the form treats the argument of a parameter: lists, and values of several types, are JSON. */
export function argumentKindOf(parameter: Parameter): ArgumentKind {
  if (parameter.isList === true) return list
  return isSimple(parameter) ? argumentKinds[parameter.type] : any
}

function readNumber(name: string, text: string): Read {
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text))
    return { problem: `${name} must be a number, such as 12.5.` }
  return exact(text)
}

function readJson(name: string, text: string, isList: boolean): Read {
  try {
    const read = exact(text)
    return isList && !Array.isArray(read.value) ? { problem: `${name} must be a list: [ … ].` } : read
  } catch {
    return { problem: `${name} is not valid JSON.` }
  }
}

function readObject(name: string, text: string): Read {
  const read = readJson(name, text, false)
  if (read.problem !== undefined) return read
  const { value } = read
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isExactNumber(value))
    return { problem: `${name} must be an object: { … }.` }
  return read
}

/** Parses JSON with all digits of its numbers, or with a warning if this browser cannot keep them. */
function exact(text: string): Read {
  const value = parseExact(text)
  const lost = canKeepDigits ? null : firstLoss(text)
  return lost === null ? { value } : { value, warning: lossOf(lost) }
}

const canKeepDigits = isExactNumber(parseExact('1.0'))

const lossOf = (value: number) =>
  `This browser cannot keep all digits of the number and sends ${value}. A newer browser can.`

/** Returns the first number of a JSON text that would lose digits, as it would be sent. */
function firstLoss(text: string): number | null {
  let lost: number | null = null
  walkJson(text, {
    value(_step, kind, _offset, source) {
      if (kind === 'number' && lost === null && !isExact(source, Number(source))) lost = Number(source)
    },
    leave() {},
  })
  return lost
}

/** Marks a masked secret in a stored argument. The user has to type it again. */
const mask = '••••'

/** Converts the arguments of an earlier call to entries of the form, if they still fit its parameters. */
export function valuesOf(
  parameters: readonly Parameter[],
  given: Readonly<Record<string, unknown>>,
): ArgumentValues {
  return Object.fromEntries(
    inputsOf(parameters).flatMap(parameter => {
      const { name } = parameter
      const value = Object.hasOwn(given, name) ? argumentKindOf(parameter).entryOf(given[name]) : undefined
      return value === undefined || String(value).includes(mask) ? [] : [[name, value]]
    }),
  )
}

/** Returns the entries with one of them changed. */
export function withEntry(values: ArgumentValues, name: string, entry: Entry): ArgumentValues {
  const others = Object.entries(values).filter(([other]) => other !== name)
  return Object.fromEntries(entry === undefined ? others : [...others, [name, entry]])
}
