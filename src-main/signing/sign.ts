import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'

/** The two headers of the signing scheme, as Node names incoming headers. */
export const timestampHeader = 'x-service-timestamp'
export const signatureHeader = 'x-service-signature'

export type SignedHeaders = { [timestampHeader]: string; [signatureHeader]: string }

/**
 * The HMAC key of a signing secret: the whole displayed string, `whsec_` included, as UTF-8 bytes.
 * Made once per secret and kept, since preparing it costs as much as a signature.
 *
 * @throws RangeError for an empty secret. Node would take one, and everybody can sign with it.
 */
export function createSigningKey(secret: string): KeyObject {
  if (secret === '') throw new RangeError('A signing secret must not be empty.')
  return createSecretKey(secret, 'utf8')
}

/**
 * The value of `x-service-signature` (specification: Signing scheme, 3 to 5).
 *
 * @param timestamp the text of the timestamp header, exactly as sent
 * @param rawBody the body exactly as sent, a string standing for its UTF-8 bytes; empty for a GET
 * @returns `sha256=` and 64 lowercase hexadecimal digits
 */
export function signatureOf(key: KeyObject, timestamp: string, rawBody: Uint8Array | string): string {
  return `sha256=${createHmac('sha256', key).update(`${timestamp}.`).update(rawBody).digest('hex')}`
}

/**
 * Both headers of a request signed now (specification: Signing scheme).
 *
 * @param nowMs milliseconds since 1970, whole; fresh for each request, since it is the replay protection
 */
export function signedHeaders(key: KeyObject, nowMs: number, rawBody: Uint8Array | string): SignedHeaders {
  const timestamp = String(nowMs)
  return { [timestampHeader]: timestamp, [signatureHeader]: signatureOf(key, timestamp, rawBody) }
}
