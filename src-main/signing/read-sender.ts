import { timingSafeEqual } from 'node:crypto'
import { minuteMs } from '#shared/durations.ts'
import { timestampsIn, valuesIn } from '#shared/model/sender/header-values.ts'
import { digestBytes } from '#shared/model/sender/sender-template.ts'
import type { SignedPart } from '#shared/model/sender/signed-text.ts'
import { type UnclearValue, unclearValue } from './clear-values.ts'
import type { PreparedSender, PreparedTemplate } from './prepare-sender.ts'
import { SigningKey } from './signing-key.ts'
import type { SignatureRefusal, TimestampRefusal, VerificationKey } from './verify.ts'

/** Why a request is refused, in the terms of its scheme. */
export type HeadProblem = {
  readonly code: TimestampRefusal | SignatureRefusal
  /** A sentence for the sender. Never contains a secret or an expected signature. */
  readonly detail: string
  /** Whether a header that must be there once was sent again. */
  readonly isRepeated?: true
}

/**
 * The parts of a request's head that concern its signature. Each check has a problem or null beside its result, so that the
 * decision and its explanation are made of the same parts.
 */
export type SenderHead = {
  readonly prepared: PreparedTemplate
  readonly header: { readonly problem: HeadProblem | null; readonly value: string | undefined }
  /** The values with the prefix, without it, at most 20. */
  readonly prefix: { readonly problem: HeadProblem | null; readonly texts: readonly string[] }
  readonly encoding: { readonly problem: HeadProblem | null; readonly digests: readonly Buffer[] }
  /** Null for a scheme without a timestamp. `atMs` is in milliseconds since 1970. */
  readonly time: Time | null
  /** The signed text around the body. */
  readonly signed: { readonly problem: HeadProblem | null; readonly before: string; readonly after: string }
}
type Time = {
  readonly problem: HeadProblem | null
  readonly text: string | undefined
  readonly atMs: number | undefined
}

export type SenderRequest = {
  /** Alternating names and values, as in node:http. */
  readonly rawHeaders: readonly string[]
  /** Returns the URL that the sender called. */
  readonly url: () => string
}

const maxSignatures = 20
/** Not a secret: what it signs only names the bytes. */
const bytesKey = new SigningKey('signed bytes')
const timestampShape = /^[0-9]{1,15}$/
/** Without zeros before it, so that it has one length: a digit of the value before it cannot be one of its own. */
const plainTimestamp = /^(?:0|[1-9][0-9]{0,14})$/
const hex = /^[0-9a-fA-F]+$/
const lowerCaseHex = /^[0-9a-f]+$/
const base64 = /^[A-Za-z0-9+/]+={0,2}$/

/** Returns all values of a header. @param name in lower case. */
export function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const other = rawHeaders[index] ?? ''
    if (other.length === name.length && other.toLowerCase() === name) values.push(rawHeaders[index + 1] ?? '')
  }
  return values
}

/** Reads what the head of a request says about its signature. Never throws. @param nowMs milliseconds since 1970. */
export function readHead(sender: PreparedSender, request: SenderRequest, nowMs: number): SenderHead {
  const { rawHeaders } = request
  const prepared =
    sender.find(({ signatureHeader }) => valuesOf(rawHeaders, signatureHeader).length > 0) ?? sender[0]
  const header = readHeader(prepared, rawHeaders)
  const prefix = readPrefix(prepared, header.value ?? '')
  const encoding = readDigests(prepared, prefix.texts)
  const time = prepared.timestampHeader === null ? null : readTime(prepared, rawHeaders, nowMs)
  const signed = readSigned(prepared, request, time?.text ?? '')
  return { prepared, header, prefix, encoding, time, signed }
}

/** Returns the first problem of a head, in the order of the checks; null for a head whose body may be read. */
export function headProblemOf({ header, prefix, encoding, time, signed }: SenderHead): HeadProblem | null {
  const problems = [header, time, prefix, encoding, signed].flatMap(check => check?.problem ?? [])
  return problems.find(({ isRepeated }) => isRepeated) ?? problems[0] ?? null
}

