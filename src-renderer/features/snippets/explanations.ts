import type { DiagnosisCode } from '#shared/model/diagnosis.ts'

/**
 * Explains a diagnosis to the owner of the connection. The diagnosis' own `message` tells the sender's author what was
 * found and what to do. `{timestamp}` and `{body}` in `was` and `must` are replaced by those of the request.
 */
export type Explanation = {
  /** A sentence without a full stop. */
  readonly title: string
  /** What was signed, used or sent; null if the code covers several cases. */
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
    title: 'The timestamp is in seconds',
    was: 'x-service-timestamp: {timestamp}',
    must: 'x-service-timestamp: milliseconds, 13 digits',
  },
  signed_body_only: { title: 'The sender signed the body alone', was: '{body}', must: message },
  missing_dot: {
    title: 'The dot between timestamp and body is missing',
    was: 'Timestamp and body, joined without a dot',
    must: message,
  },
  key_without_prefix: { title: 'The sender cut whsec_ off the key', was: 'What follows whsec_', must: key },
  key_base64_decoded: {
    title: 'The sender base64-decoded the key',
    was: 'The base64-decoded secret',
    must: key,
  },
  digest_base64: {
    title: 'The digest is in base64',
    was: 'x-service-signature: a digest in base64',
    must: signature,
  },
  digest_uppercase: {
    title: 'The digest is in upper case',
    was: 'x-service-signature: a digest in upper case',
    must: signature,
  },
  missing_scheme: {
    title: 'The signature does not begin with sha256=',
    was: 'x-service-signature: a digest without sha256= in front',
    must: signature,
  },
  body_reserialized: {
    title: 'The text that was signed is not the text that was sent',
    was: 'The same data as another JSON text',
    must: message,
  },
  old_secret: {
    title: 'The sender uses a secret that has been replaced',
    was: 'A replaced signing secret',
    must: 'The current signing secret',
  },
  other_connection: {
    title: 'The sender uses the secret of another connection',
    was: "Another connection's signing secret",
    must: "This connection's signing secret",
  },
  secret_with_whitespace: {
    title: 'The key has white space or quotes around it',
    was: 'The secret with white space or quotes around it',
    must: key,
  },
  empty_body: { title: 'An empty body was signed or sent', was: null, must: message },
  body_bom: {
    title: 'A byte order mark was either signed or sent, not both',
    was: 'Two bodies that differ by a byte order mark',
    must: `${sameBytes}, without a mark`,
  },
  body_crlf: {
    title: 'Line endings changed between signing and sending',
    was: 'The body with other line endings',
    must: sameBytes,
  },
  body_latin1: {
    title: 'The body was signed or sent in another encoding than UTF-8',
    was: 'The body in another encoding',
    must: sameBytes,
  },
  timestamp_mismatch: {
    title: 'The signed timestamp is not the one in the header',
    was: 'Another timestamp, a dot and the body',
    must: message,
  },
  body_before_timestamp: {
    title: 'The body comes before the timestamp',
    was: 'The body, then the timestamp',
    must: message,
  },
  signed_data_only: { title: 'The sender signed only the data field', was: 'The data field', must: message },
  plain_sha256: {
    title: 'A plain SHA-256 was sent, not an HMAC',
    was: 'A SHA-256 digest made without a key',
    must: 'HMAC-SHA256 with the signing secret as key',
  },
  key_message_swapped: {
    title: 'Key and message are the wrong way round',
    was: 'HMAC-SHA256 of the secret',
    must: `HMAC-SHA256 of ${message}`,
  },
  token_as_key: {
    title: 'The inbound token was used as the key',
    was: 'The inbound token of the URL',
    must: key,
  },
  key_empty: {
    title: 'The sender signed with an empty secret',
    was: 'An empty key, or a word such as null',
    must: key,
  },
  unknown: { title: 'The request could not be verified', was: null, must: null },
}

/** Replaces the placeholders of `was` or `must` by the request's timestamp and body. */
export function fillExplanation(text: string, request: { timestamp: string; body: string }): string {
  return text.replace(/\{(timestamp|body)\}/g, (_whole, name: 'timestamp' | 'body') => request[name])
}
