import { z } from 'zod'
import { Moment } from './identifiers.ts'

/** How far a search has looked. */
export const Searched = z.object({
  count: z.int().describe('How many it looked at for this page.'),
  backTo: Moment.describe('It looked at everything from this time on, since `before`.'),
  indexing: z
    .literal(true)
    .optional()
    .describe(
      'Present while the search index lacks some of these events: until it has them, a search is slower.',
    ),
})
export type Searched = z.infer<typeof Searched>

/** In a page that a filter or a search fills. */
export const searched = Searched.optional().describe(
  'Present if the page has ended early, to be answered at once: it may have fewer than `limit`, or none, and the next page goes on. Absent for a full page and at the end.',
)
