import { z } from 'zod'
import { Diagnosis } from './diagnosis.ts'
import { AttemptId, Moment } from './identifiers.ts'
import { Headers } from './inbound-event.ts'

/** A refused inbound request. */
export const Attempt = z.object({
  attemptId: AttemptId,
  at: Moment,
  code: z.string(),
  message: z.string(),
  data: z.object({ index: z.int() }).optional().describe('The event of a list that was wrong, from 0.'),
  diagnosis: Diagnosis.nullable().describe(
    'The common mistake that explains a refused signature or timestamp.',
  ),
  headers: Headers,
  bodyText: z
    .string()
    .describe('At most the first 8 KiB. Empty after a restart, unless the connection stores its events.'),
})
export type Attempt = z.infer<typeof Attempt>
