import type { SigningKey } from './signing-key.ts'

/** The two headers of the signing scheme, as Node names incoming headers. */
export const timestampHeader = 'x-service-timestamp'
export const signatureHeader = 'x-service-signature'

export type SignedHeaders = { [timestampHeader]: string; [signatureHeader]: string }

/**
 * Returns the value of `x-service-signature`.
 *
 * @param timestamp the text of the timestamp header, exactly as sent
 * @param rawBody the body exactly as sent; a string stands for its UTF-8 bytes; empty for a GET
 * @returns `sha256=` and 64 lowercase hexadecimal digits
 */
export function signatureOf(key: SigningKey, timestamp: string, rawBody: Uint8Array | string): string {
  const body = typeof rawBody === 'string' ? Buffer.from(rawBody, 'utf8') : rawBody
  return `sha256=${key.digest(`${timestamp}.`, body)}`
}

/**
 * Returns both headers of a request that is signed now.
 *
 * @param nowMs whole milliseconds since 1970, fresh for each request, because it protects against replays
 */
export function signedHeaders(key: SigningKey, nowMs: number, rawBody: Uint8Array | string): SignedHeaders {
  const timestamp = String(nowMs)
  return { [timestampHeader]: timestamp, [signatureHeader]: signatureOf(key, timestamp, rawBody) }
}
