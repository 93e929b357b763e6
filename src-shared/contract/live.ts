import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { LiveMessage } from '../model/live.ts'
import { route } from './base.ts'

export const live = {
  follow: route('GET', '/live', {
    tag: 'live',
    summary: 'The live data of a dashboard, as server-sent events',
    errors: ['connection_not_found'],
  })
    .input(
      z.object({
        activityOf: z
          .string()
          .optional()
          .describe('Also send the activity of this connection, stored items first; Last-Event-ID resumes.'),
      }),
    )
    .output(eventIterator(LiveMessage)),
}
