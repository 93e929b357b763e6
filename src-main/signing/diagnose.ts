import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Diagnosis, TemplateChange } from '#shared/model/diagnosis.ts'
import { timestampsIn } from '#shared/model/sender/header-values.ts'
import { type Sender, templatesOf } from '#shared/model/sender/sender.ts'
import { secretProblem } from '#shared/model/sender/sender-secret.ts'
import type { Algorithm, SenderTemplate } from '#shared/model/sender/sender-template.ts'
import {
  type DiagnosisRequest,
  diagnoseProof,
  isUsualHmac,
  maxHashedBytes,
  noSenderSecret,
  urlMistake,
} from './diagnose-proof.ts'
import { type Bytes, writtenOf } from './guess.ts'
import { type HeaderFields, headerIn } from './header-fields.ts'
import { prepareSender } from './prepare-sender.ts'
import { evaluateTimestamp, type ReadDigest, readSignature } from './read-headers.ts'
import { readHead } from './read-sender.ts'
import { canBeNamed, recognizeScheme } from './recognize.ts'
import { type Suspect, type SuspectClues, suspectsOf } from './suspects.ts'

const maxDigests = 5000

/**
 * Returns the common mistake that explains a refused request, in the terms of its connection's scheme. Show it to the
 * owner of the connection only, never to the caller: it reveals which guess was right.
 *
 * It tries single mistakes first, then pairs; a message names at most two. It reports a timestamp in the wrong unit and
 * a malformed signature even if no digest matches. `rawBody` may be empty if the timestamp was refused before the
 * body was read.
 *
 * Bounded to 5,000 HMACs and 24 MiB of hashed data, so a large body gets only the likeliest guesses. Bodies over
 * 256 KiB are not re-serialized. Pure; never throws.
 */
export function diagnose(request: DiagnosisRequest): Diagnosis {
  const { scheme } = request.sender
  const diagnosis =
    urlMistake(request) ?? diagnoseTemplate(request, templateFor(request.sender, request.headers))
  return scheme === 'custom-connection' ? diagnosis : { ...diagnosis, scheme }
}

/** Returns the template of a sender by which a request is checked: the one whose signature header it has. */
function templateFor(sender: Sender, headers: HeaderFields): SenderTemplate {
  const templates = templatesOf(sender)
  return templates.find(one => headerIn(headers, one.signatureHeader) !== undefined) ?? templates[0]
}

function diagnoseTemplate(request: DiagnosisRequest, template: SenderTemplate): Diagnosis {
  const { sender, headers, secret, url, nowMs, rawBody } = request
  const isDefault = sender.scheme === 'custom-connection'
  const terms = { template, isDefault }
  if (!isUsualHmac(template)) return diagnoseProof(request)
  const header = headerIn(headers, template.signatureHeader)
  const recognized =
    header === undefined ? recognizeScheme(headers, sender.scheme, template.signatureHeader, rawBody) : null
  if (recognized !== null) return recognized
  if (secret === '') return isDefault ? noSigningSecret : noSenderSecret
  const timestamp = findTimestamp(template, headers)
  const timestampMistake = evaluateTimestamp(timestamp?.text, terms, nowMs)
  const signature = readSignature(header, terms)
  const idName =
    template.idHeader ??
    headers.find(([name]) => canBeNamed(name) && idLike.test(name))?.[0].toLowerCase() ??
    ''
  const clues: SuspectClues = {
    ...request,
    ...{ template, isDefault, timestamp: timestamp?.text, timestampName: timestamp?.name },
    values: { url, id: headerIn(headers, idName), idName, header: name => headerIn(headers, name) },
  }
  const found = findSuspect(clues, signature.digests)
  const problem = isDefault ? null : secretProblem(secret, sender)
  if (problem !== null && found?.suspect.mistakes[0]?.code !== 'key_not_decoded')
    return unusableSecret(problem)
  const [read = null] = found === null ? signature.digests : [found.read]

  const mistakes = [
    ...(signature.unreadable && found === null && read === null ? [signature.unreadable] : []),
    ...(read?.mistakes ?? []),
    ...(found?.suspect.mistakes ?? []),
  ]
  const isWrongUnit = timestampMistake !== null && timestampMistake.code !== 'unknown'
  if (timestampMistake !== null && isWrongUnit) mistakes.unshift(timestampMistake)
  else if (timestampMistake !== null) mistakes.push(timestampMistake)

  const [first, second] = mistakes
  if (first) {
    const message = second ? `${first.message} ${second.message}` : first.message
    const isRewritten = found?.suspect.mistakes.some(({ code }) => code === 'body_reserialized') === true
    const body = isRewritten ? found.suspect.body : undefined
    return {
      code: first.code,
      message,
      ...(body !== undefined && { difference: firstDifference(body, rawBody) }),
      ...changeOf(clues, found, timestampMistake),
    }
  }
  const unclear = found === null || isDefault ? null : unclearText(request)
  if (unclear !== null) return unknown(unclear)
  if (found !== null) return unknown('Nothing is wrong with this timestamp, body and signature.')
  if (rawBody.length === 0) return emptyBody
  return unknown(
    isDefault
      ? 'The signature does not match any common mistake; check that you use the signing secret of this connection and sign the exact bytes that you send.'
      : `The signature does not match any common mistake; check that the secret of this sender is the one it signs with, and that it signs \`${writtenOf(template.signed)}\`.`,
  )
}

