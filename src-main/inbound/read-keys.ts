import { createPublicKey, X509Certificate } from 'node:crypto'
import type { FetchedKey, KeySource } from '#main/signing/fetched-keys.ts'
import { KeyProblem, keyOfJwk } from '#main/signing/public-key.ts'
import { isObject, tryParseExact } from '#shared/json/exact-json.ts'
import { isNestedDeeper } from '#shared/json/json-depth.ts'

const maxKeys = 100
const maxDepth = 16

/**
 * Reads what is at an address of public keys: a JWKS, a JWK or PEM; a certificate in PEM. Keys of a JWKS that are not
 * public signature keys are left out.
 *
 * @throws KeyProblem if there is none.
 */
export function readKeys(bytes: Buffer, as: KeySource['as']): FetchedKey[] {
  const text = bytes.toString('utf8').trim()
  const keys = as === 'certificate' ? readCertificate(text) : readJwks(text)
  if (keys.length === 0) throw new KeyProblem('There is no public key at the address.')
  return keys
}

function readCertificate(text: string): FetchedKey[] {
  try {
    const certificate = new X509Certificate(text)
    const valid = { from: certificate.validFromDate.getTime(), to: certificate.validToDate.getTime() }
    return [{ kid: null, key: certificate.publicKey, valid }]
  } catch {
    throw new KeyProblem('There is no certificate at the address.')
  }
}

function readJwks(text: string): FetchedKey[] {
  if (text.startsWith('-----')) {
    if (text.includes('PRIVATE KEY-----')) throw new KeyProblem('There is a private key at the address.')
    return keyOr(() => ({ kid: null, key: createPublicKey(text), valid: null }))
  }
  const root = isNestedDeeper(text, maxDepth) ? undefined : tryParseExact(text)
  if (!isObject(root)) throw new KeyProblem('There are no keys as JSON at the address.')
  const list = Array.isArray(root.keys) ? root.keys.slice(0, maxKeys) : [root]
  return list.flatMap(jwk => {
    if (!isObject(jwk) || (jwk.use !== undefined && jwk.use !== 'sig')) return []
    const kid = typeof jwk.kid === 'string' ? jwk.kid : null
    return keyOr(() => ({ kid, key: keyOfJwk(jwk), valid: null }))
  })
}

function keyOr(read: () => FetchedKey): FetchedKey[] {
  try {
    return [read()]
  } catch {
    return []
  }
}
