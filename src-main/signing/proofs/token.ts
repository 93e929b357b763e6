import { byteText } from '../proof-body.ts'
import { proofText, readText } from '../read-signature.ts'
import { invalid } from '../sender-head.ts'
import { bytesKey, mismatch, noBytes, type ProofKind, validKeys } from './proof-kind.ts'

/** A fixed token: those who know it can send anything. */
export const token: ProofKind = {
  read: readText,
  match({ prepared, prefix }, body, nowMs) {
    const [text = ''] = prefix.texts
    const sent = Buffer.from(text, 'latin1')
    const found = validKeys(prepared, nowMs).find(({ key }) => key.isMadeOf(sent))
    if (found === undefined)
      return mismatch(invalid(`The token in the ${proofText(prepared)} is not that of this sender.`))
    return { problem: null, secret: found.kind, digest: bytesKey.digest('', body ?? noBytes) }
  },
  coversBody: () => false,
  secretText: {
    read: (value, prefix) =>
      value.startsWith(prefix)
        ? { before: prefix, bytes: Buffer.from(value.slice(prefix.length), 'latin1') }
        : null,
    write: byteText,
  },
}
