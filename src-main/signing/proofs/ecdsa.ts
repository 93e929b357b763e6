import { signedByKey } from './signed-by-key.ts'

/** An ECDSA signature of the curve P-256, in DER or as its two numbers. */
export const ecdsa = signedByKey('p256')
