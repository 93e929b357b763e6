import { SigningKey } from './signing-key.ts'

/** The two headers of the signing scheme, as Node names incoming headers. */
export const timestampHeader = 'x-service-timestamp'
export const signatureHeader = 'x-service-signature'

export type SignedHeaders = { [timestampHeader]: string; [signatureHeader]: string }

/**
 * The HMAC key of a signing secret: the whole displayed string, `whsec_` included, as UTF-8 bytes.
 * Made once per secret and kept, since preparing it costs as much as a signature.
 *
 * @throws RangeError for an empty secret.
 */
export function createSigningKey(secret: string): SigningKey {
  return new SigningKey(secret)
}

/**
 * The value of `x-service-signature` (specification: Signing scheme, 3 to 5).
 *
 * @param timestamp the text of the timestamp header, exactly as sent
 * @param rawBody the body exactly as sent, a string standing for its UTF-8 bytes; empty for a GET
 * @returns `sha256=` and 64 lowercase hexadecimal digits
 */
export function signatureOf(key: SigningKey, timestamp: string, rawBody: Uint8Array | string): string {
  const body = typeof rawBody === 'string' ? Buffer.from(rawBody, 'utf8') : rawBody
  return `sha256=${key.digest(`${timestamp}.`, body)}`
}

/**
 * Both headers of a request signed now (specification: Signing scheme).
 *
 * @param nowMs milliseconds since 1970, whole; fresh for each request, since it is the replay protection
 */
export function signedHeaders(key: SigningKey, nowMs: number, rawBody: Uint8Array | string): SignedHeaders {
  const timestamp = String(nowMs)
  return { [timestampHeader]: timestamp, [signatureHeader]: signatureOf(key, timestamp, rawBody) }
}
