import { dayMs } from '#shared/durations.ts'
import { inboundErrors } from '#shared/errors/inbound.ts'
import type { Diagnosis, DiagnosisCode, TemplateChange } from '#shared/model/diagnosis.ts'
import { valuesIn } from '#shared/model/sender/header-values.ts'
import { type Algorithm, digestBytes, type SenderTemplate } from '#shared/model/sender/sender-template.ts'

/** A digest in a signature header, in any form, and the mistakes in that form. */
export type ReadDigest = {
  readonly digest: Buffer
  readonly algorithm: Algorithm
  /** At most three; empty for the right form. */
  readonly mistakes: readonly Diagnosis[]
  /** The form as fields of a scheme; undefined if no scheme has it. */
  readonly change: TemplateChange | undefined
}

type ReadSignature = {
  /** Those of a right form first; empty if the header contains none. */
  readonly digests: readonly ReadDigest[]
  /** Why there is none. */
  readonly unreadable: Diagnosis | null
}

/** Signatures in one header that are looked at. */
const maxSignatures = 20
const otherPrefix = /^[a-z0-9-]{1,15}[=,: ] *(?=.)/i

/** How a scheme names the parts of its signature. */
export type Terms = {
  readonly template: SenderTemplate
  /** Only the default scheme demands lowercase digits. */
  readonly isDefault: boolean
}

/** Returns the form of the signature in words: “`sha256=` followed by 64 lowercase hexadecimal digits”. */
export function wantedForm({ template, isDefault }: Terms): string {
  const { prefix, encoding, algorithm } = template
  const bytes = digestBytes[algorithm]
  const digits = `${2 * bytes}${isDefault ? ' lowercase' : ''} hexadecimal digits`
  const digest = encoding === 'hex' ? digits : `${bytes} bytes in base64`
  return prefix === '' ? digest : `\`${prefix}\` followed by ${digest}`
}

/** Parses the values of a signature header leniently. Never throws. */
export function readSignature(header: string | undefined, terms: Terms): ReadSignature {
  const { template } = terms
  const { prefix, timestampPrefix, signatureHeader } = template
  if (header === undefined || header === '') {
    const message = `The request has no ${signatureHeader} header; send ${wantedForm(terms)}.`
    return { digests: [], unreadable: unknown(message) }
  }
  const values = valuesIn(header, template)
    .slice(0, maxSignatures + 1)
    .filter(value => timestampPrefix === undefined || !value.startsWith(timestampPrefix))
    .toSorted((one, other) => Number(other.startsWith(prefix)) - Number(one.startsWith(prefix)))
  const read = values.map(value => readValue(value, terms))
  const digests = read.flatMap(one => ('digest' in one ? one : []))
  const [first] = read
  return { digests, unreadable: first !== undefined && 'code' in first ? first : null }
}

function readValue(value: string, terms: Terms): ReadDigest | Diagnosis {
  const { prefix } = terms.template
  const hasPrefix = value.startsWith(prefix)
  // A digest in base64 may end in what looks like a prefix, so the bare value is tried first.
  const bare = hasPrefix ? value.slice(prefix.length) : (otherPrefixed(value) ?? value)
  const digest = readDigest(bare, terms)
  if ('code' in digest) return digest
  const found = value.slice(0, value.length - bare.length)
  if (found === prefix) return digest
  const message =
    prefix === ''
      ? 'The signature must be the digest alone, without anything before it.'
      : `The signature must begin with \`${prefix}\`${prefix === prefix.toLowerCase() ? ', in lower case' : ''}.`
  const mistakes = [...digest.mistakes, mistake(terms.isDefault ? 'missing_scheme' : 'other_prefix', message)]
  return { ...digest, mistakes, change: digest.change && { ...digest.change, prefix: found } }
}

function otherPrefixed(value: string): string | undefined {
  const bare = value.replace(otherPrefix, '')
  return bare === value || formOf(value) !== null ? undefined : bare
}

const hex = /^(?:[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})$/i
const base64 = /^(?:[A-Za-z0-9+/_-]{27}=?|[A-Za-z0-9+/_-]{43}=?|[A-Za-z0-9+/_-]{86}(?:==)?)$/
/** Lengths of digests in hexadecimal digits that no scheme may have. */
const otherDigests: Readonly<Record<number, string>> = { 32: 'MD5', 96: 'SHA-384' }

/** Returns how a digest is encoded; null if the text is none. */
function formOf(text: string): 'hex' | 'base64' | 'base64 of hex' | null {
  if (hex.test(text)) return 'hex'
  if (!base64.test(text)) return null
  return hex.test(innerOf(text)) ? 'base64 of hex' : 'base64'
}

const innerOf = (text: string) => Buffer.from(text, 'base64').toString('latin1')

const algorithmNames = { sha1: 'SHA-1', sha256: 'SHA-256', sha512: 'SHA-512' } as const

