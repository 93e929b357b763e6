import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib'
import type { CallError } from '#shared/model/call.ts'
import { BodyTooLargeError, type RawAnswer } from './exchange.ts'
import { callError, tooLarge } from './failures.ts'
import type { SendLimits } from './send.ts'

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
class UndecodableBodyError extends Error {}

/** A body to be read, null where it is not to be; and what is wrong with it. */
export type DecodedBody = { readonly body: Buffer | null; readonly error: CallError | null }

export function isEncoded({ headers, body }: RawAnswer): boolean {
  return headers['content-encoding'] !== undefined && body.length > 0
}

/** A body that needs no decoding. */
export function whole(body: Buffer, limits: SendLimits): DecodedBody {
  return body.length > limits.bodyBytes ? { body: null, error: tooLarge(limits) } : { body, error: null }
}

/** The body as it was meant; of one that cannot be decoded the bytes as they came, with an error. */
export async function decode({ headers, body }: RawAnswer, limits: SendLimits): Promise<DecodedBody> {
  try {
    return whole(await decodeBody(body, headers['content-encoding'] ?? '', limits.bodyBytes), limits)
  } catch (error) {
    if (error instanceof BodyTooLargeError) return { body: null, error: tooLarge(limits) }
    if (error instanceof UndecodableBodyError)
      return { body, error: callError('network_error', error.message) }
    throw error
  }
}

/**
 * Undoes the content encodings of a body, the last first. No step makes more than `maxBytes`, however small
 * its input is, and stops as soon as it would.
 *
 * @param encodings value of the header Content-Encoding.
 * @throws BodyTooLargeError, UndecodableBodyError
 */
async function decodeBody(body: Buffer, encodings: string, maxBytes: number): Promise<Buffer> {
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
