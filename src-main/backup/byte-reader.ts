import { buffer } from 'node:stream/consumers'
import { damaged } from './damaged.ts'

/** Takes a stream apart by numbers of bytes. */
export type ByteReader = {
  /** @throws ServiceError `damaged_backup` when fewer are left. */
  read(count: number): Promise<Buffer>
  /** The next `count` bytes in pieces; all of them have to be taken. @throws as `read` does. */
  pieces(count: number): AsyncGenerator<Buffer>
  /** All that is left. */
  rest(): AsyncGenerator<Buffer>
}

export function createByteReader(source: AsyncIterable<Uint8Array>): ByteReader {
  const chunks = source[Symbol.asyncIterator]()
  let current: Buffer = Buffer.alloc(0)

  /** @returns up to `most` bytes; null at the end. */
  async function next(most: number): Promise<Buffer | null> {
    while (current.length === 0) {
      const { value, done } = await chunks.next()
      if (done) return null
      current = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    }
    const piece = current.subarray(0, most)
    current = current.subarray(piece.length)
    return piece
  }

  async function* pieces(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      const piece = await next(left)
      if (piece === null) throw damaged('The file is cut short.')
      left -= piece.length
      yield piece
    }
  }

  async function* rest(): AsyncGenerator<Buffer> {
    for (let piece = await next(Infinity); piece !== null; piece = await next(Infinity)) yield piece
  }

  return { read: count => buffer(pieces(count)), pieces, rest }
}
