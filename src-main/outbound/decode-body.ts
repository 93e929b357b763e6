import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib'
import type { CallError } from '#shared/model/call.ts'
import { BodyTooLargeError, type RawAnswer } from './exchange.ts'
import { callError, tooLarge } from './failures.ts'
import type { SendLimits } from './send.ts'

const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  rawDeflate: promisify(inflateRaw),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
}

type Known = Exclude<keyof typeof decoders, 'rawDeflate'>

const isKnown = (name: string): name is Known => Object.hasOwn(decoders, name) && name !== 'rawDeflate'

/** The number of nested encodings that are decoded. */
const maxEncodings = 3

/** The body does not match its Content-Encoding. */
class UndecodableBodyError extends Error {}

/** A body, null if it is too large; and its error. */
export type DecodedBody = {
  readonly body: Buffer | null
  readonly error: CallError | null
  /** Whether the body has an unknown encoding, and was not decoded or only in part. */
  readonly isUnknown: boolean
}

export function isEncoded({ headers, body }: RawAnswer): boolean {
  return headers['content-encoding'] !== undefined && body.length > 0
}

/** Checks the size of a decoded body. */
export function whole(body: Buffer, limits: SendLimits): DecodedBody {
  const isTooLarge = body.length > limits.bodyBytes
  return { body: isTooLarge ? null : body, error: isTooLarge ? tooLarge(limits) : null, isUnknown: false }
}

/**
 * Undoes the known content encodings of a body, the last first. Unknown ones are skipped, because servers also write names
 * there that do not change the body, such as UTF-8 or aws-chunked. If that fails, returns the bytes as received: with an
 * error, unless an encoding is unknown. Each step stops once its output exceeds the limit.
 */
export async function decode({ headers, body }: RawAnswer, limits: SendLimits): Promise<DecodedBody> {
  const all = encodingsOf(headers['content-encoding'] ?? '')
  const known = all.filter(isKnown)
  const isUnknown = known.length < all.length
  try {
    if (known.length > maxEncodings)
      throw new UndecodableBodyError(`The response is encoded ${known.length} times.`)
    let decoded = body
    for (const name of known.reverse()) decoded = await decodeOnce(decoded, name, limits.bodyBytes)
    return { ...whole(decoded, limits), isUnknown }
  } catch (error) {
    if (error instanceof BodyTooLargeError) return { body: null, error: tooLarge(limits), isUnknown }
    if (!(error instanceof UndecodableBodyError)) throw error
    if (isUnknown) return { ...whole(body, limits), isUnknown }
    return { body, error: callError('network_error', error.message), isUnknown }
  }
}

/** Returns the names in a header Content-Encoding. */
function encodingsOf(header: string): string[] {
  return header
    .toLowerCase()
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '' && name !== 'identity')
}

/** @throws BodyTooLargeError, UndecodableBodyError */
async function decodeOnce(body: Buffer, name: Known, maxBytes: number): Promise<Buffer> {
  // Some servers omit the zlib wrapper, whose low four bits are always 8.
  const isRaw = name === 'deflate' && ((body[0] ?? 0) & 0x0f) !== 8
  try {
    return await decoders[isRaw ? 'rawDeflate' : name](body, { maxOutputLength: maxBytes })
  } catch (error) {
    if (error instanceof RangeError) throw new BodyTooLargeError()
    throw new UndecodableBodyError(
      `The response is not valid ${name}, although its Content-Encoding says so.`,
    )
  }
}
