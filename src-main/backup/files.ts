import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, type ReadStream, type WriteStream } from 'node:fs'
import { open, statfs } from 'node:fs/promises'
import { ServiceError } from '#shared/errors.ts'

/** Bytes read from a file at once. */
const chunkBytes = 256 * 1024

/** A file in pieces. */
export function piecesOf(file: string): ReadStream {
  return createReadStream(file, { highWaterMark: chunkBytes })
}

/** The length and the SHA-256 of bytes that pass by. */
type Digest = {
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

/** A new file of mode 0600, which is on the disk when the stream has closed. Its entry in the folder is not yet. */
export function newPrivateFile(path: string): WriteStream {
  return createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
}

/** So many bytes of a file from an offset on; zeros where it is shorter. */
export async function readBytes(file: string, offset: number, count: number): Promise<Buffer> {
  const handle = await open(file, 'r')
  try {
    const bytes = Buffer.alloc(count)
    await handle.read(bytes, 0, count, offset)
    return bytes
  } finally {
    await handle.close()
  }
}

/** Bytes left free for other programs that write to the disk. */
const reserve = 64 * 1024 * 1024

/**
 * Makes sure that the disk has room for so many bytes more.
 *
 * @param folder on that disk. @param what needs the room, at the beginning of a sentence.
 * @throws ServiceError `storage_unavailable`.
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
