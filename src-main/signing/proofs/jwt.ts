import { hash, timingSafeEqual } from 'node:crypto'
import { isObject, tryParseExact } from '#shared/json/exact-json.ts'
import type { Jwt, JwtAlgorithm } from '#shared/model/sender/sender-template.ts'
import { isSignatureSize, isSignedBy, keyFamilyOf } from '../public-key.ts'
import { proofText, readText } from '../read-signature.ts'
import { windowText } from '../read-time.ts'
import { type HeadProblem, invalid, type Match, type SenderHead } from '../sender-head.ts'
import { bytesKey, mismatch, noBytes, type ProofKind, validKeys } from './proof-kind.ts'
import { usableKeys } from './public-keys.ts'
import { keysMayHaveChanged } from './signed-by-key.ts'

const maxToken = 8 * 1024
/** Keys that are tried for a token that names none. */
const maxTried = 10
const shape = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/
const bearer = /^bearer +/i

/** A token in compact form (RFC 7519). Nothing of it is trusted before its signature is verified. */
type Token = {
  readonly header: Record<string, unknown>
  readonly claims: Record<string, unknown>
  /** The text of the claims. */
  readonly content: Buffer
  readonly signed: string
  readonly signature: Buffer
}

/** A JSON Web Token in a header, or as the body. */
export const jwt: ProofKind = {
  read: readText,
  match(head, body, nowMs) {
    const { jwt: setting, windowMs } = head.prepared.template
    if (setting === undefined) return mismatch(invalid('The setting of the token is missing.'))
    const text = setting.body === true ? bodyText(body) : (head.prefix.texts[0] ?? '')
    const token = parseToken(text.replace(bearer, '').trim())
    if (token === null)
      return mismatch(invalid(`The ${proofText(head.prepared)} must have a JWT of at most 8 KiB.`))
    if (token.header.alg !== setting.algorithm)
      return mismatch(invalid(`The "alg" of the token must be ${setting.algorithm}.`))
    const late = timeProblem(token, windowMs, nowMs)
    if (late !== null) return mismatch(late)
    const signed = matchSignature(head, setting.algorithm, token, nowMs)
    if (signed.problem !== null) return signed
    const claim = claimProblem(token, setting, body)
    if (claim !== null) return mismatch(claim)
    // A token that is the body may have spaces around it, which nobody has signed.
    const digest = bytesKey.digest(`${token.signed}.`, setting.body === true ? noBytes : body)
    return { ...signed, digest, ...(setting.body === true && { content: token.content }) }
  },
  coversBody: ({ jwt: setting }) => setting?.body === true || setting?.bodyDigestClaim !== undefined,
}

/** Returns the text of a body, which is a token; empty for one that is too long. */
const bodyText = (body: Uint8Array) => (body.length > maxToken ? '' : Buffer.from(body).toString('latin1'))

/** Parses a token without verifying anything; null for another text. */
export function parseToken(text: string): Token | null {
  if (text.length > maxToken) return null
  const [, head, claimed, signature] = shape.exec(text) ?? []
  if (head === undefined || claimed === undefined || signature === undefined) return null
  const content = Buffer.from(claimed, 'base64url')
  const header = tryParseExact(Buffer.from(head, 'base64url').toString('utf8'))
  const claims = tryParseExact(content.toString('utf8'))
  // A critical extension that is not understood makes a token invalid (RFC 7515, 4.1.11).
  if (!isObject(header) || !isObject(claims) || 'crit' in header) return null
  return {
    header,
    claims,
    content,
    signed: `${head}.${claimed}`,
    signature: Buffer.from(signature, 'base64url'),
  }
}

const secondsOf = (claim: unknown) => (typeof claim === 'number' ? claim * 1000 : null)

