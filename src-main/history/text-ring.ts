/**
 * Creates a ring buffer of texts with labels, in UTF-8, so that no string stays alive. Texts are stored in slots, and
 * dropped in the order in which they were put.
 *
 * @param slots the most texts. @param bytes the size of the buffer.
 */
export function createTextRing(slots: number, bytes: number) {
  // The system allocates pages of memory when they are first written, not here.
  const buffer = Buffer.allocUnsafeSlow(bytes)
  const starts = new Uint32Array(slots)
  const labelLengths = new Uint32Array(slots)
  const lengths = new Uint32Array(slots)
  /** Where the next text begins, and where the oldest one begins. */
  let head = 0
  let tail = 0
  let count = 0

  /** Returns where `length` contiguous bytes are free; -1 for nowhere. */
  function place(length: number): number {
    if (count === 0) return length <= bytes ? 0 : -1
    if (head > tail) {
      if (bytes - head >= length) return head
      return length < tail ? 0 : -1
    }
    return length < tail - head ? head : -1
  }

  return {
    /**
     * Stores a text, such as the body of an event, and its label, such as the event's name.
     *
     * @returns false if there is no room, or if UTF-8 cannot hold the label; nothing is stored then.
     */
    put(slot: number, label: string, text: string): boolean {
      // A name may contain half of a surrogate pair, which JSON can escape but UTF-8 cannot encode.
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
    get(slot: number) {
      const start = starts[slot] ?? 0
      const textStart = start + (labelLengths[slot] ?? 0)
      return {
        label: buffer.toString('utf8', start, textStart),
        text: buffer.toString('utf8', textStart, start + (lengths[slot] ?? 0)),
      }
    },
    drop(slot: number): void {
      count--
      // The next oldest text begins where this one ends, or at the start of the buffer.
      tail = (starts[slot] ?? 0) + (lengths[slot] ?? 0)
    },
  }
}
