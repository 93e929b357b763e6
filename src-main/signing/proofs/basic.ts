import { readText } from '../read-signature.ts'
import { invalid } from '../sender-head.ts'
import { bytesKey, mismatch, type ProofKind, validKeys } from './proof-kind.ts'

const shape = /^(basic +)([A-Za-z0-9+/]+={0,2}) *$/i
/** Characters of the credentials. A secret has at most 1,000 characters. */
const maxText = 8 * 1024

/** A user name and a password, as in RFC 7617. The secret is `user:password`. */
export const basic: ProofKind = {
  read: readText,
  match({ prepared, header: { value = '' } }, body, nowMs) {
    const sent = readPair(value)
    if (sent === null)
      return mismatch(
        invalid('The header authorization must be "Basic " followed by the base64 of user:password.'),
      )
    const found = validKeys(prepared, nowMs).find(({ key }) => key.isMadeOf(sent.bytes))
    if (found === undefined)
      return mismatch(
        invalid('The user or the password in the header authorization is not that of this sender.'),
      )
    return { problem: null, secret: found.kind, digest: bytesKey.digest('', body) }
  },
  coversBody: () => false,
  secretText: { read: readPair, write: secret => Buffer.from(secret).toString('base64') },
}

function readPair(value: string): { readonly before: string; readonly bytes: Buffer } | null {
  const [, before, encoded] = value.length > maxText ? [] : (shape.exec(value) ?? [])
  if (before === undefined || encoded === undefined) return null
  return { before, bytes: Buffer.from(encoded, 'base64') }
}
