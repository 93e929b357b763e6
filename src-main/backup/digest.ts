import { createHash } from 'node:crypto'
import { createReadStream, type ReadStream } from 'node:fs'

/** Bytes read from a file at once. */
const chunkBytes = 256 * 1024

/** A file in pieces. */
export function piecesOf(file: string): ReadStream {
  return createReadStream(file, { highWaterMark: chunkBytes })
}

/** The length and the SHA-256 of bytes that pass by. */
export type Digest = {
  /** Gives the pieces on as they are. */
  pass<Piece extends Uint8Array>(pieces: AsyncIterable<Piece>): AsyncGenerator<Piece>
  /** Of what has passed so far; once. */
  result(): { readonly bytes: number; readonly sha256: string }
}

export function createDigest(): Digest {
  const hash = createHash('sha256')
  let bytes = 0
  return {
    async *pass(pieces) {
      for await (const piece of pieces) {
        hash.update(piece)
        bytes += piece.length
        yield piece
      }
    },
    result: () => ({ bytes, sha256: hash.digest('hex') }),
  }
}

/** Reads pieces to their end, for what they pass through on their way. */
export async function drain(pieces: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of pieces);
}

export async function digestOf(file: string): Promise<ReturnType<Digest['result']>> {
  const digest = createDigest()
  await drain(digest.pass(piecesOf(file)))
  return digest.result()
}