function readDigest(text: string, terms: Terms): ReadDigest | Diagnosis {
  const { encoding, algorithm } = terms.template
  const form = formOf(text)
  if (form === null) return unknown(describeUnreadable(text, terms))
  const digest =
    form === 'hex'
      ? Buffer.from(text, 'hex')
      : Buffer.from(form === 'base64' ? text : innerOf(text), form === 'base64' ? 'base64' : 'hex')
  const made = digest.length === 20 ? 'sha1' : digest.length === 32 ? 'sha256' : 'sha512'
  const mistakes: Diagnosis[] = []
  if (made !== algorithm) {
    const digits = form === 'hex' ? `${text.length} hexadecimal digits` : `${digest.length} bytes`
    const message = `The digest has ${digits}, as ${algorithmNames[made]} gives; use HMAC-${algorithm.toUpperCase()}.`
    mistakes.push(mistake('other_algorithm', message))
  }
  if (form === 'base64 of hex') {
    const message =
      'The hexadecimal digest was encoded in base64 once more; send the hexadecimal digits themselves.'
    return {
      digest,
      algorithm: made,
      mistakes: [...mistakes, mistake('digest_base64', message)],
      change: undefined,
    }
  }
  const wanted = wantedForm({ ...terms, template: { ...terms.template, prefix: '' } })
  if (form !== encoding)
    mistakes.push(
      form === 'base64'
        ? mistake('digest_base64', `The digest is in base64; write it as ${wanted}.`)
        : mistake('digest_hex', `The digest is in hexadecimal digits; write it in base64.`),
    )
  else if (terms.isDefault && text !== text.toLowerCase())
    mistakes.push(
      mistake('digest_uppercase', 'The digest has uppercase hexadecimal digits; write them in lower case.'),
    )
  const isUpper = form === 'hex' && text !== text.toLowerCase()
  return {
    digest,
    algorithm: made,
    mistakes,
    change: isUpper && terms.isDefault ? undefined : { encoding: form, algorithm: made },
  }
}

function describeUnreadable(text: string, terms: Terms): string {
  const wanted = wantedForm(terms)
  if (text.includes(',')) return `The signature header holds more than one value; send one, ${wanted}.`
  const digits = /^[0-9a-f]+$/i.test(text) ? text.length : 0
  const other = otherDigests[digits]
  const algorithm = terms.template.algorithm.toUpperCase()
  if (other) return `The digest has ${digits} hexadecimal digits, as ${other} gives; use HMAC-${algorithm}.`
  if (digits > 0) return `The digest has ${digits} hexadecimal digits; it must be ${wanted}.`
  return `The signature header is not in the form expected: ${wanted}.`
}

/** Text of a timestamp, as far as it may be one. */
const numberShape = /^ *\+?\d+(\.\d*)?(e\+?\d+)? *$/i
const timestampShape = /^[0-9]{1,15}$/
const unitNames = { s: 'seconds', ms: 'milliseconds', iso: 'milliseconds' } as const
const unitSizes = { s: 1000, ms: 1, iso: 1 } as const

/**
 * Returns the mistake in the timestamp alone; null for a valid one, and in a scheme without one. A timestamp in the
 * wrong unit within a day of the clock has a code of its own. All other mistakes are `unknown` with a message.
 *
 * @param nowMs ms since 1970
 */
export function evaluateTimestamp(text: string | undefined, { template, isDefault }: Terms, nowMs: number) {
  const { timestampHeader, timestampUnit: unit, windowMs } = template
  if (timestampHeader === undefined) return null
  if (text === undefined || text === '')
    return unknown(
      isDefault
        ? inboundErrors.missing_timestamp.remedy
        : `Send the time in ${unitNames[unit]} since 1970 in ${timestampHeader} with every request.`,
    )
  const isValid = timestampShape.test(text)
  if (isValid && Math.abs(nowMs - Number(text) * unitSizes[unit]) <= windowMs) return null
  if (unit === 'ms' && isNear(text, 1000, nowMs)) return inSeconds
  if (unit === 's' && isValid && isNear(text, 1, nowMs)) return inMilliseconds
  return unknown(
    isValid ? describeStale(Number(text) * unitSizes[unit], nowMs) : describeInvalid(text, unit, nowMs),
  )
}

const inSeconds = {
  ...mistake(
    'timestamp_in_seconds',
    'The timestamp is in seconds; send and sign milliseconds since 1970 as whole decimal digits, 13 of them at present.',
  ),
  change: { timestampUnit: 's' },
} as const
const inMilliseconds = {
  ...mistake(
    'timestamp_in_milliseconds',
    'The timestamp is in milliseconds; send and sign seconds since 1970 as whole decimal digits, 10 of them at present.',
  ),
  change: { timestampUnit: 'ms' },
} as const

function describeInvalid(text: string, unit: SenderTemplate['timestampUnit'], nowMs: number): string {
  const must = `the timestamp must be ${unitNames[unit]} since 1970 in decimal digits`
  if (isNear(text, unitSizes[unit], nowMs))
    return `The timestamp is not a whole number; ${must} and nothing else.`
  if (isNear(text, 1e-3, nowMs)) return `The timestamp is in microseconds; ${must}.`
  if (isNear(text, 1e-6, nowMs)) return `The timestamp is in nanoseconds; ${must}.`
  if (/^\d{4}-\d\d/.test(text)) return `The timestamp is a date; ${must}.`
  return `The timestamp cannot be read; ${must}, at most 15 of them.`
}

function describeStale(timestampMs: number, nowMs: number): string {
  const seconds = Math.round(Math.abs(nowMs - timestampMs) / 1000)
  const side = timestampMs < nowMs ? 'behind' : 'ahead of'
  return `The timestamp is ${seconds} seconds ${side} the clock of this service; check the sender's clock, and take a fresh timestamp for each request.`
}

function isNear(text: string, unitMs: number, nowMs: number): boolean {
  return numberShape.test(text) && Math.abs(Number(text) * unitMs - nowMs) <= dayMs
}

function mistake(code: DiagnosisCode, message: string): Diagnosis {
  return { code, message }
}

function unknown(message: string): Diagnosis {
  return { code: 'unknown', message }
}
