import { isSignatureSize, isSignedBy, type KeyFamily, type KeySignature } from '../public-key.ts'
import { proofText, readSignature, type SignatureForm } from '../read-signature.ts'
import { invalid } from '../sender-head.ts'
import { bytesKey, mismatch, noBytes, type ProofKind, signsBody } from './proof-kind.ts'
import { usableKeys } from './public-keys.ts'

const sizes: Readonly<Record<KeyFamily, { readonly bytes: number | null; readonly text: string }>> = {
  ed25519: { bytes: 64, text: '64 bytes' },
  p256: { bytes: null, text: 'a signature of P-256, in DER or of 64 bytes' },
  rsa: { bytes: null, text: 'a signature of RSA, of at least 256 bytes' },
}

/** Returns a kind of proof whose signatures are made with a private key and verified with its public key. */
export function signedByKey(family: KeyFamily, isPss = false): ProofKind {
  const form: SignatureForm = {
    isSize: bytes => isSignatureSize(bytes, family),
    bytes: () => sizes[family].bytes,
    sizeText: () => sizes[family].text,
  }
  return {
    read: (prepared, request, nowMs) => readSignature(prepared, request, nowMs, form),
    match(head, body, nowMs) {
      const { prepared, encoding, signed } = head
      const usable = usableKeys(head, family, null, nowMs)
      if (usable.problem !== null) return usable
      const content = signed.hasBody ? body : noBytes
      const [before, after] = [signed.before, signed.after].map(text => Buffer.from(text, 'latin1'))
      const message = Buffer.concat([before ?? noBytes, content, after ?? noBytes])
      const { algorithm: hash } = prepared.template
      const keys = usable.keys.slice(0, maxTried)
      const isRight = (bytes: KeySignature['bytes']) =>
        keys.some(key => isSignedBy(key, message, { family, hash, isPss, bytes }))
      // Several bytes can be right signatures of the same text, so the text is what identifies a request.
      if (encoding.digests.slice(0, maxTried).some(isRight))
        return { problem: null, secret: null, digest: bytesKey.digest('', message) }
      if (usable.renews !== null) return { problem: keysMayHaveChanged, needs: usable.renews }
      const what = `The signature in the ${proofText(prepared)} does not match the public key of this sender.`
      return mismatch(invalid(`${what} The signed text is ${prepared.template.signed}.`))
    },
    coversBody: signsBody,
  }
}

/** Signatures of one request that are verified, each with as many keys: each takes far longer than an HMAC. */
const maxTried = 4

export const keysMayHaveChanged = {
  code: 'keys_unavailable',
  detail: 'The public keys of the sender may have changed. Send the request again later.',
} as const
