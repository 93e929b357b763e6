import { buffer } from 'node:stream/consumers'
import { damaged } from './manifest.ts'

/** A tar file consists of blocks of this many bytes. */
export const blockBytes = 512

type TarHeader = {
  /** At most 100 bytes of ASCII. */
  readonly name: string
  /** Bytes of the content. */
  readonly size: number
}

/** Offset and length of the header's fields (POSIX ustar). */
const fields = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 8],
  prefix: [345, 155],
} as const
type Field = keyof typeof fields

const magic = 'ustar\x0000'
const regularFile = '0'
/** 11 octal digits hold smaller sizes; larger ones are written in binary, as by GNU tar. */
const octalLimit = 8 ** 11
const binaryMark = 0x80

/** Returns the header block of a file of mode 0600. @param modifiedAt milliseconds since 1970. */
export function writeTarHeader({ name, size }: TarHeader, modifiedAt: number): Buffer {
  if (!/^[\x21-\x7e]{1,100}$/.test(name)) throw new RangeError(`${name} is not a valid name in a tar file.`)
  const block = Buffer.alloc(blockBytes)
  const put = (field: Field, text: string) => block.write(text, fields[field][0], 'latin1')
  const putNumber = (field: Field, value: number) =>
    put(field, value.toString(8).padStart(fields[field][1] - 1, '0'))
  put('name', name)
  putNumber('mode', 0o600)
  putNumber('uid', 0)
  putNumber('gid', 0)
  if (size < octalLimit) putNumber('size', size)
  else putBinary(block, size)
  putNumber('mtime', Math.floor(modifiedAt / 1000))
  put('type', regularFile)
  put('magic', magic)
  put('checksum', `${checksumOf(block).toString(8).padStart(6, '0')}\0 `)
  return block
}

/**
 * Reads a header block.
 *
 * @returns null for a block of zeros; two of them end the archive.
 * @throws ServiceError `damaged_backup` unless it is the header of a regular file.
 */
export function readTarHeader(block: Buffer): TarHeader | null {
  if (isZero(block)) return null
  if (numberAt(block, 'checksum') !== checksumOf(block)) throw damaged('The file is not a tar archive.')
  const name = textAt(block, 'name')
  if (textAt(block, 'type') !== regularFile)
    throw damaged(`${JSON.stringify(name)} in the archive is not a regular file.`)
  if (textAt(block, 'prefix') !== '') throw damaged(`${JSON.stringify(name)} in the archive is in a folder.`)
  const size = sizeOf(block)
  if (!Number.isSafeInteger(size) || size < 0)
    throw damaged(`${JSON.stringify(name)} in the archive has no size.`)
  return { name, size }
}

function isZero(bytes: Buffer): boolean {
  return bytes.every(byte => byte === 0)
}

/** Returns how many bytes fill the last block of a content. */
function paddingOf(size: number): number {
  return (blockBytes - (size % blockBytes)) % blockBytes
}

function putBinary(block: Buffer, size: number): void {
  const [offset, length] = fields.size
  block.writeBigUInt64BE(BigInt(size), offset + length - 8)
  block[offset] = binaryMark
}

function sizeOf(block: Buffer): number {
  const [offset, length] = fields.size
  if (block[offset] !== binaryMark) return numberAt(block, 'size')
  return Number(block.readBigUInt64BE(offset + length - 8))
}

/** Returns the sum of all bytes, with spaces in the place of the checksum. */
function checksumOf(block: Buffer): number {
  const [offset, length] = fields.checksum
  const sum = block.reduce((total, byte) => total + byte, 0)
  const own = block.subarray(offset, offset + length).reduce((total, byte) => total + byte, 0)
  return sum - own + length * 0x20
}

function numberAt(block: Buffer, field: Field): number {
  const digits = textAt(block, field).trim()
  return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number.NaN
}

function textAt(block: Buffer, field: Field): string {
  const [offset, length] = fields[field]
  const bytes = block.subarray(offset, offset + length)
  const end = bytes.indexOf(0)
  return bytes.toString('latin1', 0, end === -1 ? length : end)
}

/** Reads a stream by numbers of bytes. */
type ByteReader = {
  /** @throws ServiceError `damaged_backup` if fewer are left. */
  read(count: number): Promise<Buffer>
  /** Yields the next `count` bytes, which must all be read. @throws as `read`. */
  pieces(count: number): AsyncGenerator<Buffer>
  /** Yields the rest. */
  rest(): AsyncGenerator<Buffer>
}

function createByteReader(source: AsyncIterable<Uint8Array>): ByteReader {
  const chunks = source[Symbol.asyncIterator]()
  let current: Buffer = Buffer.alloc(0)

  /** Returns up to `most` bytes; null at the end. */
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
      if (piece === null) throw damaged('The file is truncated, or is not a backup.')
      left -= piece.length
      yield piece
    }
  }

  async function* rest(): AsyncGenerator<Buffer> {
    for (let piece = await next(Infinity); piece !== null; piece = await next(Infinity)) yield piece
  }

  return { read: count => buffer(pieces(count)), pieces, rest }
}

export type TarEntry = TarHeader & {
  /** Read it to its end before the next entry. */
  readonly content: AsyncIterable<Buffer>
}

/**
 * Reads an archive as `writeTar` writes it: regular files without folders, links or extensions, and its end.
 *
 * @throws ServiceError `damaged_backup` for anything else.
 */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const reader = createByteReader(source)
  for (;;) {
    const header = readTarHeader(await reader.read(blockBytes))
    if (header === null) break
    yield { ...header, content: reader.pieces(header.size) }
    if (!isZero(await reader.read(paddingOf(header.size)))) throw damaged('The archive is damaged.')
  }
  // The second block of the end, and the padding of other programs.
  if (!isZero(await reader.read(blockBytes))) throw damaged('The end of the archive is damaged.')
  for await (const piece of reader.rest())
    if (!isZero(piece)) throw damaged('The archive has data after its end.')
}

type TarFile = TarHeader & {
  /** Exactly `size` bytes. */
  readonly content: () => AsyncIterable<Uint8Array>
}

/**
 * Yields a tar archive of regular files (ustar).
 *
 * @param modifiedAt of all files, in milliseconds since 1970.
 * @throws Error if a content does not have its announced size; the archive is then incomplete.
 */
export async function* writeTar(files: readonly TarFile[], modifiedAt: number): AsyncGenerator<Uint8Array> {
  for (const file of files) {
    yield writeTarHeader(file, modifiedAt)
    let left = file.size
    for await (const chunk of file.content()) {
      left -= chunk.length
      if (left < 0) break
      yield chunk
    }
    if (left !== 0) throw new Error(`${file.name} does not have the ${file.size} bytes that it should have.`)
    yield Buffer.alloc(paddingOf(file.size))
  }
  yield Buffer.alloc(2 * blockBytes)
}
