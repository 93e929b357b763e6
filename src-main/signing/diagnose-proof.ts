import type { Diagnosis } from '#shared/model/diagnosis.ts'
import { type Sender, templatesOf } from '#shared/model/sender/sender.ts'
import { lacksPublicKey } from '#shared/model/sender/sender-secret.ts'
import type { SenderTemplate } from '#shared/model/sender/sender-template.ts'
import { parseSignedText } from '#shared/model/sender/signed-text.ts'
import type { KeyClues } from './guess.ts'
import { type HeaderFields, headerIn } from './header-fields.ts'
import { type DatedSecret, prepareSender } from './prepare-sender.ts'
import { proofBodyOf } from './proof-body.ts'
import { parseToken } from './proofs/jwt.ts'
import { headProblemOf, matchHead, readHead } from './read-sender.ts'
import { proofText } from './read-signature.ts'
import { recognizeScheme } from './recognize.ts'
import type { SenderHead } from './sender-head.ts'
import { maxOtherConnections, type OtherConnection } from './suspects.ts'

export type DiagnosisRequest = KeyClues & {
  readonly sender: Sender
  readonly headers: HeaderFields
  /** The inbound URL as the sender called it, if it is known. */
  readonly url?: string | undefined
  readonly otherConnections?: Iterable<OtherConnection> | undefined
  readonly rawBody: Buffer
  /** Milliseconds since 1970. */
  readonly nowMs: number
}

/** Bytes that are hashed for one diagnosis. */
export const maxHashedBytes = 24 * 1024 * 1024
const maxShown = 100

const usualKinds: ReadonlySet<string> = new Set(['text', 'body', 'timestamp', 'id', 'url', 'header'])

/** Returns whether a proof is an HMAC in a header of a usual text: for others, no rewritten texts are tried. */
export function isUsualHmac(template: SenderTemplate): boolean {
  const { verify, signed, signature, timestamp, id, timestampUnit, bodyDigest } = template
  const isInHeader = [signature, timestamp, id].every(place => place === null || 'header' in place)
  return (
    verify === 'hmac' &&
    isInHeader &&
    timestampUnit !== 'iso' &&
    bodyDigest === undefined &&
    parseSignedText(signed, true).every(({ kind }) => usualKinds.has(kind))
  )
}

/**
 * Returns the mistake in a proof of any kind: another secret that this service knows, or else what differs. Show it to the
 * owner of the connection only. Pure; never throws.
 */
export function diagnoseProof(clues: DiagnosisRequest): Diagnosis {
  const { sender, headers, secret, rawBody, nowMs } = clues
  const { head, problem } = judge(clues, [{ secret, expiresAt: null }])
  if (problem?.code === 'missing_signature') {
    const recognized = recognizeScheme(
      headers,
      sender.scheme,
      head.prepared.signatureHeader || proofText(head.prepared),
      rawBody,
    )
    if (recognized !== null) return recognized
  }
  if (lacksPublicKey(sender)) return noPublicKey
  if (head.prepared.usesSecret && secret === '') return noSenderSecret
  if (problem === null) return unknown('Nothing is wrong with the proof of this request.')
  if (problem.code === 'invalid_signature' && head.prepared.usesSecret) {
    const most = Math.min(maxOtherConnections, Math.floor(maxHashedBytes / (rawBody.length + 1)))
    for (const { code, message, key } of otherSecrets(clues, most))
      if (judge(clues, [{ secret: key, expiresAt: null }]).problem === null) return { code, message }
  }
  return unknown(tokenMistake(head, rawBody, nowMs) ?? keyMistake(head) ?? problem.detail)
}

function judge(
  { sender, headers, url = '', rawBody, nowMs }: DiagnosisRequest,
  secrets: readonly DatedSecret[],
) {
  const request = { rawHeaders: headers.flat(), url: () => url, body: proofBodyOf(rawBody) }
  const head = readHead(prepareSender(sender, secrets), request, nowMs)
  return { head, problem: headProblemOf(head) ?? matchHead(head, rawBody, nowMs).problem }
}

/**
 * Returns the mistake in a signed URL whose beginning is not that of the inbound URL: the sender was given another one, or
 * a proxy is not known here. Null if that is not what differs.
 */
export function urlMistake(clues: DiagnosisRequest): Diagnosis | null {
  const { sender, headers, secret, url = '' } = clues
  const isSigned = templatesOf(sender).some(({ signed }) => signed.includes('{{url}}'))
  if (!isSigned || secret === '' || !URL.canParse(url)) return null
  const { origin } = new URL(url)
  const rest = url.slice(origin.length)
  const secrets = [{ secret, expiresAt: null }]
  if (judge(clues, secrets).problem?.code !== 'invalid_signature') return null
  for (const other of calledOrigins(headers))
    if (other !== origin && judge({ ...clues, url: other + rest }, secrets).problem === null)
      return {
        code: 'other_signed_text',
        message: `The sender signs its URL, and that begins with ${other}, not with ${origin}. Enter the inbound URL there as this connection shows it, or set the public base URL here to the one there.`,
      }
  return null
}

