/** Texts in slots, dropped in the order in which they were put. */
export type TextRing = {
  /** @returns false when the text does not fit beside those that are there; then nothing is kept. */
  put(slot: number, text: string): boolean
  get(slot: number): string
  drop(slot: number): void
}

/**
 * Texts as UTF-8 in one buffer, end to end, beginning again at its start: no string is kept alive.
 *
 * @param slots how many texts there may be; `bytes` is the size of the buffer.
 */
export function createTextRing(slots: number, bytes: number): TextRing {
  // The pages of memory are taken as they are first written, not here.
  const buffer = Buffer.allocUnsafeSlow(bytes)
  const starts = new Uint32Array(slots)
  const lengths = new Uint32Array(slots)
  /** Where the next text begins; and where the oldest one does, equal to it when there is none. */
  let head = 0
  let tail = 0
  let count = 0

  /** Where so many bytes are free in one piece, or -1. */
  function place(length: number): number {
    if (count === 0) return length <= bytes ? 0 : -1
    if (head > tail) {
      if (bytes - head >= length) return head
      return length < tail ? 0 : -1
    }
    return length < tail - head ? head : -1
  }

  return {
    put(slot, text) {
      const length = Buffer.byteLength(text)
      const start = place(length)
      if (start === -1) return false
      if (count === 0) tail = start
      buffer.write(text, start, length, 'utf8')
      starts[slot] = start
      lengths[slot] = length
      head = start + length
      count++
      return true
    },
    get(slot) {
      const start = starts[slot] ?? 0
      return buffer.toString('utf8', start, start + (lengths[slot] ?? 0))
    },
    drop(slot) {
      count--
      // What begins where the dropped one ended is the oldest now, unless that is at the start again.
      tail = (starts[slot] ?? 0) + (lengths[slot] ?? 0)
    },
  }
}
