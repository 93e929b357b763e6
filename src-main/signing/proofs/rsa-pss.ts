import { signedByKey } from './signed-by-key.ts'

/** An RSA signature with the padding PSS. */
export const rsaPss = signedByKey('rsa', true)
