import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Diagnosis } from '#shared/model/diagnosis.ts'
import type { Bytes } from './guess.ts'
import { judgeTimestamp, readSignature } from './read-headers.ts'
import { type Suspect, type SuspectClues, suspectsOf } from './suspects.ts'

export type DiagnosisRequest = SuspectClues & {
  readonly signatureHeader: string | undefined
  /** Milliseconds since 1970. */
  readonly nowMs: number
}

const maxDigests = 5000
const maxHashedBytes = 24 * 1024 * 1024

/**
 * Returns the common mistake that explains a refused request. Show it to the owner of the connection only, never to the
 * caller: it reveals which guess was right.
 *
 * It tries single mistakes first, then pairs; a message names at most two. It reports a timestamp in seconds and a
 * malformed signature even if no digest matches. `rawBody` may be empty if the timestamp was refused before the
 * body was read.
 *
 * Bounded to 5,000 HMACs and 24 MiB of hashed data, so a large body gets only the likeliest guesses. Bodies over
 * 256 KiB are not re-serialized. Pure; never throws.
 */
export function diagnose(request: DiagnosisRequest): Diagnosis {
  if (request.secret === '') {
    return unknown('This connection has no signing secret and refuses everything; generate a new one.')
  }
  const timestampMistake = judgeTimestamp(request.timestampHeader, request.nowMs)
  const signature = readSignature(request.signatureHeader)
  const suspect = signature.digest && findSuspect(request, signature.digest)

  const mistakes = [...signature.mistakes, ...(suspect?.mistakes ?? [])]
  if (timestampMistake?.code === 'timestamp_in_seconds') mistakes.unshift(timestampMistake)
  else if (timestampMistake) mistakes.push(timestampMistake)

  const [first, second] = mistakes
  if (first) {
    const message = second ? `${first.message} ${second.message}` : first.message
    const isRewritten = suspect?.mistakes.some(({ code }) => code === 'body_reserialized') === true
    if (!isRewritten || suspect?.body === undefined) return { code: first.code, message }
    return { code: first.code, message, difference: firstDifference(suspect.body, request.rawBody) }
  }
  if (suspect) return unknown('Nothing is wrong with this timestamp, body and signature.')
  if (request.rawBody.length === 0) return emptyBody
  return unknown(
    'The signature does not match any common mistake; check that you use the signing secret of this connection and sign the exact bytes that you send.',
  )
}

const emptyBody: Diagnosis = {
  code: 'empty_body',
  message:
    'The request arrived with an empty body; send the body that you signed, and post to the final URL, because a redirect drops the body.',
}

function findSuspect(clues: SuspectClues, digest: Buffer): Suspect | undefined {
  let digestsLeft = maxDigests
  let bytesLeft = maxHashedBytes
  for (const suspect of suspectsOf(clues)) {
    const size = sizeOf(suspect.message) + sizeOf(suspect.key ?? [])
    if (size > bytesLeft) continue
    bytesLeft -= size
    if (digestsLeft-- === 0) return undefined
    if (timingSafeEqual(digestOf(suspect), digest)) return suspect
  }
  return undefined
}

/** Characters shown before the first difference, and from it on. */
const shownBefore = 24
const shownAfter = 40

/** Returns an excerpt of both texts around the first different byte. */
function firstDifference(signed: Uint8Array, sent: Uint8Array): { signed: string; sent: string } {
  let at = 0
  while (at < signed.length && at < sent.length && signed[at] === sent[at]) at++
  const around = (bytes: Uint8Array) => {
    const text = (from: number, to: number) => Buffer.from(bytes.subarray(from, to)).toString('utf8')
    const start = Math.max(0, at - shownBefore)
    const isCut = at + shownAfter < bytes.length
    return `${start > 0 ? '…' : ''}${text(start, at + shownAfter)}${isCut ? '…' : ''}`.replaceAll(
      '\ufffd',
      '',
    )
  }
  return { signed: around(signed), sent: around(sent) }
}

function digestOf({ key, message }: Suspect): Buffer {
  const hash = key === null ? createHash('sha256') : createHmac('sha256', concat(key))
  for (const piece of message) hash.update(piece)
  return hash.digest()
}

function concat(pieces: readonly Bytes[]): Bytes {
  const [first = '', ...rest] = pieces
  return rest.length === 0 ? first : Buffer.concat(pieces.map(piece => Buffer.from(piece)))
}

function sizeOf(pieces: readonly Bytes[]): number {
  return pieces.reduce((size, piece) => size + piece.length, 0)
}

function unknown(message: string): Diagnosis {
  return { code: 'unknown', message }
}
