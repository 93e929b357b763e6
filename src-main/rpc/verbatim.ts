/**
 * A value that an answer has as it stands. What writes answers copies plain objects, and would take apart a
 * number that keeps its digits (`JSON.rawJSON`) and lose a key such as `__proto__`; it leaves instances of a
 * class to `JSON.stringify`.
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

/** The fields of a record, each as it stands. */
export function verbatimFields(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, verbatim(value)]))
}