/** Returns the problem of the times of a token. Without `exp`, `iat` must be within the window, or it would never end. */
function timeProblem({ claims }: Token, windowMs: number, nowMs: number): HeadProblem | null {
  const [expires, begins, issued] = [claims.exp, claims.nbf, claims.iat].map(secondsOf)
  const late = `by more than ${windowText(windowMs)}`
  if (expires == null && issued == null)
    return { code: 'missing_timestamp', detail: 'The token has neither "exp" nor "iat".' }
  if (expires != null && nowMs > expires + windowMs)
    return { code: 'token_expired', detail: `The token expired, ${late}.` }
  if (expires == null && issued != null && nowMs > issued + windowMs)
    return { code: 'token_expired', detail: `The token has no "exp", and its "iat" is old ${late}.` }
  const start = begins ?? issued ?? nowMs
  if (start > nowMs + windowMs)
    return { code: 'stale_timestamp', detail: `The token begins to be valid later, ${late}.` }
  return null
}

/** Returns the hash function of an algorithm. */
function hashOf(algorithm: JwtAlgorithm): 'sha256' | 'sha384' | 'sha512' {
  return algorithm.endsWith('384') ? 'sha384' : algorithm.endsWith('512') ? 'sha512' : 'sha256'
}

function matchSignature(head: SenderHead, algorithm: JwtAlgorithm, token: Token, nowMs: number): Match {
  const { prepared } = head
  const family = keyFamilyOf(prepared.template)
  const wrong = invalid('The signature of the token does not match.')
  const { signed, signature: bytes, header } = token
  if (family === null) {
    const found = validKeys(prepared, nowMs).find(({ key }) => {
      const expected = Buffer.from(key.digest(signed, noBytes), 'hex')
      return bytes.length === expected.length && timingSafeEqual(bytes, expected)
    })
    return found === undefined ? mismatch(wrong) : { problem: null, secret: found.kind, digest: '' }
  }
  // In a JWS, an ECDSA signature is always its two numbers.
  if (!isSignatureSize(bytes, family) || (family === 'p256' && bytes.length !== 64)) return mismatch(wrong)
  const kid = typeof header.kid === 'string' ? header.kid : null
  const usable = usableKeys(head, family, kid, nowMs)
  if (usable.problem !== null) return usable
  const message = Buffer.from(signed, 'latin1')
  const signature = { family, hash: hashOf(algorithm), isPss: algorithm.startsWith('PS'), bytes }
  if (usable.keys.slice(0, maxTried).some(key => isSignedBy(key, message, signature)))
    return { problem: null, secret: null, digest: '' }
  return usable.renews === null ? mismatch(wrong) : { problem: keysMayHaveChanged, needs: usable.renews }
}

/** Returns the problem of what a verified token says. */
function claimProblem({ claims }: Token, setting: Jwt, body: Uint8Array): HeadProblem | null {
  const { issuer, audience, bodyDigestClaim } = setting
  for (const [name, text] of Object.entries(setting.claims ?? {}))
    if (!Object.hasOwn(claims, name) || claims[name] !== text)
      return invalid(`The claim "${name}" of the token is not that of the setting.`)
  if (issuer !== undefined && claims.iss !== issuer)
    return invalid('The "iss" of the token is not the issuer of the setting.')
  const audiences = Array.isArray(claims.aud) ? claims.aud : [claims.aud]
  if (audience !== undefined && !audiences.includes(audience))
    return invalid('The "aud" of the token does not have the audience of the setting.')
  if (bodyDigestClaim === undefined) return null
  const claim = Object.hasOwn(claims, bodyDigestClaim) ? claims[bodyDigestClaim] : undefined
  if (typeof claim === 'string' && isDigestOf(claim, body)) return null
  return invalid(`The claim "${bodyDigestClaim}" of the token is not the SHA-256 of the body.`)
}

/** Returns whether a text is the SHA-256 of bytes, in hexadecimal digits or base64. */
export function isDigestOf(text: string, bytes: Uint8Array): boolean {
  const digest = hash('sha256', bytes, 'buffer')
  const sent = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')
  return sent.equals(digest)
}
