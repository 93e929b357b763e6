import { z } from 'zod'
import { refuseRepeats, textUpTo } from './parts.ts'

/** A fixed answer, with variables in single braces: `Hello {customer_name}`. */
const TextResponse = z.object({
  key: z
    .string()
    .regex(
      /^[^\p{Cc}\s](?:[^\p{Cc}]{0,98}[^\p{Cc}\s])?$/u,
      'A key has 1 to 100 characters on one line, such as order_late.',
    ),
  text: textUpTo(4000).min(1, 'Write the answer.'),
})

/** An agent's text responses. */
export const TextResponses = z
  .array(TextResponse)
  .max(2000, 'There may be at most 2,000 text responses.')
  .superRefine(refuseRepeats('key', 'Another response has this key.'))
export type TextResponses = z.infer<typeof TextResponses>
