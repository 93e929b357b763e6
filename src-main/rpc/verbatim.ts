import { isExactNumber } from '#shared/json/exact-json.ts'

/**
 * Wraps a value so that it reaches `JSON.stringify` unchanged. oRPC copies plain objects, which would break exact numbers
 * (`JSON.rawJSON`) and lose a key such as `__proto__`. It does not copy instances of a class.
 */
class Verbatim {
  readonly #value: unknown

  constructor(value: unknown) {
    this.#value = value
  }

  toJSON(): unknown {
    return this.#value
  }
}

export function verbatim(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? new Verbatim(value) : value
}

/** Returns a call whose arguments keep all digits of their numbers, also for clients whose numbers are doubles. */
export function withVerbatimArguments<Call extends { readonly arguments: Record<string, unknown> }>(
  call: Call,
): Call & { readonly argumentsText?: string } {
  const { arguments: given } = call
  const shown = { ...call, arguments: verbatimFields(given) }
  return hasExactNumber(given) ? { ...shown, argumentsText: JSON.stringify(given) } : shown
}

function hasExactNumber(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return isExactNumber(value) || Object.values(value).some(hasExactNumber)
}

/** Wraps each field of a record. */
export function verbatimFields(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, verbatim(value)]))
}