/** Returns where a request may have been sent to, as its headers say it. */
function calledOrigins(headers: HeaderFields): string[] {
  const hosts = ['x-forwarded-host', 'host'].flatMap(name => headerIn(headers, name) ?? [])
  return [...new Set(hosts)]
    .flatMap(host => [`https://${host}`, `http://${host}`])
    .filter(text => text.length <= maxShown && URL.canParse(text) && new URL(text).origin === text)
}

type OtherSecret = Diagnosis & { readonly key: string }

/** Generates the secrets that a sender may have used by mistake. */
function* otherSecrets(clues: DiagnosisRequest, most: number): Generator<OtherSecret> {
  const { secret, oldSecrets = [], ownSecret = '', inboundToken, otherConnections = [] } = clues
  for (const key of oldSecrets.slice(0, 10))
    yield {
      code: 'old_secret',
      message: 'This is a secret that has been replaced here. Use the current one.',
      key,
    }
  for (const key of [secret.trim(), `${secret} `, `${secret}\n`, `"${secret}"`])
    if (key !== secret)
      yield {
        code: 'secret_with_whitespace',
        message: 'The secret has white space or quotes around it.',
        key,
      }
  if (ownSecret !== '')
    yield {
      code: 'connection_secret',
      message:
        "This is the connection's own signing secret, which is for calls to you. Use that of this sender.",
      key: ownSecret,
    }
  if (inboundToken)
    yield {
      code: 'token_as_key',
      message: 'This is the token of the inbound URL. Use the secret of this sender.',
      key: inboundToken,
    }
  let tried = 0
  for (const { secret: key, name, connectionId } of otherConnections) {
    if (tried++ >= most) return
    const whose = name ?? connectionId
    const message = `This is the secret of another connection${whose === undefined ? '' : `, "${whose}"`}. Use this one's own, or the other's URL.`
    if (key !== '' && key !== secret) yield { code: 'other_connection', message, key }
  }
}

/** Returns what is wrong with a JWT; null for another proof, and for a token with only a wrong signature. */
function tokenMistake({ prepared, prefix }: SenderHead, body: Buffer, nowMs: number): string | null {
  const { jwt, windowMs } = prepared.template
  if (jwt === undefined) return null
  const text = jwt.body === true ? body.toString('latin1') : (prefix.texts[0] ?? '')
  const token = parseToken(text.replace(/^bearer +/i, '').trim())
  if (token === null) return null
  const { alg } = token.header
  if (alg !== jwt.algorithm)
    return `The token has the "alg" ${shown(alg)}. The setting says ${jwt.algorithm}.`
  const { exp, iss, aud } = token.claims
  if (typeof exp === 'number' && nowMs > exp * 1000 + windowMs)
    return `The token expired ${Math.round(nowMs / 1000 - exp)} seconds before it came. Check the clock of the sender.`
  if (jwt.issuer !== undefined && iss !== jwt.issuer)
    return `The token has the "iss" ${shown(iss)}. The setting says ${shown(jwt.issuer)}.`
  if (
    jwt.audience !== undefined &&
    aud !== jwt.audience &&
    !(Array.isArray(aud) && aud.includes(jwt.audience))
  )
    return `The token has the "aud" ${shown(aud)}. The setting says ${shown(jwt.audience)}.`
  return null
}

const shown = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, maxShown)

/** Returns what may be wrong where only the listener has the keys; null for another proof. */
function keyMistake({ prepared, header, prefix, encoding }: SenderHead): string | null {
  const { keysUrl, certificate, publicKey } = prepared.template
  const isRead = [header, prefix, encoding].every(({ problem }) => problem === null)
  if (!isRead || publicKey !== undefined || (keysUrl === undefined && certificate === undefined)) return null
  const where = keysUrl ?? 'the address of the certificate'
  return `The request does not verify with the public keys at ${where}. Check the address, and that the sender signs with one of these keys.`
}

const noPublicKey: Diagnosis = {
  code: 'no_secret',
  message:
    'No public key of this sender is set, so every request is refused; enter it under “How this sender signs”.',
}
export const noSenderSecret: Diagnosis = {
  code: 'no_secret',
  message:
    'No secret of this sender is set, so every request is refused; enter it under “How this sender signs”.',
}

function unknown(message: string): Diagnosis {
  return { code: 'unknown', message }
}
