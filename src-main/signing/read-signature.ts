import { valuesIn } from '#shared/model/sender/header-values.ts'
import type { SenderTemplate } from '#shared/model/sender/sender-template.ts'
import { placeText, valuesAt } from './places.ts'
import type { PreparedTemplate } from './prepare-sender.ts'
import type { ProofBody } from './proof-body.ts'
import { readTime } from './read-time.ts'
import { invalid, noSigned, repeated, type SenderHead, type SenderRequest } from './sender-head.ts'
import { readSigned } from './signed-values.ts'

const maxSignatures = 20
/** Characters of a signature that are decoded: more than those of the largest one, of an RSA key, in hexadecimal digits. */
const maxEncoded = 2 * 1024
const hex = /^[0-9a-fA-F]+$/
const lowerCaseHex = /^[0-9a-f]+$/
const base64 = /^[A-Za-z0-9+/]+={0,2}$/

/** The form of a kind of signature: whether bytes can be one, and how their number is described, such as “32 bytes”. */
export type SignatureForm = {
  readonly isSize: (bytes: Buffer, template: SenderTemplate) => boolean
  readonly sizeText: (template: SenderTemplate) => string
  /** The number of bytes; null if it differs. */
  readonly bytes: (template: SenderTemplate) => number | null
}

/** Reads a proof of which only a text in a header, or at another place, is known so far: a token. */
export function readText(prepared: PreparedTemplate, request: SenderRequest): SenderHead {
  const header = readProof(prepared, request)
  const prefix = readPrefix(prepared, header)
  const encoding = { problem: null, digests: [] }
  return { prepared, request, header, prefix, encoding, time: null, signed: noSigned }
}

/** Returns the head of a request without a proof. */
export function readNothing(prepared: PreparedTemplate, request: SenderRequest): SenderHead {
  const prefix = { problem: null, texts: [] }
  const [header, encoding] = [{ problem: null, value: undefined } as const, { problem: null, digests: [] }]
  return { prepared, request, header, prefix, encoding, time: null, signed: noSigned }
}

/** Reads a signature, its time and the text that it covers. */
export function readSignature(
  prepared: PreparedTemplate,
  request: SenderRequest,
  nowMs: number,
  form: SignatureForm,
): SenderHead {
  const header = readProof(prepared, request)
  const prefix = readPrefix(prepared, header)
  const encoding = readDigests(prepared, header, prefix.texts, form)
  const time = readTime(prepared, request, nowMs)
  const signed = readSigned(prepared, request, time?.text ?? '')
  return { prepared, request, header, prefix, encoding, time, signed }
}

/** Returns the place of a proof in words: `header x-signature`. */
export function proofText({ signature, template }: PreparedTemplate): string {
  return signature === null ? (template.jwt?.body === true ? 'body' : 'proof') : placeText(signature)
}

function readProof(prepared: PreparedTemplate, request: SenderRequest): SenderHead['header'] {
  const { signature: place } = prepared
  if (place === null) return { problem: null, value: undefined }
  if (request.body !== undefined && isUnreadable(prepared, request.body)) {
    const detail = 'The body cannot be read, and the proof of the request needs it.'
    return { problem: { code: 'missing_signature', detail }, value: undefined }
  }
  const values = valuesAt(place, request)
  if (values === null) return { problem: null, value: undefined }
  const [value] = values
  const name = placeText(place)
  if (values.length > 1)
    return { problem: { ...invalid(`The ${name} was sent more than once.`), ...repeated }, value }
  if (value === undefined || value === '')
    return { problem: { code: 'missing_signature', detail: `The ${name} is missing.` }, value: undefined }
  return { problem: null, value }
}

/** Returns whether a body that the proof needs is neither JSON nor a form. */
function isUnreadable(
  { signature, timestamp, id, before, after }: PreparedTemplate,
  body: ProofBody,
): boolean {
  const parts = [...before, ...after]
  const needsFields =
    [signature, timestamp, id].some(one => one !== null && 'path' in one) ||
    parts.some(({ kind }) => kind === 'field' || kind === 'line')
  const needsForm = parts.some(({ kind }) => kind === 'sortedForm')
  return (needsFields && body.root() === undefined) || (needsForm && body.fields() === null)
}

/** Returns whether a value is unknown because the body, where it is, has not been read. */
const isUnread = ({ problem, value }: SenderHead['header']) => problem === null && value === undefined

function readPrefix(prepared: PreparedTemplate, header: SenderHead['header']): SenderHead['prefix'] {
  if (isUnread(header)) return { problem: null, texts: [] }
  const { prefix, separator } = prepared.template
  const texts = valuesIn(header.value ?? '', prepared.template)
    .filter(item => item.startsWith(prefix))
    .slice(0, maxSignatures)
    .map(item => item.slice(prefix.length))
  if (texts.length > 0) return { problem: null, texts }
  const where = separator === undefined ? 'must begin' : 'has no value that begins'
  return { problem: invalid(`The ${proofText(prepared)} ${where} with "${prefix}".`), texts }
}

function readDigests(
  prepared: PreparedTemplate,
  header: SenderHead['header'],
  texts: readonly string[],
  form: SignatureForm,
): SenderHead['encoding'] {
  if (isUnread(header)) return { problem: null, digests: [] }
  const digests = texts.flatMap(text => decode(prepared, text, form) ?? [])
  return { problem: digests.length > 0 ? null : invalid(shapeOf(prepared, form)), digests }
}

/** Returns the bytes that a text encodes; null for another text. */
function decode({ template, isDefault }: PreparedTemplate, text: string, form: SignatureForm): Buffer | null {
  const { encoding } = template
  const shape = encoding === 'base64' ? base64 : isDefault ? lowerCaseHex : hex
  if (text.length > maxEncoded || !shape.test(text)) return null
  const digest = Buffer.from(text, encoding)
  // Node ignores the last of an odd number of digits.
  if (encoding === 'hex' && text.length !== 2 * digest.length) return null
  return form.isSize(digest, template) ? digest : null
}

function shapeOf(prepared: PreparedTemplate, form: SignatureForm): string {
  const { template, isDefault } = prepared
  const bytes = form.bytes(template)
  const hexDigits =
    bytes === null
      ? `${form.sizeText(template)} in hexadecimal digits`
      : `${2 * bytes} ${isDefault ? 'lowercase ' : ''}hexadecimal digits`
  const shape = template.encoding === 'hex' ? hexDigits : `the base64 of ${form.sizeText(template)}`
  const after = template.prefix === '' ? '' : `"${template.prefix}" followed by `
  return `The ${proofText(prepared)} must be ${after}${shape}.`
}
