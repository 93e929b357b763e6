import type { Readable } from 'node:stream'

const firstBytes = 4 * 1024

/** A buffer for the pieces of a body of bounded size. */
export type GrowingBuffer = ReturnType<typeof createGrowingBuffer>

const empty = Buffer.alloc(0)

/**
 * Creates a buffer that doubles as it fills, so that memory depends on the number of bytes and not on their
 * chunks: in a list, a chunk of 1 byte takes about 400 bytes. A single piece is kept without a copy. Bytes that
 * are only declared allocate nothing.
 *
 * @param maxBytes the limit, or the declared length if it is smaller.
 */
export function createGrowingBuffer(maxBytes: number) {
  let buffer: Buffer = empty
  let size = 0

  /** Returns the capacity that the buffer would have after another `bytes`. */
  function capacityFor(bytes: number): number {
    const needed = size + bytes
    if (needed <= buffer.length) return buffer.length
    if (size === 0) return bytes
    return Math.max(needed, Math.min(maxBytes, Math.max(2 * buffer.length, firstBytes)))
  }

  return {
    /** Bytes collected. */
    get size() {
      return size
    },
    /** Bytes of memory held for them: at most twice `size`, and at most the bound. */
    get capacity() {
      return buffer.length
    },
    capacityFor,
    /** Appends a piece. The caller checks the bound. */
    append(piece: Buffer) {
      const capacity = capacityFor(piece.length)
      if (size === 0) buffer = piece
      else {
        if (capacity > buffer.length) {
          // A slice of Node's pool would keep 64 KiB alive.
          const larger = Buffer.allocUnsafeSlow(capacity)
          buffer.copy(larger, 0, 0, size)
          buffer = larger
        }
        piece.copy(buffer, size)
      }
      size += piece.length
    },
    /** Returns the collected bytes without a copy, and empties the buffer. */
    take() {
      const taken = size === buffer.length ? buffer : buffer.subarray(0, size)
      buffer = empty
      size = 0
      return taken
    },
  }
}

/** Thrown when a stream is longer than the limit. */
export class TooLongError extends Error {
  constructor(maxBytes: number) {
    super(`There are more than ${maxBytes} bytes.`)
  }
}

/**
 * Reads a stream to its end.
 *
 * @param stream of Buffers. If it is too long, the rest is discarded; the caller may destroy the stream.
 * @throws TooLongError, or the error of the stream.
 */
export function readWhole(stream: Readable, maxBytes: number): Promise<Buffer> {
  const collected = createGrowingBuffer(maxBytes)
  return new Promise((resolve, reject) => {
    const onData = (piece: Buffer) => {
      if (collected.size + piece.length <= maxBytes) collected.append(piece)
      else {
        stream.off('data', onData)
        collected.take()
        stream.resume()
        reject(new TooLongError(maxBytes))
      }
    }
    stream.on('data', onData)
    stream.once('end', () => resolve(collected.take()))
    stream.once('error', reject)
    stream.once('close', () => reject(new Error('The stream was interrupted.')))
  })
}
