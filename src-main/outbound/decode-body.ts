import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib'
import { BodyTooLargeError } from './exchange.ts'

const decoders = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  rawDeflate: promisify(inflateRaw),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
}

/** Encodings one upon the other that are undone; nobody sends more in earnest. */
const maxEncodings = 3

/** A body that is not what its Content-Encoding says. */
export class UndecodableBodyError extends Error {}

/**
 * Undoes the content encodings of a body, the last first. No step makes more than `maxBytes`, however small
 * its input is, and stops as soon as it would.
 *
 * @param encodings value of the header Content-Encoding.
 * @throws BodyTooLargeError, UndecodableBodyError
 */
export async function decodeBody(body: Buffer, encodings: string, maxBytes: number): Promise<Buffer> {
  const names = encodings
    .toLowerCase()
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '' && name !== 'identity')
  if (names.length > maxEncodings)
    throw new UndecodableBodyError(`The answer is encoded ${names.length} times.`)
  let decoded = body
  for (const name of names.reverse()) decoded = await decodeOnce(decoded, name, maxBytes)
  return decoded
}

async function decodeOnce(body: Buffer, name: string, maxBytes: number): Promise<Buffer> {
  const decode = decoderOf(name, body)
  if (decode === null)
    throw new UndecodableBodyError(`The answer has the Content-Encoding ${name}, which is not understood.`)
  try {
    return await decode(body, { maxOutputLength: maxBytes })
  } catch (error) {
    if (error instanceof RangeError) throw new BodyTooLargeError()
    throw new UndecodableBodyError(`The answer is not the ${name} that its Content-Encoding says.`)
  }
}

function decoderOf(name: string, body: Buffer) {
  switch (name) {
    case 'gzip':
    case 'x-gzip':
      return decoders.gzip
    case 'deflate':
      // Some servers leave out the wrapper of zlib, whose first four bits are always 8.
      return ((body[0] ?? 0) & 0x0f) === 8 ? decoders.deflate : decoders.rawDeflate
    case 'br':
      return decoders.br
    case 'zstd':
      return decoders.zstd
    default:
      return null
  }
}
