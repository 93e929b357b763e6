import type { Proof } from '#shared/model/sender/sender-template.ts'
import { basic } from './basic.ts'
import { ecdsa } from './ecdsa.ts'
import { ed25519 } from './ed25519.ts'
import { hmac } from './hmac.ts'
import { jwt } from './jwt.ts'
import { none } from './none.ts'
import type { ProofKind } from './proof-kind.ts'
import { rsa } from './rsa.ts'
import { rsaPss } from './rsa-pss.ts'
import { token } from './token.ts'

/** The ways in which a request can prove who sent it. */
export const proofs: Readonly<Record<Proof, ProofKind>> = {
  ...{ hmac, token, basic, ed25519, ecdsa, rsa, 'rsa-pss': rsaPss, jwt, none },
}
