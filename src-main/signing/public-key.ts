import { constants, createPublicKey, ECDH, type KeyObject, verify } from 'node:crypto'
import { type Sender, templatesOf } from '#shared/model/sender/sender.ts'
import type { SenderTemplate } from '#shared/model/sender/sender-template.ts'

/** The keys that a proof takes. */
export type KeyFamily = 'ed25519' | 'p256' | 'rsa'

/** Says why a text is not the public key that a proof takes. */
export class KeyProblem extends Error {}

const curve = 'prime256v1'
/** The beginning, before the bytes of a key in its DER form. */
const derStart = {
  ed25519: Buffer.from('302a300506032b6570032100', 'hex'),
  p256: Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex'),
} as const
const hexShape = /^(?:[0-9a-f]{2})+$/i
const base64Shape = /^[A-Za-z0-9+/_-]+={0,2}$/
/** Before the base64 of a public key of Standard Webhooks. */
const keyPrefix = 'whpk_'

const minRsaBits = 2048
const maxRsaBits = 8192

const wanted: Readonly<Record<KeyFamily, string>> = {
  ed25519: 'an Ed25519 key',
  p256: 'a key of the curve P-256',
  rsa: `an RSA key of ${minRsaBits} to ${maxRsaBits} bits`,
}

/** Returns the keys that a template takes; null if it takes a secret or nothing. */
export function keyFamilyOf({ verify: kind, jwt }: Pick<SenderTemplate, 'verify' | 'jwt'>): KeyFamily | null {
  if (kind === 'ed25519') return 'ed25519'
  if (kind === 'ecdsa') return 'p256'
  if (kind === 'rsa' || kind === 'rsa-pss') return 'rsa'
  if (kind !== 'jwt' || jwt === undefined) return null
  if (jwt.algorithm === 'EdDSA') return 'ed25519'
  if (jwt.algorithm === 'ES256') return 'p256'
  return jwt.algorithm.startsWith('HS') ? null : 'rsa'
}

/**
 * Reads a public key: PEM, JWK, raw hexadecimal digits or bare base64.
 *
 * @throws KeyProblem with a message for the owner of the connection.
 */
export function readPublicKey(text: string, family: KeyFamily): KeyObject {
  const trimmed = text.trim()
  if (/PRIVATE KEY-----/.test(trimmed))
    throw new KeyProblem('This is a private key. Enter the public key that belongs to it.')
  let key: KeyObject
  try {
    key = parse(trimmed, family)
  } catch (error) {
    if (error instanceof KeyProblem) throw error
    throw new KeyProblem(
      'This is not a public key. Enter it as PEM, as JWK, in hexadecimal digits or in base64.',
    )
  }
  if (!fits(key, family))
    throw new KeyProblem(`This is ${described(key)}. The proof takes ${wanted[family]}.`)
  return key
}

/** Returns why the public key of a sender cannot be saved; null if it can, and without one. */
export function publicKeyProblem(sender: Sender): string | null {
  for (const template of templatesOf(sender)) {
    const { publicKey } = template
    if (publicKey === undefined) return null
    const family = keyFamilyOf(template)
    if (family === null) return 'The proof of this sender takes no public key. Remove it.'
    try {
      readPublicKey(publicKey, family)
    } catch (error) {
      if (error instanceof KeyProblem) return error.message
      throw error
    }
  }
  return null
}

function parse(text: string, family: KeyFamily): KeyObject {
  if (text.startsWith('-----')) return createPublicKey(text)
  if (text.startsWith('{')) return keyOfJwk(JSON.parse(text))
  const bare = text.replace(/\s/g, '')
  if (hexShape.test(bare)) return keyOfBytes(Buffer.from(bare, 'hex'), family)
  const encoded = bare.startsWith(keyPrefix) ? bare.slice(keyPrefix.length) : bare
  if (!base64Shape.test(encoded))
    throw new KeyProblem('This is neither PEM nor JWK, hexadecimal digits or base64.')
  return keyOfBytes(Buffer.from(encoded, 'base64'), family)
}

