import { createHmac } from 'node:crypto'

/** The secret of an external system. Its signing does not use the project's own code. */
export const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwFzZ3Yx0aB1c'
export const nowMs = 1_700_000_000_123

/** The header fields of a request in the scheme of the service; undefined for a missing one. */
export function headersOf(timestamp: string | undefined, signature: string | undefined): [string, string][] {
  return [
    ...(timestamp === undefined ? [] : [['X-Service-Timestamp', timestamp] as [string, string]]),
    ...(signature === undefined ? [] : [['X-Service-Signature', signature] as [string, string]]),
  ]
}

export function hmacHex(key: string | Uint8Array, message: string | Uint8Array): string {
  return createHmac('sha256', key).update(message).digest('hex')
}
