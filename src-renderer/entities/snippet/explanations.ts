import { inboundErrorOf } from '#shared/errors/inbound.ts'
import type { DiagnosisCode } from '#shared/model/diagnosis.ts'

/**
 * Explains a diagnosis to the owner of the connection. The diagnosis' own `message` tells the sender's author what was
 * found and what to do. `{timestamp}` and `{body}` in `was` and `must` are replaced by those of the request.
 */
export type Explanation = {
  /** A few words for lists; null to use the title of the refusal. */
  readonly short: string | null
  /** A sentence without a full stop. */
  readonly title: string
  /** The bytes, key or header that was used; null if the code covers several cases. */
  readonly was: string | null
  readonly must: string | null
}

const message = '{timestamp}.{body}'
const key = 'The whole secret as it is displayed, whsec_ included'
const signature = 'x-service-signature: sha256= and 64 lowercase hexadecimal digits'
const sameBytes = 'The UTF-8 bytes that are sent'

/** Each explanation has to be true for every request with the code. */
export const explanations: Readonly<Record<DiagnosisCode, Explanation>> = {
  timestamp_in_seconds: {
    short: 'Timestamp in seconds',
    title: 'The timestamp is in seconds',
    was: 'x-service-timestamp: {timestamp}',
    must: 'x-service-timestamp: milliseconds, 13 digits',
  },
  signed_body_only: {
    short: 'Signed the body alone',
    title: 'The sender signed the body alone',
    was: '{body}',
    must: message,
  },
  missing_dot: {
    short: 'No dot after the timestamp',
    title: 'The dot between timestamp and body is missing',
    was: 'Timestamp and body, joined without a dot',
    must: message,
  },
  key_without_prefix: {
    short: 'Key without whsec_',
    title: 'The sender cut whsec_ off the key',
    was: 'What follows whsec_',
    must: key,
  },
  key_base64_decoded: {
    short: 'Key was base64-decoded',
    title: 'The sender base64-decoded the key',
    was: 'The base64-decoded secret',
    must: key,
  },
  digest_base64: {
    short: 'Signature in base64',
    title: 'The digest is in base64',
    was: 'x-service-signature: a digest in base64',
    must: signature,
  },
  digest_uppercase: {
    short: 'Signature in upper case',
    title: 'The digest is in upper case',
    was: 'x-service-signature: a digest in upper case',
    must: signature,
  },
  missing_scheme: {
    short: 'Signature without sha256=',
    title: 'The signature does not begin with sha256=',
    was: 'x-service-signature: a digest without sha256= in front',
    must: signature,
  },
  body_reserialized: {
    short: 'Body changed after signing',
    title: 'The text that was signed is not the text that was sent',
    was: 'The same data as another JSON text',
    must: message,
  },
  old_secret: {
    short: 'Signed with an old secret',
    title: 'The sender uses a secret that has been replaced',
    was: 'A replaced signing secret',
    must: 'The current signing secret',
  },
  other_connection: {
    short: 'Another connection’s secret',
    title: 'The sender uses the secret of another connection',
    was: "Another connection's signing secret",
    must: "This connection's signing secret",
  },
  secret_with_whitespace: {
    short: 'Secret with white space',
    title: 'The key has white space or quotes around it',
    was: 'The secret with white space or quotes around it',
    must: key,
  },
  empty_body: {
    short: 'Signed an empty body',
    title: 'An empty body was signed or sent',
    was: null,
    must: message,
  },
  body_bom: {
    short: 'Byte order mark not signed as sent',
    title: 'A byte order mark was either signed or sent, not both',
    was: 'Two bodies that differ by a byte order mark',
    must: `${sameBytes}, without a mark`,
  },
  body_crlf: {
    short: 'Line ends changed after signing',
    title: 'Line endings changed between signing and sending',
    was: 'The body with other line endings',
    must: sameBytes,
  },
  body_latin1: {
    short: 'Signed in another encoding',
    title: 'The body was signed or sent in another encoding than UTF-8',
    was: 'The body in another encoding',
    must: sameBytes,
  },
  timestamp_mismatch: {
    short: 'Signed another timestamp',
    title: 'The signed timestamp is not the one in the header',
    was: 'Another timestamp, a dot and the body',
    must: message,
  },
  body_before_timestamp: {
    short: 'Body before the timestamp',
    title: 'The body comes before the timestamp',
    was: 'The body, then the timestamp',
    must: message,
  },
  signed_data_only: {
    short: 'Signed only data',
    title: 'The sender signed only the data field',
    was: 'The data field',
    must: message,
  },
  plain_sha256: {
    short: 'Plain SHA-256 without a key',
    title: 'A plain SHA-256 was sent, not an HMAC',
    was: 'A SHA-256 digest made without a key',
    must: 'HMAC-SHA256 with the signing secret as key',
  },
  key_message_swapped: {
    short: 'Key and message swapped',
    title: 'Key and message are the wrong way round',
    was: 'HMAC-SHA256 of the secret',
    must: `HMAC-SHA256 of ${message}`,
  },
  token_as_key: {
    short: 'Inbound token used as the key',
    title: 'The inbound token was used as the key',
    was: 'The inbound token of the URL',
    must: key,
  },
  key_empty: {
    short: 'Signed with an empty secret',
    title: 'The sender signed with an empty secret',
    was: 'An empty key, or a word such as null',
    must: key,
  },
  timestamp_in_milliseconds: {
    short: 'Timestamp in milliseconds',
    title: 'The timestamp is in milliseconds',
    was: null,
    must: null,
  },
  other_signed_text: {
    short: 'Signed another text',
    title: 'The sender signs another text',
    was: null,
    must: null,
  },
  other_prefix: {
    short: 'Signature with another prefix',
    title: 'The signature does not begin as it should',
    was: null,
    must: null,
  },
  digest_hex: {
    short: 'Signature in hexadecimal digits',
    title: 'The digest is in hexadecimal digits, not in base64',
    was: null,
    must: null,
  },
  other_algorithm: {
    short: 'Another hash function',
    title: 'The digest was made with another hash function',
    was: null,
    must: null,
  },
  key_not_decoded: {
    short: 'Key was not decoded',
    title: 'The sender did not base64-decode the key',
    was: null,
    must: null,
  },
  connection_secret: {
    short: 'Connection’s own secret',
    title: 'The sender uses the connection’s own signing secret',
    was: null,
    must: null,
  },
  no_secret: {
    short: 'No usable sender secret',
    title: 'No usable secret of this sender is set',
    was: null,
    must: null,
  },
  other_scheme: {
    short: 'Signed in another scheme',
    title: 'The sender signs in another scheme',
    was: null,
    must: null,
  },
  other_header: {
    short: 'Signature in another header',
    title: 'The signature is in another header',
    was: null,
    must: null,
  },
  other_verify_token: {
    short: 'Another verify token',
    title: 'The verify token is not that of this connection',
    was: null,
    must: null,
  },
  other_handshake: {
    short: 'Another handshake',
    title: 'The handshake brings another secret than the first one',
    was: null,
    must: null,
  },
  unknown: { short: null, title: 'The request could not be verified', was: null, must: null },
}

/** Replaces the placeholders of `was` or `must` by the request's timestamp and body. */
export function fillExplanation(text: string, request: { timestamp: string; body: string }): string {
  return text.replace(/\{(timestamp|body)\}/g, (_whole, name: 'timestamp' | 'body') => request[name])
}

/**
 * Returns why a request was refused, in a few words.
 *
 * @param code of the refusal, such as `invalid_signature`.
 * @param diagnosis its code, if there is one.
 */
export function rejectionTitle(code: string, diagnosis: string | null): string {
  const found = Object.entries(explanations).find(([known]) => known === diagnosis)
  return found?.[1].short ?? inboundErrorOf(code)?.title ?? code
}
