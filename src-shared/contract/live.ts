import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { LiveMessage } from '../model/live.ts'
import { route } from './base.ts'

export const live = {
  follow: route('GET', '/live', {
    tag: 'live',
    summary: 'What a dashboard needs to stay up to date, as server-sent events',
    errors: ['connection_not_found'],
  })
    .input(
      z.object({
        activityOf: z
          .string()
          .optional()
          .describe('Also the activity of this connection, what is kept of it first; Last-Event-ID resumes.'),
      }),
    )
    .output(eventIterator(LiveMessage)),
}
