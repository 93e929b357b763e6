import type { Readable } from 'node:stream'

const firstBytes = 4 * 1024

/** Collects the pieces of a body whose size is bounded. */
export type GrowingBuffer = {
  /** Bytes collected. */
  readonly size: number
  /** Bytes of memory held for them: at most twice `size`, and at most the bound. */
  readonly capacity: number
  /** Returns the capacity that the buffer would have after another `bytes`. */
  capacityFor(bytes: number): number
  /** The caller checks that the bound holds. */
  append(piece: Buffer): void
  /** Returns what was collected, without a copy, and lets go of it. */
  take(): Buffer
}

const empty = Buffer.alloc(0)

/**
 * Collects pieces in one buffer that doubles as it fills, so that the memory depends on the number of bytes and
 * not on how they were cut: as a list, a body sent in chunks of 1 byte takes about 400 bytes for each.
 * A single piece is kept as it is. Nothing is allocated for bytes that were only announced.
 *
 * @param maxBytes the most that will be collected; the declared length, where it is smaller.
 */
export function createGrowingBuffer(maxBytes: number): GrowingBuffer {
  let buffer: Buffer = empty
  let size = 0

  function capacityFor(bytes: number): number {
    const needed = size + bytes
    if (needed <= buffer.length) return buffer.length
    if (size === 0) return bytes
    return Math.max(needed, Math.min(maxBytes, Math.max(2 * buffer.length, firstBytes)))
  }

  return {
    get size() {
      return size
    },
    get capacity() {
      return buffer.length
    },
    capacityFor,
    append(piece) {
      const capacity = capacityFor(piece.length)
      if (size === 0) buffer = piece
      else {
        if (capacity > buffer.length) {
          // Not from the pool, of which a slice would keep 64 KiB alive.
          const larger = Buffer.allocUnsafeSlow(capacity)
          buffer.copy(larger, 0, 0, size)
          buffer = larger
        }
        piece.copy(buffer, size)
      }
      size += piece.length
    },
    take() {
      const taken = size === buffer.length ? buffer : buffer.subarray(0, size)
      buffer = empty
      size = 0
      return taken
    },
  }
}

/** A stream gave more bytes than are read. */
export class TooLongError extends Error {
  constructor(maxBytes: number) {
    super(`There are more than ${maxBytes} bytes.`)
  }
}

/**
 * Reads a stream to its end.
 *
 * @param stream of Buffers. Of one that is too long the rest flows off unread; the caller may destroy it.
 * @throws TooLongError; what the stream fails with.
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
    stream.once('close', () => reject(new Error('The stream broke off.')))
  })
}