/** Returns what is wrong with the parts of the signed text of a right signature; null if nothing is. */
function unclearText({ sender, headers, url = '', nowMs }: DiagnosisRequest): string | null {
  const request = { rawHeaders: headers.flat(), url: () => url }
  return readHead(prepareSender(sender, []), request, nowMs).signed.problem?.detail ?? null
}

/** Returns the fields with which the found signature would verify, if that is a matter of the scheme alone. */
function changeOf(
  { template, timestamp, timestampName, values }: SuspectClues,
  found: Found | null,
  mistake: Diagnosis | null,
): { readonly change?: TemplateChange } {
  if (found === null || mistake?.code === 'unknown') return {}
  const { suspect, read } = found
  if (suspect.change === undefined || read.change === undefined) return {}
  const signed = suspect.change.signed ?? template.signed
  const all: TemplateChange = {
    ...read.change,
    ...suspect.change,
    ...mistake?.change,
    ...(signed.includes('{{timestamp}}') &&
      template.timestampHeader === undefined &&
      timestamp !== undefined && { timestampHeader: timestampName, timestampUnit: unitOf(timestamp) }),
    ...(signed.includes('{{id}}') && template.idHeader === undefined && { idHeader: values.idName }),
  }
  const differing = Object.entries(all).filter(([field, value]) => Reflect.get(template, field) !== value)
  return differing.length === 0 ? {} : { change: Object.fromEntries(differing) }
}

const idLike = /(?:^|-)(?:id|delivery)$/i
const timeLike = /(?:^|-)(?:timestamp|time|date)$/i

/** Returns the text of the timestamp and the name of its header; in a scheme without one, of one that looks like it. */
function findTimestamp(template: SenderTemplate, headers: HeaderFields) {
  const { timestampHeader } = template
  if (timestampHeader === undefined) {
    const like = headers.find(
      ([name, value]) => canBeNamed(name) && timeLike.test(name) && /^\d{10}(?:\d{3})?$/.test(value),
    )
    return like && { name: like[0].toLowerCase(), text: like[1] }
  }
  const header = headerIn(headers, timestampHeader)
  const [text] = header === undefined ? [] : timestampsIn(header, template)
  return { name: timestampHeader, text }
}

const unitOf = (timestamp: string) => (timestamp.length <= 11 ? 's' : 'ms')

const noSigningSecret = unknown(
  'This connection has no signing secret and refuses everything; generate a new one.',
)

const unusableSecret = (problem: string): Diagnosis => ({
  code: 'no_secret',
  message: `The secret of this sender cannot be a key of its scheme, so every request is refused. ${problem}`,
})

const emptyBody: Diagnosis = {
  code: 'empty_body',
  message:
    'The request arrived with an empty body; send the body that you signed, and post to the final URL, because a redirect drops the body.',
}

type Found = { readonly suspect: Suspect; readonly read: ReadDigest }

function findSuspect(clues: SuspectClues, digests: readonly ReadDigest[]): Found | null {
  if (digests.length === 0) return null
  const algorithms = [...new Set(digests.map(({ algorithm }) => algorithm))]
  let digestsLeft = maxDigests
  let bytesLeft = maxHashedBytes
  for (const suspect of suspectsOf(clues)) {
    const size = sizeOf(suspect.message) + sizeOf(suspect.key ?? [])
    for (const algorithm of algorithms) {
      if (size > bytesLeft) continue
      bytesLeft -= size
      if (digestsLeft-- === 0) return null
      const made = digestOf(suspect, algorithm)
      const read = digests.find(one => one.algorithm === algorithm && timingSafeEqual(made, one.digest))
      if (read !== undefined) return { suspect, read }
    }
  }
  return null
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

function digestOf({ key, message }: Suspect, algorithm: Algorithm): Buffer {
  const hash = key === null ? createHash(algorithm) : createHmac(algorithm, concat(key))
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
