import type { inboundErrors } from '#shared/errors.ts'
import type { DiagnosisCode } from '#shared/model/diagnosis.ts'

/** What a sender did wrong, in a few words that go on after “Last:”; `unknown` says nothing. */
const diagnosed: Readonly<Record<Exclude<DiagnosisCode, 'unknown'>, string>> = {
  timestamp_in_seconds: 'timestamp in seconds',
  signed_body_only: 'signed the body alone',
  missing_dot: 'no dot after the timestamp',
  key_without_prefix: 'key without whsec_',
  key_base64_decoded: 'key was base64-decoded',
  digest_base64: 'signature in base64',
  digest_uppercase: 'signature in upper case',
  missing_scheme: 'signature without sha256=',
  body_reserialized: 'body written anew after signing',
  old_secret: 'signed with an old secret',
  other_connection: 'another connection’s secret',
  secret_with_whitespace: 'secret with white space',
  empty_body: 'signed an empty body',
  body_bom: 'byte order mark not signed as sent',
  body_crlf: 'line ends changed after signing',
  body_latin1: 'signed in another encoding',
  timestamp_mismatch: 'signed another timestamp',
  body_before_timestamp: 'body before the timestamp',
  signed_data_only: 'signed only data',
  plain_sha256: 'plain SHA-256 without a key',
  key_message_swapped: 'key and message swapped',
  token_as_key: 'inbound token used as the key',
  key_empty: 'signed with an empty secret',
}

const refused: Readonly<Partial<Record<keyof typeof inboundErrors, string>>> = {
  connection_disabled: 'connection was disabled',
  unsupported_encoding: 'body was compressed',
  body_too_large: 'body too large',
  missing_timestamp: 'no timestamp',
  invalid_timestamp: 'timestamp is no number of milliseconds',
  stale_timestamp: 'timestamp too old or ahead',
  missing_signature: 'no signature',
  invalid_signature: 'signature does not match',
  invalid_json: 'body is not JSON',
  missing_event: 'body has no event',
  invalid_event: 'event is no name',
  invalid_data: 'data is no object',
  unavailable: 'could not be stored',
}

/**
 * Why a request was refused, in a few words.
 *
 * @param code of the refusal, such as `invalid_signature`.
 * @param diagnosis its code, where one was made.
 */
export function rejectionWords(code: string, diagnosis: string | null): string {
  const found = Object.entries({ ...diagnosed, ...refused })
  const wordsOf = (name: string | null) => found.find(([key]) => key === name)?.[1]
  return wordsOf(diagnosis) ?? wordsOf(code) ?? code
}
