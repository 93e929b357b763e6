import type { Diagnosis } from '#shared/model/diagnosis.ts'

/** The digest in a signature header, in any form, and the mistakes in that form. */
export type ReadSignature = {
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
