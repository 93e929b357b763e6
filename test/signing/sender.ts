import { createHmac } from 'node:crypto'

/** The secret of an external system. Its signing does not use the project's own code. */
export const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwFzZ3Yx0aB1c'
export const nowMs = 1_700_000_000_123

export function hmacHex(key: string | Uint8Array, message: string | Uint8Array): string {
  return createHmac('sha256', key).update(message).digest('hex')
}
