import { toStored } from './stored-text.ts'

/** The length of an absent text. */
export const absent = -1

/** Where a text is in the bytes of all texts: as SQL counts, from 1. */
type Place = readonly [at: number, length: number]

const nowhere: Place = [1, absent]

/** Texts of many rows in one array of bytes: an array of texts would be written with a quote and an escape for each. */
export class Texts {
  readonly #parts: (string | Uint8Array)[] = []
  #length = 0

  add(text: string | null): Place {
    if (text === null) return nowhere
    const stored = toStored(text)
    return this.#place(stored, Buffer.byteLength(stored))
  }

  /** @param bytes `text` in UTF-8. */
  addBytes(bytes: Uint8Array, text: string): Place {
    return toStored(text) === text ? this.#place(bytes, bytes.length) : this.add(text)
  }

  #place(part: string | Uint8Array, length: number): Place {
    const at = this.#length + 1
    this.#parts.push(part)
    this.#length += length
    return [at, length]
  }

  bytes(): Buffer {
    const bytes = Buffer.allocUnsafe(this.#length)
    let at = 0
    for (const part of this.#parts) {
      if (typeof part === 'string') at += bytes.write(part, at)
      else {
        bytes.set(part, at)
        at += part.length
      }
    }
    return bytes
  }
}
