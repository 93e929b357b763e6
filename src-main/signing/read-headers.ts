import { dayMs } from '#shared/durations.ts'
import { inboundErrors } from '#shared/errors/inbound.ts'
import type { Diagnosis } from '#shared/model/diagnosis.ts'
import { checkTimestamp } from './verify.ts'

/** The digest in a signature header, in any form, and the mistakes in that form. */
type ReadSignature = {
  /** 32 bytes, or null if the header contains no SHA-256 digest. */
  readonly digest: Buffer | null
  /** At most two; empty for the right form. */
  readonly mistakes: readonly Diagnosis[]
}

const scheme = 'sha256='
const otherScheme = /^[a-z0-9-]{1,15}[=,: ] *(?=.)/i
const hex = /^[0-9a-f]{64}$/
const base64 = /^[A-Za-z0-9+/_-]{43}=?$/
const base64OfHex = /^[A-Za-z0-9+/_-]{86}(==)?$/

const wanted = '`sha256=` followed by 64 lowercase hexadecimal digits'

/** Parses the signature header leniently. Never throws. */
export function readSignature(header: string | undefined): ReadSignature {
  if (header === undefined || header === '') {
    return unreadable(`The request has no x-service-signature header; send ${wanted}.`)
  }
  const hasScheme = header.startsWith(scheme)
  const text = hasScheme ? header.slice(scheme.length) : header.replace(otherScheme, '')
  const { digest, mistakes } = readDigest(text)
  if (hasScheme || digest === null) return { digest, mistakes }
  const message = 'The signature must begin with `sha256=`, in lower case.'
  return { digest, mistakes: [...mistakes, { code: 'missing_scheme', message }] }
}

function readDigest(text: string): ReadSignature {
  if (hex.test(text)) return { digest: Buffer.from(text, 'hex'), mistakes: [] }
  if (hex.test(text.toLowerCase())) {
    const message = 'The digest has uppercase hexadecimal digits; write them in lower case.'
    return { digest: Buffer.from(text, 'hex'), mistakes: [{ code: 'digest_uppercase', message }] }
  }
  if (base64.test(text)) {
    const message = 'The digest is in base64; write it as 64 lowercase hexadecimal digits.'
    return { digest: Buffer.from(text, 'base64'), mistakes: [{ code: 'digest_base64', message }] }
  }
  const inner = base64OfHex.test(text) ? Buffer.from(text, 'base64').toString('latin1') : ''
  if (hex.test(inner.toLowerCase())) {
    const message =
      'The hexadecimal digest was encoded in base64 once more; send the hexadecimal digits themselves.'
    return { digest: Buffer.from(inner, 'hex'), mistakes: [{ code: 'digest_base64', message }] }
  }
  return unreadable(describeUnreadable(text))
}

function describeUnreadable(text: string): string {
  if (text.includes(',')) return `The signature header holds more than one value; send one, ${wanted}.`
  const digits = /^[0-9a-f]+$/i.test(text) ? text.length : 0
  const other = { 32: 'MD5', 40: 'SHA-1', 96: 'SHA-384', 128: 'SHA-512' }[digits]
  if (other) return `The digest has ${digits} hexadecimal digits, as ${other} gives; use HMAC-SHA256.`
  if (digits > 0) return `The digest has ${digits} hexadecimal digits; it must be ${wanted}.`
  return `The signature header is not in the form expected: ${wanted}.`
}

function unreadable(message: string): ReadSignature {
  return { digest: null, mistakes: [{ code: 'unknown', message }] }
}

/**
 * Returns the mistake in the timestamp header alone; null for a valid one. Seconds within a day of the clock, with or
 * without decimals, have their own code. All other mistakes are `unknown` with a message.
 *
 * @param nowMs ms since 1970
 */
export function judgeTimestamp(header: string | undefined, nowMs: number): Diagnosis | null {
  const refusal = checkTimestamp(header, nowMs)
  switch (refusal) {
    case null:
      return null
    case 'invalid_timestamp':
      return isNear(header, 1000, nowMs) ? inSeconds : unknown(describeInvalid(header, nowMs))
    case 'stale_timestamp':
      return isNear(header, 1000, nowMs) ? inSeconds : unknown(describeStale(Number(header), nowMs))
    default:
      return unknown(inboundErrors[refusal].remedy)
  }
}

const inSeconds: Diagnosis = {
  code: 'timestamp_in_seconds',
  message:
    'The timestamp is in seconds; send and sign milliseconds since 1970 as whole decimal digits, 13 of them at present.',
}

function describeInvalid(header: string | undefined, nowMs: number): string {
  const must = 'the timestamp must be milliseconds since 1970 in decimal digits'
  if (isNear(header, 1, nowMs)) return `The timestamp is not a whole number; ${must} and nothing else.`
  if (isNear(header, 1e-3, nowMs)) return `The timestamp is in microseconds; ${must}.`
  if (isNear(header, 1e-6, nowMs)) return `The timestamp is in nanoseconds; ${must}.`
  if (/^\d{4}-\d\d/.test(header ?? '')) return `The timestamp is a date; ${must}.`
  return `The timestamp cannot be read; ${must}, at most 15 of them.`
}

function describeStale(timestamp: number, nowMs: number): string {
  const seconds = Math.round(Math.abs(nowMs - timestamp) / 1000)
  const side = timestamp < nowMs ? 'behind' : 'ahead of'
  return `The timestamp is ${seconds} seconds ${side} the clock of this service; check the sender's clock, and take a fresh timestamp for each request.`
}

function isNear(header: string | undefined, unitMs: number, nowMs: number): boolean {
  if (header === undefined || !/^ *\+?\d+(\.\d*)?(e\+?\d+)? *$/i.test(header)) return false
  return Math.abs(Number(header) * unitMs - nowMs) <= dayMs
}

function unknown(message: string): Diagnosis {
  return { code: 'unknown', message }
}
