/**
 * Text as SQLite gives it back unchanged: UTF-8 cannot hold a lone surrogate, so such a text is kept as a
 * blob of UTF-16. Every other text, U+0000 included, survives as TEXT.
 */
export function toStored(text: string): string | Uint8Array {
  return text.isWellFormed() ? text : Buffer.from(text, 'utf16le')
}

/** A column holds a value of a kind that nothing ever stores there. */
export class StoredValueError extends TypeError {}

/** @throws StoredValueError when the value is neither of what `toStored` gives. */
export function fromStored(value: unknown): string {
  if (typeof value === 'string') return value
  if (value instanceof Uint8Array) {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('utf16le')
  }
  throw new StoredValueError(`Expected stored text, found ${typeof value}.`)
}

/** @throws StoredValueError when a column that must hold an integer does not. */
export function integer(value: unknown): number {
  if (typeof value !== 'number') throw new StoredValueError(`Expected an integer, found ${typeof value}.`)
  return value
}
