import { z } from 'zod'
import { refuseRepeats, textUpTo } from './parts.ts'

const keySentence = 'A key has 1 to 100 characters on one line, such as order_late.'

/** A fixed answer, with variables in single braces: `Hello {customer_name}`. */
const TextResponse = z.object({
  key: z
    .string()
    .min(1, keySentence)
    .max(100, keySentence)
    .refine(key => key.trim() === key && !/\p{Cc}/u.test(key), keySentence),
  text: textUpTo(4000).min(1, 'Write the answer.'),
})

/** An agent's text responses. */
export const TextResponses = z
  .array(TextResponse)
  .max(2000, 'There may be at most 2,000 text responses.')
  .superRefine(refuseRepeats('key', 'Another response has this key.'))
export type TextResponses = z.infer<typeof TextResponses>
