import { z } from 'zod'
import { textUpTo } from './parts.ts'

/** A fixed answer, with variables in single braces: `Hello {customer_name}`. */
const TextResponse = z.object({
  key: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,100}$/, 'A key has 1 to 100 letters, digits, dots, - or _: order_late.'),
  text: textUpTo(4000).min(1, 'Write the answer.'),
})

/** An agent's text responses. */
export const TextResponses = z
  .array(TextResponse)
  .max(2000, 'There may be at most 2,000 text responses.')
  .superRefine((responses, context) => {
    const seen = new Set<string>()
    for (const [index, { key }] of responses.entries()) {
      if (seen.has(key))
        context.addIssue({
          code: 'custom',
          path: [index, 'key'],
          message: `Another response has the key ${key}.`,
        })
      seen.add(key)
    }
  })
export type TextResponses = z.infer<typeof TextResponses>
