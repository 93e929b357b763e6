import { z } from 'zod'
import { ActivityItem } from './activity.ts'
import { RunId } from './identifiers.ts'
import { ListenerStatus } from './service.ts'
import { Statistics } from './statistics.ts'

/** Maximum number of ids in one message about runs. */
export const maxRunIds = 100

/** A message of the dashboard's live stream. There is one stream, because browsers open six connections to a server. */
export const LiveMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('activity'), item: ActivityItem }),
  z.object({
    type: z.literal('statistics'),
    statistics: Statistics.describe('All connections first, then those that changed.'),
  }),
  z.object({
    type: z.literal('configuration').describe('Connections, actions, settings or files of agents changed.'),
  }),
  z.object({
    type: z.literal('runs.changed'),
    runIds: z.array(RunId).max(maxRunIds),
    more: z.boolean().describe('Whether other runs changed too, or new ones came.'),
  }),
  z.object({
    type: z
      .literal('assistant')
      .describe('The connected MCP clients, their tokens or the held calls changed.'),
  }),
  z.object({
    type: z.literal('conversations').describe('A list of conversations changed.'),
  }),
  z.object({ type: z.literal('listener'), listener: ListenerStatus }),
])
export type LiveMessage = z.infer<typeof LiveMessage>
