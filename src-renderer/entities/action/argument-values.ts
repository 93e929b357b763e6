import { isExactNumber, numberText, parseExact } from '#shared/json/exact-json.ts'
import { isExact } from '#shared/json/exact-number.ts'
import { walkJson } from '#shared/json/walk-json.ts'
import type { Parameter } from '#shared/model/parameter.ts'
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
  /** Problems, by parameter name. */
  readonly problems: ReadonlyMap<string, string>
  /** Notes on values that are sent differently from how they were typed, by parameter name. */
  readonly warnings: ReadonlyMap<string, string>
}

type Read = { readonly value?: unknown; readonly problem?: string; readonly warning?: string }

/** Converts the entries of the form to arguments of the parameters' types. */
export function readArguments(parameters: readonly Parameter[], values: ArgumentValues): ReadArguments {
  const given: [string, unknown][] = []
  const problems = new Map<string, string>()
  const warnings = new Map<string, string>()
  for (const parameter of parameters) {
    const { name } = parameter
    const entry = Object.hasOwn(values, name) ? values[name] : undefined
    const { value, problem, warning } = readOne(parameter, entry)
    if (value !== undefined) given.push([name, value])
    if (problem !== undefined) problems.set(name, problem)
    if (warning !== undefined) warnings.set(name, warning)
  }
  return { arguments: problems.size > 0 ? null : Object.fromEntries(given), problems, warnings }
}

function readOne({ name, type, required }: Parameter, entry: Entry): Read {
  if (type === 'boolean') {
    // A required switch starts as false.
    if (typeof entry === 'boolean') return { value: entry }
    return required ? { value: false } : {}
  }
  const text = typeof entry === 'string' ? entry : undefined
  if (type === 'string') {
    if (text === undefined && required) return { problem: `${name} is required.` }
    return text === undefined ? {} : { value: text }
  }
  if (text === undefined || text.trim() === '') return required ? { problem: `${name} is required.` } : {}
  return type === 'number' ? readNumber(name, text.trim()) : readObject(name, text)
}

function readNumber(name: string, text: string): Read {
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text))
    return { problem: `${name} must be a number, such as 12.5.` }
  return exact(text)
}

function readObject(name: string, text: string): Read {
  let read: Read
  try {
    read = exact(text)
  } catch {
    return { problem: `${name} is not valid JSON.` }
  }
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
    parameters.flatMap(({ name, type }) => {
      const value = Object.hasOwn(given, name) ? entryOf(type, given[name]) : undefined
      return value === undefined || String(value).includes(mask) ? [] : [[name, value]]
    }),
  )
}

function entryOf(type: Parameter['type'], value: unknown): Entry {
  if (type === 'object')
    return typeof value === 'object' && value !== null && !isExactNumber(value)
      ? formatJson(JSON.stringify(value))
      : undefined
  if (type === 'number') return numberText(value) ?? undefined
  if (type === 'boolean') return typeof value === 'boolean' ? value : undefined
  return typeof value === 'string' ? value : undefined
}

/** Returns the entries with one of them changed. */
export function withEntry(values: ArgumentValues, name: string, entry: Entry): ArgumentValues {
  const others = Object.entries(values).filter(([other]) => other !== name)
  return Object.fromEntries(entry === undefined ? others : [...others, [name, entry]])
}
