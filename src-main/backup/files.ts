import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, type ReadStream, type WriteStream } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { ServiceError } from '#shared/errors.ts'

/** Bytes read from a file at once. */
const chunkBytes = 256 * 1024

/** Reads a file in chunks. */
export function piecesOf(file: string): ReadStream {
  return createReadStream(file, { highWaterMark: chunkBytes })
}

/** Computes the length and the SHA-256 of a stream. */
type Digest = {
  /** Passes the chunks on unchanged. */
  pass<Piece extends Uint8Array>(pieces: AsyncIterable<Piece>): AsyncGenerator<Piece>
  /** Returns the result for what has passed; call it once. */
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

/** Reads a stream to its end and discards it. */
export async function drain(pieces: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of pieces);
}

export async function digestOf(file: string): Promise<ReturnType<Digest['result']>> {
  const digest = createDigest()
  await drain(digest.pass(piecesOf(file)))
  return digest.result()
}

/** Creates a file of mode 0600, which is durable when the stream has closed. Sync the folder for its entry. */
export function newPrivateFile(path: string): WriteStream {
  return createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
}

/** Bytes that stay free for other programs. */
const reserve = 64 * 1024 * 1024

/**
 * @param what needs the space, as the beginning of a sentence.
 * @throws ServiceError `storage_unavailable` if less space is free.
 */
export async function requireRoom(folder: string, bytes: number, what: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  if (free >= bytes + reserve) return
  throw new ServiceError('storage_unavailable', {
    detail: `${what} needs ${megabytes(bytes + reserve)} MB on the disk of ${folder}; ${megabytes(free)} MB are free.`,
  })
}

const megabytes = (bytes: number) => Math.ceil(bytes / 1_000_000)
