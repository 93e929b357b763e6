import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'

import { sealedPrefix } from '../sealing.ts'

const algorithm = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

/** Matches a sealed text: after the prefix, IV, tag and ciphertext in base64url. */
export const sealedPattern = /^aes-256-gcm:[A-Za-z0-9_-]+$/

/** A sealed text does not open: the key or the context is another one, or the text was changed. */
export class SealedTextError extends Error {
  constructor(context: string, cause?: unknown) {
    super(`The encrypted text of ${context} cannot be decrypted with this key.`, { cause })
    this.name = 'SealedTextError'
  }
}

export type Sealer = ReturnType<typeof createSealer>

/**
 * Creates a sealer: AES-256-GCM under `key` (32 bytes), with a new IV for each text. The context is authenticated too,
 * so a text that was moved to another field or connection does not open.
 */
export function createSealer(key: Buffer) {
  if (key.length !== 32) throw new RangeError('A data key has 32 bytes.')
  // With the bytes, Node makes a key object for each text, which takes four times as long as the decryption.
  const secretKey = createSecretKey(key)
  return {
    /** Encrypts a text. @param context where the text belongs, such as `connection/<id>/signingSecret`. */
    seal(plaintext: string, context: string) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv(algorithm, secretKey, iv, { authTagLength: tagBytes })
      cipher.setAAD(Buffer.from(context, 'utf8'))
      const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
      return sealedPrefix + Buffer.concat([iv, cipher.getAuthTag(), ciphertext]).toString('base64url')
    },
    /** @throws SealedTextError unless it was sealed with the same key for the same context. */
    open(sealed: string, context: string) {
      if (!sealedPattern.test(sealed)) throw new SealedTextError(context)
      const bytes = Buffer.from(sealed.slice(sealedPrefix.length), 'base64url')
      if (bytes.length < ivBytes + tagBytes) throw new SealedTextError(context)
      const iv = bytes.subarray(0, ivBytes)
      const decipher = createDecipheriv(algorithm, secretKey, iv, { authTagLength: tagBytes })
      decipher.setAAD(Buffer.from(context, 'utf8'))
      decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
      try {
        return decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8')
      } catch (error) {
        throw new SealedTextError(context, error)
      }
    },
  }
}