/**
 * Returns the first key that made one of the signatures and is not expired at `nowMs`; null if there is none. It compares
 * in constant time.
 *
 * `digest` identifies the signed bytes, in hexadecimal digits, whichever other keys there are: with the end of an old
 * key, a copy must not seem to be new. It is the signature itself, unless a header may have several: somebody could
 * remove one, and the other would seem to be new.
 */
export function matchHead(
  { prepared, encoding, signed }: SenderHead,
  rawBody: Uint8Array,
  nowMs: number,
): { readonly key: VerificationKey; readonly digest: string } | null {
  const digestOf = (key: SigningKey) => key.digest(signed.before, rawBody, signed.after)
  for (const candidate of prepared.keys) {
    if (candidate.expiresAt !== null && nowMs >= candidate.expiresAt) continue
    const digest = digestOf(candidate.key)
    const expected = Buffer.from(digest, 'hex')
    if (!encoding.digests.some(received => timingSafeEqual(received, expected))) continue
    const isOnlyOne = prepared.template.separator === undefined
    return { key: candidate, digest: isOnlyOne ? digest : digestOf(bytesKey) }
  }
  return null
}

/** Returns why a request is refused whose signature no key made. */
export function mismatchOf({ prepared }: SenderHead): HeadProblem {
  const { signatureHeader, template } = prepared
  return invalid(
    `The signature in ${signatureHeader} does not match. The signed text is ${template.signed}, with the exact bytes of the body.`,
  )
}

function readHeader({ signatureHeader }: PreparedTemplate, rawHeaders: readonly string[]) {
  const values = valuesOf(rawHeaders, signatureHeader)
  const [value] = values
  if (values.length > 1) return { problem: { ...invalid(sentTwice(signatureHeader)), ...repeated }, value }
  if (value === undefined || value === '')
    return {
      problem: { code: 'missing_signature', detail: missing(signatureHeader) } satisfies HeadProblem,
      value: undefined,
    }
  return { problem: null, value }
}

function readPrefix(prepared: PreparedTemplate, value: string): SenderHead['prefix'] {
  const { prefix, separator } = prepared.template
  const texts = valuesIn(value, prepared.template)
    .filter(item => item.startsWith(prefix))
    .slice(0, maxSignatures)
    .map(item => item.slice(prefix.length))
  if (texts.length > 0) return { problem: null, texts }
  const where = separator === undefined ? 'must begin' : 'has no value that begins'
  return { problem: invalid(`The header ${prepared.signatureHeader} ${where} with "${prefix}".`), texts }
}

function readDigests(prepared: PreparedTemplate, texts: readonly string[]): SenderHead['encoding'] {
  const digests = texts.flatMap(text => decode(prepared, text) ?? [])
  return { problem: digests.length > 0 ? null : invalid(shapeOf(prepared)), digests }
}

/** Returns the digest that a text encodes; null for another text. */
function decode({ template, isDefault }: PreparedTemplate, text: string): Buffer | null {
  const { encoding, algorithm } = template
  const shape = encoding === 'base64' ? base64 : isDefault ? lowerCaseHex : hex
  // 64 bytes are 128 digits, so longer texts need no look.
  if (text.length > 2 * digestBytes.sha512 || !shape.test(text)) return null
  const digest = Buffer.from(text, encoding)
  // Node ignores the last of an odd number of digits.
  if (encoding === 'hex' && text.length !== 2 * digest.length) return null
  return digest.length === digestBytes[algorithm] ? digest : null
}

