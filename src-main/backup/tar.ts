import { buffer } from 'node:stream/consumers'
import { damaged } from './manifest.ts'

/** Everything in a tar file stands in blocks of so many bytes. */
export const blockBytes = 512

type TarHeader = {
  /** At most 100 bytes of ASCII. */
  readonly name: string
  /** Bytes of the content that follows. */
  readonly size: number
}

/** Offset and length of the fields that are used, as POSIX lays them out (ustar). */
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
/** What 11 octal digits hold is below this; what is larger is written in binary, as GNU tar does. */
const octalLimit = 8 ** 11
const binaryMark = 0x80

/**
 * The block before a file's content, of mode 0600.
 *
 * @param modifiedAt milliseconds since 1970.
 */
export function writeTarHeader({ name, size }: TarHeader, modifiedAt: number): Buffer {
  if (!/^[\x21-\x7e]{1,100}$/.test(name)) throw new RangeError(`${name} is no name for a tar file.`)
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
 * Reads the block before a file's content.
 *
 * @returns null for a block of zeros, of which two end the archive.
 * @throws ServiceError `damaged_backup` for what is no header, or of anything but a plain file.
 */
export function readTarHeader(block: Buffer): TarHeader | null {
  if (isZero(block)) return null
  if (numberAt(block, 'checksum') !== checksumOf(block)) throw damaged('The file is not a tar archive.')
  const name = textAt(block, 'name')
  if (textAt(block, 'type') !== regularFile)
    throw damaged(`${JSON.stringify(name)} in it is something else than a file.`)
  if (textAt(block, 'prefix') !== '') throw damaged(`${JSON.stringify(name)} in it lies in a folder.`)
  const size = sizeOf(block)
  if (!Number.isSafeInteger(size) || size < 0) throw damaged(`${JSON.stringify(name)} in it has no size.`)
  return { name, size }
}

function isZero(bytes: Buffer): boolean {
  return bytes.every(byte => byte === 0)
}

/** The bytes that fill up the last block of a content of this size. */
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

/** The sum of all bytes, those of the checksum counted as spaces. */
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

/** Takes a stream apart by numbers of bytes. */
type ByteReader = {
  /** @throws ServiceError `damaged_backup` when fewer are left. */
  read(count: number): Promise<Buffer>
  /** The next `count` bytes in pieces; all of them have to be taken. @throws as `read` does. */
  pieces(count: number): AsyncGenerator<Buffer>
  /** All that is left. */
  rest(): AsyncGenerator<Buffer>
}

function createByteReader(source: AsyncIterable<Uint8Array>): ByteReader {
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

export type TarEntry = TarHeader & {
  /** To be read to its end before the next entry is asked for. */
  readonly content: AsyncIterable<Buffer>
}

/**
 * Reads an archive as `writeTar` writes it: plain files, no folders, no links, no extensions, and its end.
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
  // The second block of the end, and what other programs fill up with.
  if (!isZero(await reader.read(blockBytes))) throw damaged('The end of the archive is damaged.')
  for await (const piece of reader.rest())
    if (!isZero(piece)) throw damaged('Something follows the end of the archive.')
}

type TarFile = TarHeader & {
  /** Exactly `size` bytes. */
  readonly content: () => AsyncIterable<Uint8Array>
}

/**
 * A tar archive of plain files (ustar), piece by piece.
 *
 * @param modifiedAt of all of them, in milliseconds since 1970.
 * @throws Error when a content has another size than it was announced with: the archive is then cut short.
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
