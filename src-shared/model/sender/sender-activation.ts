import { z } from 'zod'
import { Moment } from '../identifiers.ts'

/** How far the sender of a connection is with the questions that it asks before it sends. */
export const SenderActivation = z.object({
  state: z
    .enum(['not_needed', 'waiting', 'answered', 'verified'])
    .describe('`verified`: a request with a right proof came, too.'),
  at: Moment.nullable().describe('When a question was first answered.'),
  verifiedAt: Moment.nullable().describe('When a request with a right proof last came; null before.'),
  detail: z.string().nullable().describe('The next step, or null.'),
  openUrl: z.string().optional().describe('An address of the sender that its owner can open instead.'),
})
export type SenderActivation = z.infer<typeof SenderActivation>