function shapeOf({ template, isDefault, signatureHeader }: PreparedTemplate): string {
  const bytes = digestBytes[template.algorithm]
  const digits = `${2 * bytes} ${isDefault ? 'lowercase ' : ''}hexadecimal digits`
  const shape = template.encoding === 'hex' ? digits : `the base64 of ${bytes} bytes`
  const after = template.prefix === '' ? '' : `"${template.prefix}" followed by `
  return `The header ${signatureHeader} must be ${after}${shape}.`
}

function readTime(prepared: PreparedTemplate, rawHeaders: readonly string[], nowMs: number): Time {
  const { template, timestampHeader: name } = prepared
  const { timestampPrefix: prefix = '', timestampUnit: unit, windowMs } = template
  if (name === null) return { problem: null, text: undefined, atMs: undefined }
  const texts = valuesOf(rawHeaders, name).flatMap(value => timestampsIn(value, template))
  const [text = ''] = texts
  const where = prefix === '' ? `header ${name}` : `"${prefix}" of the header ${name}`
  const found = (problem: HeadProblem | null, atMs?: number) => ({ problem, text: text || undefined, atMs })
  if (texts.length > 1)
    return found({ code: 'invalid_timestamp', detail: `The ${where} was sent more than once.`, ...repeated })
  if (text === '') return found({ code: 'missing_timestamp', detail: `The ${where} is missing.` })
  if (!(prepared.isDefault ? timestampShape : plainTimestamp).test(text)) {
    const units = unit === 's' ? 'seconds' : 'milliseconds'
    return found({
      code: 'invalid_timestamp',
      detail: `The ${where} must be ${units} since 1970 in decimal digits.`,
    })
  }
  const atMs = Number(text) * (unit === 's' ? 1000 : 1)
  if (Math.abs(nowMs - atMs) <= windowMs) return found(null, atMs)
  const detail = `The timestamp in ${name} differs from the time of this service by more than ${windowText(windowMs)}.`
  return found({ code: 'stale_timestamp', detail }, atMs)
}

function readSigned(
  { before, after, idHeader }: PreparedTemplate,
  { rawHeaders, url }: SenderRequest,
  timestamp: string,
): SenderHead['signed'] {
  let problem: HeadProblem | null = null
  function headerOf(name: string): string {
    const values = valuesOf(rawHeaders, name)
    const [value] = values
    if (value === undefined) problem ??= invalid(`The signature covers the header ${name}, which is missing.`)
    else if (values.length > 1) problem ??= { ...invalid(sentTwice(name)), ...repeated }
    return value ?? ''
  }
  const textOf = (part: SignedPart): string => {
    if (part.kind === 'text') return part.text
    if (part.kind === 'timestamp') return timestamp
    if (part.kind === 'id') return headerOf(idHeader ?? '')
    if (part.kind === 'header') return headerOf(part.name)
    return part.kind === 'url' ? url() : ''
  }
  const fill = (parts: readonly SignedPart[]) => parts.map(part => ({ part, text: textOf(part) }))
  const filled = { before: fill(before), after: fill(after) }
  const unclear = unclearValue(filled.before, filled.after)
  if (unclear !== null) problem ??= invalid(unclearText(unclear, idHeader))
  const join = (parts: typeof filled.before) => parts.map(({ text }) => text).join('')
  return { before: join(filled.before), after: join(filled.after), problem }
}

function unclearText({ part, separator }: UnclearValue, idHeader: string | null): string {
  const name = part.kind === 'header' ? part.name : idHeader
  const what = part.kind === 'url' ? 'The query of the URL' : `The header ${name}`
  return `${what} contains ${JSON.stringify(separator)}, which separates it from the rest of the signed text.`
}

function windowText(ms: number): string {
  return ms % minuteMs === 0 ? `${ms / minuteMs} minutes` : `${ms / 1000} seconds`
}

const repeated = { isRepeated: true } as const

function invalid(detail: string): HeadProblem {
  return { code: 'invalid_signature', detail }
}
const missing = (header: string) => `The header ${header} is missing.`
const sentTwice = (header: string) => `The header ${header} was sent more than once.`
