import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { LiveMessage } from '../model/live.ts'
import { routesOf } from './base.ts'

const route = routesOf('live')

export const live = {
  follow: route('GET', '/live', 'The live data of a dashboard, as server-sent events')
    .input(
      z.object({
        since: z
          .string()
          .max(200)
          .optional()
          .describe('The id of the last message of another stream: first announces what changed after it.'),
      }),
    )
    .output(eventIterator(LiveMessage)),
}