/** Returns the key of a JWK. @throws KeyProblem for a private or a secret one; an error for an invalid one. */
export function keyOfJwk(jwk: unknown): KeyObject {
  if (typeof jwk !== 'object' || jwk === null || Array.isArray(jwk))
    throw new KeyProblem('This is not a JWK.')
  if ('d' in jwk || 'k' in jwk)
    throw new KeyProblem('This JWK has a private key. Enter the public key that belongs to it.')
  return createPublicKey({ key: { ...jwk }, format: 'jwk' })
}

function keyOfBytes(bytes: Buffer, family: KeyFamily): KeyObject {
  const fromDer = (der: Buffer) => createPublicKey({ key: der, format: 'der', type: 'spki' })
  if (family === 'ed25519' && bytes.length === 32) return fromDer(Buffer.concat([derStart.ed25519, bytes]))
  if (family === 'p256' && (bytes.length === 65 || bytes.length === 33)) {
    const point = ECDH.convertKey(bytes, curve, undefined, undefined, 'uncompressed')
    if (typeof point === 'string') throw new KeyProblem('This point cannot be read.')
    return fromDer(Buffer.concat([derStart.p256, point]))
  }
  try {
    return fromDer(bytes)
  } catch (error) {
    if (family !== 'rsa') throw error
    return createPublicKey({ key: bytes, format: 'der', type: 'pkcs1' })
  }
}

/** Returns whether a key is one that a proof takes. */
export function fits(key: KeyObject, family: KeyFamily): boolean {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  if (family === 'ed25519') return type === 'ed25519'
  if (family === 'p256') return type === 'ec' && details?.namedCurve === curve
  const bits = details?.modulusLength ?? 0
  return type === 'rsa' && bits >= minRsaBits && bits <= maxRsaBits && hasUsableExponent(key)
}

/** Returns whether signatures say something: with the exponent 1, anybody can make one. */
function hasUsableExponent({ asymmetricKeyDetails: details }: KeyObject): boolean {
  const { publicExponent = 0n } = details ?? {}
  return publicExponent >= 3n && publicExponent % 2n === 1n
}

function described(key: KeyObject): string {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  if (type === 'ec')
    return `a key of the curve ${details?.namedCurve === curve ? 'P-256' : details?.namedCurve}`
  if (type === 'rsa' && !hasUsableExponent(key))
    return `an RSA key with the exponent ${details?.publicExponent}, which protects nothing`
  if (type === 'rsa') return `an RSA key of ${details?.modulusLength} bits`
  return `a key of the type ${type ?? 'secret'}`
}

/** A signature made with a private key. */
export type KeySignature = {
  readonly family: KeyFamily
  /** The hash function; without meaning for Ed25519. */
  readonly hash: 'sha1' | 'sha256' | 'sha384' | 'sha512'
  readonly isPss?: boolean
  readonly bytes: Buffer
}

/** Bytes of an ECDSA signature of P-256 as two numbers. In DER it has about 70. */
const twoNumbers = 64
const maxDer = 72

/** Returns whether bytes can be a signature; for RSA, of any key. */
export function isSignatureSize(bytes: Buffer, family: KeyFamily): boolean {
  if (family === 'ed25519') return bytes.length === 64
  if (family === 'rsa') return bytes.length >= minRsaBits / 8 && bytes.length <= maxRsaBits / 8
  return bytes.length === twoNumbers || (bytes[0] === 0x30 && bytes.length >= 8 && bytes.length <= maxDer)
}

/** Returns whether a key made a signature. Never throws. The key must fit. */
export function isSignedBy(key: KeyObject, message: Uint8Array, signature: KeySignature): boolean {
  const { family, hash, isPss = false, bytes } = signature
  try {
    if (family === 'ed25519') return verify(null, message, key, bytes)
    if (family === 'p256') {
      const dsaEncoding = bytes.length === twoNumbers ? 'ieee-p1363' : 'der'
      return verify(hash, message, { key, dsaEncoding }, bytes)
    }
    const { RSA_PKCS1_PADDING, RSA_PKCS1_PSS_PADDING, RSA_PSS_SALTLEN_AUTO } = constants
    return isPss
      ? verify(
          hash,
          message,
          { key, padding: RSA_PKCS1_PSS_PADDING, saltLength: RSA_PSS_SALTLEN_AUTO },
          bytes,
        )
      : verify(hash, message, { key, padding: RSA_PKCS1_PADDING }, bytes)
  } catch {
    return false
  }
}
