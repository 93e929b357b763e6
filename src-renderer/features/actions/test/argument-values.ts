import { isExactNumber, numberText, parseExact } from '#shared/json/exact-json.ts'
import { isExact } from '#shared/json/exact-number.ts'
import { walkJson } from '#shared/json/walk-json.ts'
import type { Parameter } from '#shared/model/parameter.ts'
import { formatJson } from '../../../ui/format-json.ts'

/**
 * What stands in the form, by parameter name: the text of a field, or whether a switch is on. What is not
 * there is left out of the call.
 */
export type ArgumentValues = Readonly<Record<string, string | boolean>>

type ReadArguments = {
  /** Null while some of them cannot be sent. */
  readonly arguments: Record<string, unknown> | null
  /** Why, by parameter name. */
  readonly problems: ReadonlyMap<string, string>
  /** What is sent otherwise than it was written, by parameter name. */
  readonly warnings: ReadonlyMap<string, string>
}

type Read = { readonly value?: unknown; readonly problem?: string; readonly warning?: string }

/** The arguments of a call as the form has them, each of its parameter's type. */
export function readArguments(parameters: readonly Parameter[], values: ArgumentValues): ReadArguments {
  const given: [string, unknown][] = []
  const problems = new Map<string, string>()
  const warnings = new Map<string, string>()
  for (const parameter of parameters) {
    const { name } = parameter
    const { value, problem, warning } = readOne(parameter, own(values, name))
    if (value !== undefined) given.push([name, value])
    if (problem !== undefined) problems.set(name, problem)
    if (warning !== undefined) warnings.set(name, warning)
  }
  return { arguments: problems.size > 0 ? null : Object.fromEntries(given), problems, warnings }
}

function own(values: ArgumentValues, name: string): string | boolean | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined
}

function readOne({ name, type, required }: Parameter, entry: string | boolean | undefined): Read {
  if (type === 'boolean') {
    // A switch that has to say something says no until it is switched.
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
    return { problem: `${name} is a number, such as 12.5.` }
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
    return { problem: `${name} is an object: { … }.` }
  return read
}

/** The value with all digits of its numbers; with a warning where this browser cannot keep them. */
function exact(text: string): Read {
  const value = parseExact(text)
  const lost = canKeepDigits ? null : firstLoss(text)
  return lost === null ? { value } : { value, warning: lossOf(lost) }
}

const canKeepDigits = isExactNumber(parseExact('1.0'))

const lossOf = (value: number) =>
  `This browser sends ${value}: it has no room for all digits of the number. A newer one has.`

/** The first number of a JSON text that would lose digits, as it would be sent. */
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

/** What stands where a value must not be seen: whoever tests has to write it again. */
const mask = '••••'

/** The arguments of an earlier call as the form would have them, as far as they still fit its parameters. */
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

function entryOf(type: Parameter['type'], value: unknown): string | boolean | undefined {
  if (type === 'object')
    return typeof value === 'object' && value !== null && !isExactNumber(value)
      ? formatJson(JSON.stringify(value))
      : undefined
  if (type === 'number') return numberText(value) ?? undefined
  if (type === 'boolean') return typeof value === 'boolean' ? value : undefined
  return typeof value === 'string' ? value : undefined
}

/** The form with an entry changed; undefined leaves the parameter out. */
export function withEntry(
  values: ArgumentValues,
  name: string,
  entry: string | boolean | undefined,
): ArgumentValues {
  const others = Object.entries(values).filter(([other]) => other !== name)
  return Object.fromEntries(entry === undefined ? others : [...others, [name, entry]])
}
