import { z } from 'zod'
import { DataSource, EventNameSource, templateFields } from './sender-template.ts'

/** `not_used`: the scheme has no such check. `not_reached`: an earlier one failed. */
export const StepState = z.enum(['passed', 'failed', 'not_used', 'not_reached'])
export type StepState = z.infer<typeof StepState>
export const StepMessage = z.string().nullable().describe('Why it failed; null unless it did.')

const result = { state: StepState, message: StepMessage }

/** One check of a request with what it found. */
export const VerificationStep = z.discriminatedUnion('step', [
  z.object({ step: z.literal('header'), ...result, header: z.string() }),
  z.object({ step: z.literal('prefix'), ...result, prefix: z.string() }),
  z.object({
    step: z.literal('encoding'),
    ...result,
    encoding: templateFields.encoding,
    bytes: z.int().describe('The length of the digest.'),
  }),
  z.object({
    step: z.literal('time'),
    ...result,
    header: z.string().nullable(),
    text: z.string().nullable().describe('The timestamp as sent.'),
    at: z.string().nullable().describe('The same as ISO 8601.'),
    ageMs: z.number().nullable().describe('Negative for a time in the future.'),
  }),
  z.object({
    step: z.literal('signed_text'),
    ...result,
    template: z.string(),
    text: z.string().describe('The beginning of the signed text, at most 200 characters.'),
    bytes: z.int().describe('The length of the whole signed text.'),
  }),
  z.object({
    step: z.literal('signature'),
    ...result,
    secret: z.enum(['current', 'previous']).nullable().describe('The secret that made it.'),
  }),
  z.object({
    step: z.literal('event_name'),
    ...result,
    source: EventNameSource,
    value: z.string().nullable(),
  }),
  z.object({
    step: z.literal('data'),
    ...result,
    source: DataSource,
    fields: z.array(z.string()).describe('The names of its first 20 fields.'),
    events: z.int().optional().describe('How many events its list has.'),
  }),
])
export type VerificationStep = z.infer<typeof VerificationStep>

/** How a request would be verified. */
export const Verification = z.object({
  ok: z.boolean().describe('Whether it would be accepted.'),
  code: z.string().nullable().describe('The error code of the inbound endpoint; null if it is accepted.'),
  message: z.string().nullable().describe('What the sender would be told.'),
  challenge: z
    .string()
    .nullable()
    .describe('For a question of the sender: the body that it is answered with, which may be empty.'),
  steps: z.array(VerificationStep),
})
export type Verification = z.infer<typeof Verification>
