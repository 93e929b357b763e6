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

/** Returns a call whose arguments keep all digits of their numbers. */
export function withVerbatimArguments<Call extends { readonly arguments: Record<string, unknown> }>(
  call: Call,
): Call {
  return { ...call, arguments: verbatimFields(call.arguments) }
}

/** Wraps each field of a record. */
export function verbatimFields(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, verbatim(value)]))
}
