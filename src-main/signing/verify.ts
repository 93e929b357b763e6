import { timingSafeEqual } from 'node:crypto'
import type { InboundErrorCodeOf } from '#shared/errors/inbound.ts'
import { signatureOf } from './sign.ts'
import { SigningKey } from './signing-key.ts'

/** The largest accepted difference between a request's timestamp and the clock, in both directions, inclusive. */
export const maxSkewMs = 300_000

export type TimestampRefusal = InboundErrorCodeOf<'timestamp'>
export type SignatureRefusal = InboundErrorCodeOf<'signature'>

/** A key that requests may be signed with. */
export type VerificationKey = {
  readonly key: SigningKey
  readonly kind: 'current' | 'previous'
  /** In ms since 1970; null if it does not expire, 0 once its end was seen. */
  expiresAt: number | null
}

const timestampShape = /^[0-9]{1,15}$/
const signatureShape = /^sha256=[0-9a-f]{64}$/

/**
 * Returns the keys of a connection: its secret, and earlier secrets within their grace periods. An empty secret
 * yields no key, so a damaged store refuses every request instead of trusting a key that everybody has.
 */
export function verificationKeysOf(connection: {
  readonly signingSecret: string
  readonly oldSecrets?: readonly { readonly secret: string; readonly expiresAt: number }[]
}): VerificationKey[] {
  const { signingSecret, oldSecrets = [] } = connection
  const keys: VerificationKey[] = []
  if (signingSecret !== '') {
    keys.push({ key: new SigningKey(signingSecret), kind: 'current', expiresAt: null })
  }
  for (const { secret, expiresAt } of oldSecrets)
    if (secret !== '' && expiresAt > 0)
      keys.push({ key: new SigningKey(secret), kind: 'previous', expiresAt })
  return keys
}

/**
 * Ends the keys that are expired at `nowMs` for good: a clock that is set back later does not bring them back.
 *
 * @returns when the next of the others expires, in ms since 1970; infinity if none does.
 */
export function endExpired(keys: Iterable<VerificationKey>, nowMs: number): number {
  let next = Number.POSITIVE_INFINITY
  for (const key of keys) {
    if (key.expiresAt === null || key.expiresAt === 0) continue
    if (nowMs >= key.expiresAt) key.expiresAt = 0
    else next = Math.min(next, key.expiresAt)
  }
  return next
}

/**
 * Checks the timestamp header: 1 to 15 ASCII digits, milliseconds since 1970, at most 5 minutes from `nowMs`. Returns
 * null for a valid one.
 */
export function checkTimestamp(header: string | undefined, nowMs: number): TimestampRefusal | null {
  if (header === undefined || header === '') return 'missing_timestamp'
  if (!timestampShape.test(header)) return 'invalid_timestamp'
  return Math.abs(nowMs - Number(header)) <= maxSkewMs ? null : 'stale_timestamp'
}

/** Checks the form of the signature header before the body is read. Returns null for a valid form. */
export function checkSignatureShape(header: string | undefined): SignatureRefusal | null {
  if (header === undefined || header === '') return 'missing_signature'
  return signatureShape.test(header) ? null : 'invalid_signature'
}

/**
 * Returns the first key that made this signature and is not expired at `nowMs`; null if there is none. It compares
 * whole header values in constant time, so a malformed signature never matches.
 *
 * @param timestamp the header's original text, including leading zeros, because the sender signed that text
 * @param nowMs ms since 1970; a key is valid until just before its `expiresAt`
 */
export function matchKey(
  keys: readonly VerificationKey[],
  timestamp: string,
  signature: string,
  rawBody: Uint8Array,
  nowMs: number,
): VerificationKey | null {
  const received = Buffer.from(signature)
  for (const candidate of keys) {
    if (candidate.expiresAt !== null && nowMs >= candidate.expiresAt) continue
    const expected = Buffer.from(signatureOf(candidate.key, timestamp, rawBody))
    if (received.length === expected.length && timingSafeEqual(received, expected)) return candidate
  }
  return null
}

export type Verification =
  | { readonly ok: true; readonly key: VerificationKey }
  | { readonly ok: false; readonly code: TimestampRefusal | SignatureRefusal }

/**
 * Checks a received request completely, timestamp first. Returns the error code of the inbound endpoint. Never throws.
 */
export function verifyRequest(request: {
  readonly keys: readonly VerificationKey[]
  readonly timestamp: string | undefined
  readonly signature: string | undefined
  readonly rawBody: Uint8Array
  readonly nowMs: number
}): Verification {
  const { keys, timestamp, signature, rawBody, nowMs } = request
  const refusal = checkTimestamp(timestamp, nowMs) ?? checkSignatureShape(signature)
  if (refusal !== null) return { ok: false, code: refusal }
  const key = matchKey(keys, timestamp ?? '', signature ?? '', rawBody, nowMs)
  return key === null ? { ok: false, code: 'invalid_signature' } : { ok: true, key }
}
