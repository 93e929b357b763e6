import { signedByKey } from './signed-by-key.ts'

/** An RSA signature with the padding of PKCS#1 v1.5. */
export const rsa = signedByKey('rsa')
