/** Texts with a label each, in slots, dropped in the order in which they were put. */
export type TextRing = {
  /**
   * Keeps a text, such as the body of an event, and its label, such as the event's name.
   *
   * @returns false when they do not fit beside those that are there, or when UTF-8 cannot hold the label; then
   *   nothing is kept.
   */
  put(slot: number, label: string, text: string): boolean
  get(slot: number): { readonly label: string; readonly text: string }
  drop(slot: number): void
}

/**
 * Keeps texts as UTF-8 in one buffer, end to end, beginning again at its start: no string is kept alive.
 *
 * @param slots how many texts there may be; `bytes` is the size of the buffer.
 */
export function createTextRing(slots: number, bytes: number): TextRing {
  // The pages of memory are taken as they are first written, not here.
  const buffer = Buffer.allocUnsafeSlow(bytes)
  const starts = new Uint32Array(slots)
  const labelLengths = new Uint32Array(slots)
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
    put(slot, label, text) {
      // A name may have half of a surrogate pair, which JSON can escape and UTF-8 cannot express.
      if (!label.isWellFormed()) return false
      const labelLength = Buffer.byteLength(label)
      const length = labelLength + Buffer.byteLength(text)
      const start = place(length)
      if (start === -1) return false
      if (count === 0) tail = start
      buffer.write(label, start, labelLength, 'utf8')
      buffer.write(text, start + labelLength, length - labelLength, 'utf8')
      starts[slot] = start
      labelLengths[slot] = labelLength
      lengths[slot] = length
      head = start + length
      count++
      return true
    },
    get(slot) {
      const start = starts[slot] ?? 0
      const textStart = start + (labelLengths[slot] ?? 0)
      return {
        label: buffer.toString('utf8', start, textStart),
        text: buffer.toString('utf8', textStart, start + (lengths[slot] ?? 0)),
      }
    },
    drop(slot) {
      count--
      // What begins where the dropped one ended is the oldest now, unless that is at the start again.
      tail = (starts[slot] ?? 0) + (lengths[slot] ?? 0)
    },
  }
}
