import { readText } from '../read-signature.ts'
import { invalid } from '../sender-head.ts'
import { bytesKey, mismatch, type ProofKind, validKeys } from './proof-kind.ts'

const shape = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i
/** Characters of the credentials. A secret has at most 1,000 characters. */
const maxText = 8 * 1024

/** A user name and a password, as in RFC 7617. The secret is `user:password`. */
export const basic: ProofKind = {
  read: readText,
  match({ prepared, header: { value = '' } }, body, nowMs) {
    const [, encoded] = value.length > maxText ? [] : (shape.exec(value) ?? [])
    if (encoded === undefined)
      return mismatch(
        invalid('The header authorization must be "Basic " followed by the base64 of user:password.'),
      )
    const sent = Buffer.from(encoded, 'base64')
    const found = validKeys(prepared, nowMs).find(({ key }) => key.isMadeOf(sent))
    if (found === undefined)
      return mismatch(
        invalid('The user or the password in the header authorization is not that of this sender.'),
      )
    return { problem: null, secret: found.kind, digest: bytesKey.digest('', body) }
  },
  coversBody: () => false,
}
