import { timingSafeEqual } from 'node:crypto'
import { digestBytes } from '#shared/model/sender/sender-template.ts'
import { proofText, readSignature, type SignatureForm } from '../read-signature.ts'
import { invalid } from '../sender-head.ts'
import type { SigningKey } from '../signing-key.ts'
import { bytesKey, mismatch, noBytes, type ProofKind, signsBody } from './proof-kind.ts'

const form: SignatureForm = {
  isSize: ({ length }, { algorithm }) => length === digestBytes[algorithm],
  bytes: ({ algorithm }) => digestBytes[algorithm],
  sizeText: ({ algorithm }) => `${digestBytes[algorithm]} bytes`,
}

/** An HMAC with a shared secret. */
export const hmac: ProofKind = {
  read: (prepared, request, nowMs) => readSignature(prepared, request, nowMs, form),
  /**
   * Compares in constant time. The digest identifies the signed bytes, whichever other keys there are: with the end of an
   * old key, a copy must not seem to be new. It is the signature itself, unless a header may have several: somebody could
   * remove one, and the other would seem to be new.
   */
  match({ prepared, encoding, signed }, body, nowMs) {
    const bytes = signed.hasBody ? body : noBytes
    const digestOf = (key: SigningKey) => key.digest(signed.before, bytes, signed.after)
    for (const { key, kind, expiresAt } of prepared.keys) {
      if (expiresAt !== null && nowMs >= expiresAt) continue
      const digest = digestOf(key)
      const expected = Buffer.from(digest, 'hex')
      if (!encoding.digests.some(received => timingSafeEqual(received, expected))) continue
      const isOnlyOne = prepared.template.separator === undefined
      return { problem: null, secret: kind, digest: isOnlyOne ? digest : digestOf(bytesKey) }
    }
    const { template, hasBody, signature } = prepared
    const what = signature !== null && 'header' in signature ? signature.header : `the ${proofText(prepared)}`
    const ending = hasBody ? ', with the exact bytes of the body' : ''
    return mismatch(
      invalid(`The signature in ${what} does not match. The signed text is ${template.signed}${ending}.`),
    )
  },
  coversBody: signsBody,
}
