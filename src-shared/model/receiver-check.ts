import { z } from 'zod'
import { CallId } from './identifiers.ts'

/** The calls of a receiver check, in the order in which they are sent. */
export const CheckId = z.enum([
  'accepted_now',
  'accepted_old',
  'accepted_header_case',
  'accepted_spacing',
  'refused_stale',
  'refused_future',
  'refused_unsigned',
  'refused_no_timestamp',
  'refused_empty_signature',
  'refused_tampered',
  'refused_timestamp_changed',
  'refused_wrong_secret',
  'refused_replaced_secret',
  'survives_replay',
  'survives_not_json',
])
export type CheckId = z.infer<typeof CheckId>

export const Expectation = z.enum(['accepted', 'refused', 'survived'])
export type Expectation = z.infer<typeof Expectation>

/** Returns what a right receiver does with a call, which the name of its check begins with. */
export function expectationOf(id: CheckId): Expectation {
  if (id.startsWith('accepted_')) return 'accepted'
  return id.startsWith('refused_') ? 'refused' : 'survived'
}

export const AdviceCode = z.enum([
  'no_window',
  'seconds',
  'no_absolute',
  'compared_after_parsing',
  'key_without_prefix',
  'key_decoded',
  'body_alone',
  'empty_accepted',
  'missing_accepted',
  'case_sensitive',
  'old_secret_accepted',
  'crashes',
  'redirects',
  'slow',
])
export type AdviceCode = z.infer<typeof AdviceCode>

/** Why a check has its verdict. `reasonWords` has a sentence for each. */
export const CheckReason = z.enum([
  'accepted',
  'refused',
  'not_401',
  'server_error',
  'redirect',
  'unusual_status',
  'answers_differ',
  'not_json_accepted',
  'effects_not_allowed',
  'no_body',
  'body_is_not_json',
  'nothing_to_respell',
  'no_replaced_secret',
  'out_of_time',
])
export type CheckReason = z.infer<typeof CheckReason>

export const CheckVerdict = z.enum(['passed', 'failed', 'look', 'skipped'])
export type CheckVerdict = z.infer<typeof CheckVerdict>

export const CheckAdvice = z.object({
  code: AdviceCode,
  lines: z
    .record(z.string(), z.string())
    .describe(
      'What to change in a receiver, by language: lines begin with `+ ` (added), `- ` (removed) or two spaces.',
    ),
})
export type CheckAdvice = z.infer<typeof CheckAdvice>

/** The outcome of one check. */
export const Check = z.object({
  id: CheckId,
  expected: Expectation,
  status: z.int().nullable().describe('Null without a response.'),
  verdict: CheckVerdict.describe('`look`: the answer proves nothing, so a person has to look.'),
  reason: z
    .string()
    .nullable()
    .describe(
      'Why: a code of the check, such as `not_401` or `no_body`, or that of the failed call; null if nothing is to say.',
    ),
  tookMs: z.number().nullable().describe('Null if no request was sent.'),
  callId: CallId.nullable().describe('The record of the call; null if none was made.'),
  advice: CheckAdvice.nullable().describe('The mistake that explains it; null if it is not known.'),
})
export type Check = z.infer<typeof Check>

/** The outcome of all chosen checks. */
export const ReceiverCheck = z.object({
  verdict: CheckVerdict.exclude(['skipped']).describe(
    '`failed` if one failed, else `look` if one has to be looked at. Skipped ones do not count.',
  ),
  checks: z.array(Check),
})
export type ReceiverCheck = z.infer<typeof ReceiverCheck>

/** Returns the verdict on all checks. Skipped ones do not count. */
export function verdictOf(verdicts: readonly CheckVerdict[]): Exclude<CheckVerdict, 'skipped'> {
  if (verdicts.includes('failed')) return 'failed'
  return verdicts.includes('look') ? 'look' : 'passed'
}
