import { readNothing } from '../read-signature.ts'
import { bytesKey, type ProofKind } from './proof-kind.ts'

/** No proof: those who know the URL can send anything. */
export const none: ProofKind = {
  read: readNothing,
  match: (_head, body) => ({ problem: null, secret: null, digest: bytesKey.digest('', body) }),
  coversBody: () => false,
}
