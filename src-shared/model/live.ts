import { z } from 'zod'
import { ActivityItem } from './activity.ts'
import { ListenerStatus } from './service.ts'
import { Statistics } from './statistics.ts'

/** A message of the dashboard's live stream. There is one stream, because browsers open six connections to a server. */
export const LiveMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('activity'), item: ActivityItem }),
  z.object({
    type: z.literal('statistics'),
    statistics: Statistics.describe('All connections first, then those that changed.'),
  }),
  z.object({
    type: z.literal('configuration').describe('Connections, actions or settings changed.'),
  }),
  z.object({ type: z.literal('listener'), listener: ListenerStatus }),
])
export type LiveMessage = z.infer<typeof LiveMessage>
