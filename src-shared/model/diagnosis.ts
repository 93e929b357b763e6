import { z } from 'zod'
import { Algorithm } from './sender/sender-template.ts'
import { schemeNames } from './sender/templates.ts'

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
  'timestamp_in_milliseconds',
  'other_signed_text',
  'other_prefix',
  'digest_hex',
  'other_algorithm',
  'key_not_decoded',
  'connection_secret',
  'no_secret',
  'other_scheme',
  'other_header',
  'other_verify_token',
  'other_handshake',
  'unknown',
])
export type DiagnosisCode = z.infer<typeof DiagnosisCode>

/** A scheme that senders sign with. */
export const SchemeName = z.enum(schemeNames)

/** Fields of a scheme that differ from those of a connection's. */
export const TemplateChange = z
  .object({
    signatureHeader: z.string(),
    prefix: z.string(),
    encoding: z.enum(['hex', 'base64']),
    algorithm: Algorithm,
    key: z.enum(['text', 'base64']),
    signed: z.string(),
    timestampHeader: z.string(),
    timestampUnit: z.enum(['s', 'ms']),
    idHeader: z.string(),
  })
  .partial()
export type TemplateChange = z.infer<typeof TemplateChange>

/** The matching mistake and its remedy. Never contains a secret or an expected signature. */
export const Diagnosis = z.object({
  code: DiagnosisCode,
  message: z.string().describe('One or two sentences for the developer of the sender.'),
  difference: z
    .object({ signed: z.string(), sent: z.string() })
    .optional()
    .describe('Excerpts of the signed and the sent body around the first difference.'),
  scheme: SchemeName.optional().describe(
    'The scheme by which the request was checked; absent for that of Custom Connection.',
  ),
  recognized: SchemeName.optional().describe('The other scheme that the headers of the request belong to.'),
  change: TemplateChange.optional().describe('The fields of a scheme with which the request would verify.'),
})
export type Diagnosis = z.infer<typeof Diagnosis>
