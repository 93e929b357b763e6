import { z } from 'zod'
import { type Sender, templatesOf } from './sender.ts'
import type { JwtAlgorithm, Proof } from './sender-template.ts'

/** The secret of a sender, which the sender or its owner chooses. */
export const SenderSecret = z
  .string()
  .min(1, 'Enter the secret of the sender.')
  .max(1000, 'A secret has at most 1000 characters.')
  .refine(secret => secret.trim() === secret, 'The secret begins or ends with white space. Copy it again.')

/** The prefix that some senders write before the base64 of a key. */
export const keyPrefix = 'whsec_'
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=?|[A-Za-z0-9+/]{2}(?:==)?)$/

const hex = /^(?:[0-9A-Fa-f]{2})+$/

/** Returns why a secret cannot be the key of a sender; null if it can. */
export function secretProblem(secret: string, sender: Sender): string | null {
  const [{ key, verify }] = templatesOf(sender)
  if (verify === 'basic' && !secret.includes(':'))
    return 'The secret must be a user and a password with a colon between them: user:password.'
  if (key === 'text') return null
  if (key === 'hex')
    return hex.test(secret) ? null : 'The secret must be hexadecimal digits. Copy it again from the sender.'
  if (secret.startsWith('whpk_'))
    return 'This is a public key. Enter the symmetric secret, which begins with whsec_.'
  const encoded = secret.startsWith(keyPrefix) ? secret.slice(keyPrefix.length) : secret
  if (base64.test(encoded)) return null
  return 'The secret must be base64, with or without whsec_ before it. Copy it again from the sender.'
}

/** Returns which secret a proof takes; null for one with a public key, and for none. @param algorithm of a JWT. */
export function secretOfProof(verify: Proof, algorithm: JwtAlgorithm | undefined) {
  if (verify === 'token') return 'token'
  if (verify === 'basic') return 'password'
  return verify === 'hmac' || (verify === 'jwt' && algorithm?.startsWith('HS') === true) ? 'secret' : null
}

/** Returns which secret a sender proves itself with, as `secretOfProof` does. */
export function secretKindOf(sender: Sender) {
  const [{ verify, jwt }] = templatesOf(sender)
  return secretOfProof(verify, jwt?.algorithm)
}

/** Returns whether a sender has a public key that is given neither as a text nor by an address or a certificate. */
export function lacksPublicKey(sender: Sender): boolean {
  const [{ verify, publicKey, keysUrl, certificate }] = templatesOf(sender)
  if (verify === 'none' || secretKindOf(sender) !== null) return false
  return publicKey === undefined && keysUrl === undefined && certificate === undefined
}
