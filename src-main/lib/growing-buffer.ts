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
  return collect(stream, maxBytes, createGrowingBuffer(maxBytes))
}

/**
 * Reads a stream to its end like `readWhole`, but into pieces: growing one buffer copies megabytes at once. No other
 * buffer shares their memory, so they can be moved to another thread.
 */
export function readPieces(stream: Readable, maxBytes: number): Promise<Buffer[]> {
  return collect(stream, maxBytes, createPieces())
}

const maxPieceBytes = 1024 * 1024
/** A chunk of so many bytes that has its own memory is a piece, without a copy. */
const minOwnBytes = 16 * 1024

/** Creates a list of buffers. Chunks that are not pieces themselves are copied into one that is as large as all before. */
function createPieces() {
  let pieces: Buffer[] = []
  let size = 0
  let open: Buffer = empty
  let filled = 0

  function close(): void {
    if (filled > 0) pieces.push(open.subarray(0, filled))
    open = empty
    filled = 0
  }

  return {
    get size() {
      return size
    },
    append(chunk: Buffer) {
      const isOwn = chunk.length >= minOwnBytes && chunk.length === chunk.buffer.byteLength
      // Memory that stays empty is at most as large as the body.
      if (isOwn && open.length - filled <= chunk.length) {
        close()
        pieces.push(chunk)
        size += chunk.length
        return
      }
      for (let start = 0; start < chunk.length; ) {
        if (filled === open.length) {
          close()
          open = Buffer.allocUnsafeSlow(Math.min(maxPieceBytes, Math.max(firstBytes, size)))
        }
        const copied = chunk.copy(open, filled, start)
        start += copied
        filled += copied
        size += copied
      }
    },
    take() {
      close()
      const taken = pieces
      pieces = []
      size = 0
      return taken
    },
  }
}

/** A buffer that collects bytes. */
type Collected<Whole> = { readonly size: number; append(chunk: Buffer): void; take(): Whole }

function collect<Whole>(stream: Readable, maxBytes: number, collected: Collected<Whole>): Promise<Whole> {
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
