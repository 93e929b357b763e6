/** SQLite's code for a damaged file. */
export const sqliteCorrupt = 11

/**
 * Returns a text in a form that SQLite returns unchanged. UTF-8 cannot hold a lone surrogate, so such a text becomes a
 * blob of UTF-16. Every other text is TEXT, also with U+0000.
 */
export function toStored(text: string): string | Uint8Array {
  return text.isWellFormed() ? text : Buffer.from(text, 'utf16le')
}

export function toStoredOrNull(text: string | null | undefined): string | Uint8Array | null {
  return text === null || text === undefined ? null : toStored(text)
}

/** A column holds a value of a type that is never stored there. */
export class StoredValueError extends TypeError {
  /** SQLite's code, so that it counts as damage across threads too. */
  readonly errcode = sqliteCorrupt
}

/** Returns the text of a stored value. @throws StoredValueError */
export function fromStored(value: unknown): string {
  if (typeof value === 'string') return value
  if (value instanceof Uint8Array) {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('utf16le')
  }
  throw new StoredValueError(`Expected stored text, found ${typeof value}.`)
}

export function fromStoredOrNull(value: unknown): string | null {
  return value === null ? null : fromStored(value)
}

/** @throws StoredValueError if the value is not an integer. */
export function integer(value: unknown): number {
  if (typeof value !== 'number') throw new StoredValueError(`Expected an integer, found ${typeof value}.`)
  return value
}
