import { z } from 'zod'
import { TimeInput } from '../../time.ts'
import { Diagnosis } from '../diagnosis.ts'
import { Headers } from '../inbound-event.ts'
import { presets } from './sender.ts'
import { templateFields } from './sender-template.ts'
import { parseSignedText, SignedTextError } from './signed-text.ts'
import { Verification } from './verification.ts'

/** Characters of a captured request, or of its body. */
const maxText = 1024 * 1024

/** A sender as it is being described: its fields may not fit together yet. */
const UnfinishedTemplate = z.object({
  scheme: z.literal('template'),
  ...templateFields,
  signed: templateFields.signed.superRefine((signed, context) => {
    if (signed === undefined) return
    try {
      parseSignedText(signed)
    } catch (error) {
      if (!(error instanceof SignedTextError)) throw error
      context.addIssue({ code: 'custom', message: error.message })
    }
  }),
})

/** A sender that may not be saved yet. */
export const TriedSender = z.discriminatedUnion('scheme', [...presets, UnfinishedTemplate])

/** A request to verify: its header fields and body, a captured text, or a refused request. */
export const TriedRequest = z.object({
  headers: Headers.max(100).optional().describe('As received, with the signature.'),
  body: z.string().max(maxText).optional().describe('Exactly as sent.'),
  method: z.enum(['GET', 'HEAD', 'POST']).optional().describe('By default POST.'),
  query: z.string().max(maxText).optional().describe('Of its URL, without the question mark.'),
  text: z
    .string()
    .max(maxText)
    .optional()
    .describe(
      'Instead of `headers` and `body`: header lines, an empty line and the body, perhaps after a request line; or a curl command.',
    ),
  attemptId: z.string().optional().describe('Instead of them: a refused request that is kept.'),
  at: TimeInput.optional().describe(
    'When the request arrived. Without it, the timestamp may be up to 30 days old.',
  ),
  sender: TriedSender.optional().describe('By default that of the connection.'),
  secret: z.string().max(1000).optional().describe('By default the secret that is set.'),
})

/** Events of a list that a trial names. */
export const maxTriedItems = 20

/** A captured request, verified with a sender that may not be saved yet. */
export const SenderTrial = Verification.extend({
  diagnosis: Diagnosis.nullable().describe('The mistake that explains a refused signature or timestamp.'),
  headers: Headers,
  bodyText: z.string(),
  refused: z
    .object({
      total: z.int().describe('The refused requests of the last 24 hours that are kept.'),
      accepted: z.int().describe('How many of them this sender accepts.'),
      eventNames: z.array(z.string()).describe('The names of their events, each once.'),
    })
    .nullable()
    .describe('Null if the request is refused.'),
  items: z
    .object({
      total: z.int(),
      first: z.array(
        z.object({
          eventName: z.string(),
          workflows: z.int().describe('How many workflows it would start.'),
        }),
      ),
    })
    .optional()
    .describe(`For a list: how many events it has, and the first ${maxTriedItems}.`),
})
export type SenderTrial = z.infer<typeof SenderTrial>
