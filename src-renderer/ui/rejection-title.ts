import { inboundErrorOf } from '#shared/errors/inbound.ts'
import type { DiagnosisCode } from '#shared/model/diagnosis.ts'

/** The sender's mistake in a few words. */
const diagnosed: Readonly<Record<Exclude<DiagnosisCode, 'unknown'>, string>> = {
  timestamp_in_seconds: 'Timestamp in seconds',
  signed_body_only: 'Signed the body alone',
  missing_dot: 'No dot after the timestamp',
  key_without_prefix: 'Key without whsec_',
  key_base64_decoded: 'Key was base64-decoded',
  digest_base64: 'Signature in base64',
  digest_uppercase: 'Signature in upper case',
  missing_scheme: 'Signature without sha256=',
  body_reserialized: 'Body changed after signing',
  old_secret: 'Signed with an old secret',
  other_connection: 'Another connection’s secret',
  secret_with_whitespace: 'Secret with white space',
  empty_body: 'Signed an empty body',
  body_bom: 'Byte order mark not signed as sent',
  body_crlf: 'Line ends changed after signing',
  body_latin1: 'Signed in another encoding',
  timestamp_mismatch: 'Signed another timestamp',
  body_before_timestamp: 'Body before the timestamp',
  signed_data_only: 'Signed only data',
  plain_sha256: 'Plain SHA-256 without a key',
  key_message_swapped: 'Key and message swapped',
  token_as_key: 'Inbound token used as the key',
  key_empty: 'Signed with an empty secret',
}

/**
 * Returns why a request was refused, in a few words.
 *
 * @param code of the refusal, such as `invalid_signature`.
 * @param diagnosis its code, if there is one.
 */
export function rejectionTitle(code: string, diagnosis: string | null): string {
  const found = Object.entries(diagnosed).find(([known]) => known === diagnosis)
  return found?.[1] ?? inboundErrorOf(code)?.title ?? code
}
