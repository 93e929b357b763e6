import { constants, createHash, createPrivateKey, createPublicKey, randomUUID, sign } from 'node:crypto'
import { ServiceError } from '#shared/errors.ts'
import { isObject, tryParseExact } from '#shared/json/exact-json.ts'
import type { Sender } from '#shared/model/sender/sender.ts'
import { secretProblem } from '#shared/model/sender/sender-secret.ts'
import type { Place } from '#shared/model/sender/sender-template.ts'
import { schemes } from '#shared/model/sender/templates.ts'
import { parsePath } from '#shared/model/variable-path.ts'
import { type PreparedTemplate, prepareSender } from './prepare-sender.ts'
import { proofBodyOf } from './proof-body.ts'
import { fits, type KeyFamily, keyFamilyOf } from './public-key.ts'
import type { Signed } from './sender-head.ts'
import { signedHeaders } from './sign.ts'
import { readSigned } from './signed-values.ts'
import { SigningKey } from './signing-key.ts'

/** The values that are signed besides the body: the id of the request, and the URL that it is sent to. */
export type SignedRequest = { readonly id: string; readonly url: string }

/** A signed request: the headers to add, those of `{{header:NAME}}` with empty values, and where else a proof can be. */
export type SignedPost = {
  readonly headers: Record<string, string>
  /** Added to the query of the URL. */
  readonly query: Record<string, string>
  readonly body: Uint8Array | string
}

/** Signs a request with a body as a sender does. */
export type PostSigner = (body: Uint8Array | string, nowMs: number, request: SignedRequest) => SignedPost

/** Returns the headers that sign a body in a scheme, those of `{{header:NAME}}` with empty values. */
export type Signer = (
  body: Uint8Array | string,
  nowMs: number,
  request: SignedRequest,
) => Record<string, string>

/** Returns an id for a request, as senders give one to each. */
export const newRequestId = () => `msg_${randomUUID()}`

/**
 * Returns a function that signs with headers alone.
 *
 * @throws ServiceError `invalid_input` as `postSignerOf`; the function, for a sender whose proof is in the URL or the body.
 */
export function signerOf(sender: Sender, secret: string): Signer {
  const signPost = postSignerOf(sender, secret)
  return (body, nowMs, request) => {
    const signed = signPost(body, nowMs, request)
    if (signed.body === body && Object.keys(signed.query).length === 0) return signed.headers
    throw new ServiceError('invalid_input', {
      detail: 'This sender puts its proof into the URL or the body, so headers alone do not sign.',
    })
  }
}

/**
 * Returns a function that signs as a sender does, with a key that is prepared once.
 *
 * @param secret its secret; for a proof with a public key, the private key as PEM.
 * @throws ServiceError `invalid_input` for a secret that cannot be its key.
 */
export function postSignerOf(sender: Sender, secret: string): PostSigner {
  if (sender.scheme === 'custom-connection') {
    const key = new SigningKey(secret)
    return (body, nowMs) => ({ headers: { ...signedHeaders(key, nowMs, body) }, query: {}, body })
  }
  const { title } = schemes[sender.scheme]
  const [prepared] = prepareSender(sender, [{ secret, expiresAt: null }])
  const family = keyFamilyOf(prepared.template)
  const noSecret = `No secret is set for the sender, which signs as ${title}. Set it first.`
  const problem = prepared.usesSecret ? (secret === '' ? noSecret : secretProblem(secret, sender)) : null
  if (problem !== null) throw new ServiceError('invalid_input', { detail: problem })
  const prove = proverOf(prepared, secret, family === null ? null : digesterOf(prepared, secret, family))
  return (body, nowMs, request) => signPost(prepared, prove, body, nowMs, request)
}

/** Returns the text of a proof. */
type Prover = (signed: Signed, body: Buffer, nowMs: number) => string

function proverOf(prepared: PreparedTemplate, secret: string, digest: Digester | null): Prover {
  const { template, keys } = prepared
  const { prefix, encoding, verify } = template
  const [current] = keys
  if (verify === 'none') return () => ''
  if (verify === 'token') return () => prefix + secret
  if (verify === 'basic') return () => `Basic ${Buffer.from(secret).toString('base64')}`
  const digestOf = digest ?? ((...pieces) => Buffer.from(current?.key.digest(...pieces) ?? '', 'hex'))
  if (verify === 'jwt') return (_signed, body, nowMs) => prefix + tokenOf(prepared, digestOf, body, nowMs)
  return ({ before, after, hasBody }, body) =>
    prefix + digestOf(before, hasBody ? body : Buffer.alloc(0), after).toString(encoding)
}

/** Returns the bytes of a signature of joined pieces, of which the texts have a character for each byte. */
type Digester = (before: string, body: Uint8Array, after: string) => Buffer

const noPrivateKey =
  'This sender signs with a private key, which only it has. To sign as it does, give a private key as PEM.'

