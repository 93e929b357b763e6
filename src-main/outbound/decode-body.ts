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

/** The number of nested encodings that are decoded. */
const maxEncodings = 3

/** The body does not match its Content-Encoding. */
class UndecodableBodyError extends Error {}

/** A body, null if it is too large; and its error. */
export type DecodedBody = { readonly body: Buffer | null; readonly error: CallError | null }

export function isEncoded({ headers, body }: RawAnswer): boolean {
  return headers['content-encoding'] !== undefined && body.length > 0
}

/** Checks the size of a decoded body. */
export function whole(body: Buffer, limits: SendLimits): DecodedBody {
  return body.length > limits.bodyBytes ? { body: null, error: tooLarge(limits) } : { body, error: null }
}

/** Decodes a body. If this fails, returns the original bytes with an error. */
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
 * Undoes the content encodings of a body, the last first. Each step stops once its output exceeds `maxBytes`.
 *
 * @param encodings the header Content-Encoding.
 * @throws BodyTooLargeError, UndecodableBodyError
 */
async function decodeBody(body: Buffer, encodings: string, maxBytes: number): Promise<Buffer> {
  const names = encodings
    .toLowerCase()
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '' && name !== 'identity')
  if (names.length > maxEncodings)
    throw new UndecodableBodyError(`The response is encoded ${names.length} times.`)
  let decoded = body
  for (const name of names.reverse()) decoded = await decodeOnce(decoded, name, maxBytes)
  return decoded
}

async function decodeOnce(body: Buffer, name: string, maxBytes: number): Promise<Buffer> {
  const decode = decoderOf(name, body)
  if (decode === null)
    throw new UndecodableBodyError(`The response has the unknown Content-Encoding ${name}.`)
  try {
    return await decode(body, { maxOutputLength: maxBytes })
  } catch (error) {
    if (error instanceof RangeError) throw new BodyTooLargeError()
    throw new UndecodableBodyError(
      `The response is not valid ${name}, although its Content-Encoding says so.`,
    )
  }
}

function decoderOf(name: string, body: Buffer) {
  switch (name) {
    case 'gzip':
    case 'x-gzip':
      return decoders.gzip
    case 'deflate':
      // Some servers omit the zlib wrapper, whose low four bits are always 8.
      return ((body[0] ?? 0) & 0x0f) === 8 ? decoders.deflate : decoders.rawDeflate
    case 'br':
      return decoders.br
    case 'zstd':
      return decoders.zstd
    default:
      return null
  }
}
