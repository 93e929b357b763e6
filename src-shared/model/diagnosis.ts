import { z } from 'zod'

/** Causes of a refused signature or timestamp. */
export const DiagnosisCode = z.enum([
  'timestamp_in_seconds',
  'signed_body_only',
  'missing_dot',
  'key_without_prefix',
  'key_base64_decoded',
  'digest_base64',
  'digest_uppercase',
  'missing_scheme',
  'body_reserialized',
  'old_secret',
  'other_connection',
  'secret_with_whitespace',
  'empty_body',
  'body_bom',
  'body_crlf',
  'body_latin1',
  'timestamp_mismatch',
  'body_before_timestamp',
  'signed_data_only',
  'plain_sha256',
  'key_message_swapped',
  'token_as_key',
  'key_empty',
  'unknown',
])
export type DiagnosisCode = z.infer<typeof DiagnosisCode>

/** The matching mistake and its remedy. Never contains a secret or an expected signature. */
export const Diagnosis = z.object({
  code: DiagnosisCode,
  message: z.string().describe('One or two sentences for the developer of the sender.'),
  difference: z
    .object({ signed: z.string(), sent: z.string() })
    .optional()
    .describe('Excerpts of the signed and the sent body around the first difference.'),
})
export type Diagnosis = z.infer<typeof Diagnosis>
