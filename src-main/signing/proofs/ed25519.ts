import { signedByKey } from './signed-by-key.ts'

/** An Ed25519 signature (RFC 8032). */
export const ed25519 = signedByKey('ed25519')