/** @throws ServiceError `invalid_input` for a text that is not a private key of this kind. */
function digesterOf({ template }: PreparedTemplate, pem: string, family: KeyFamily): Digester {
  const key = privateKeyOf(pem)
  if (key === null || !fits(createPublicKey(key), family))
    throw new ServiceError('invalid_input', { detail: noPrivateKey })
  const { algorithm = 'none' } = template.jwt ?? {}
  const bits = /384|512/.exec(algorithm)?.[0] ?? '256'
  const hash = template.verify === 'jwt' ? `sha${bits}` : template.algorithm
  const isPss = template.verify === 'rsa-pss' || algorithm.startsWith('PS')
  const padding = isPss ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING
  const dsaEncoding = template.verify === 'jwt' ? 'ieee-p1363' : 'der'
  const options = family === 'rsa' ? { padding } : family === 'p256' ? ({ dsaEncoding } as const) : {}
  return (before, body, after) => {
    const message = Buffer.concat([Buffer.from(before, 'latin1'), body, Buffer.from(after, 'latin1')])
    return sign(family === 'ed25519' ? null : hash, message, { key, ...options })
  }
}

function privateKeyOf(pem: string) {
  try {
    return createPrivateKey(pem)
  } catch {
    return null
  }
}

/** How long a token is valid that is made here, in seconds. */
const tokenSeconds = 300

function tokenOf({ template: { jwt } }: PreparedTemplate, digestOf: Digester, body: Buffer, nowMs: number) {
  const iat = Math.floor(nowMs / 1000)
  const event = jwt?.body === true ? tryParseExact(body.toString('utf8')) : {}
  const digest = createHash('sha256').update(body).digest('hex')
  const claims = {
    ...(isObject(event) && event),
    ...{ iat, exp: iat + tokenSeconds },
    ...(jwt?.issuer !== undefined && { iss: jwt.issuer }),
    ...(jwt?.audience !== undefined && { aud: jwt.audience }),
    ...(jwt?.bodyDigestClaim !== undefined && { [jwt.bodyDigestClaim]: digest }),
  }
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${encode({ alg: jwt?.algorithm, typ: 'JWT' })}.${encode(claims)}`
  return `${text}.${digestOf(text, Buffer.alloc(0), '').toString('base64url')}`
}

function signPost(
  prepared: PreparedTemplate,
  prove: Prover,
  given: Uint8Array | string,
  nowMs: number,
  { id, url }: SignedRequest,
): SignedPost {
  const { template, signature, timestamp: timePlace, id: idPlace, before, after } = prepared
  const { timestampPrefix = '', separator = '', when = [], bodyDigest } = template
  const timestamp = timeText(template.timestampUnit, nowMs)
  const headers: Record<string, string> = {}
  const query: Record<string, string> = {}
  let body = given
  const put = (place: Place | null | undefined, text: string) => {
    if (place == null) return
    if ('header' in place) headers[place.header.toLowerCase()] = text
    else if ('query' in place) query[place.query] = text
    else body = withField(body, place.path, text)
  }
  for (const part of [...before, ...after]) if (part.kind === 'header') headers[part.name] = ''
  for (const { place, equals } of when) if (equals !== undefined) put(place, equals)
  put(idPlace, id)
  const isTogether =
    timePlace !== null && 'header' in timePlace && timePlace.header === prepared.signatureHeader
  if (!isTogether) put(timePlace, timestampPrefix + timestamp)
  put(bodyDigest, createHash('sha256').update(body).digest('hex'))
  const bytes = Buffer.from(body)
  const rawHeaders = Object.entries(headers).flat()
  const request = { rawHeaders, url: () => withQuery(url, query), body: proofBodyOf(bytes) }
  const proof = prove(readSigned(prepared, request, timestamp), bytes, nowMs)
  if (template.jwt?.body === true) body = proof
  put(signature, isTogether ? `${timestampPrefix}${timestamp}${separator}${proof}` : proof)
  return { headers, query, body }
}

function timeText(unit: PreparedTemplate['template']['timestampUnit'], nowMs: number): string {
  if (unit === 'iso') return new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z')
  return String(unit === 's' ? Math.floor(nowMs / 1000) : nowMs)
}

/** Returns a URL with more in its query. */
export function withQuery(url: string, query: Readonly<Record<string, string>>): string {
  const more = new URLSearchParams(query).toString()
  return more === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${more}`
}

/** Returns a JSON body with a text at a path; any other body as it is. */
function withField(body: Uint8Array | string, path: string, text: string): Uint8Array | string {
  const root = tryParseExact(typeof body === 'string' ? body : Buffer.from(body).toString('utf8'))
  return isObject(root) ? JSON.stringify(withValue(root, parsePath(path) ?? [], text)) : body
}

function withValue(root: unknown, [step, ...rest]: readonly string[], value: string): unknown {
  if (step === undefined) return value
  const before = isObject(root) ? root : {}
  return { ...before, [step]: withValue(Object.hasOwn(before, step) ? before[step] : {}, rest, value) }
}
