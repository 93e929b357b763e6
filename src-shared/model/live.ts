import { z } from 'zod'
import { ConnectionId, RunId } from './identifiers.ts'
import { ListenerStatus } from './service.ts'
import { Statistics } from './statistics.ts'

/** Maximum number of ids in one message. */
export const maxChangedIds = 100

/** A message of the dashboard's live stream. There is one stream, because browsers open six connections to a server. */
export const LiveMessage = z.discriminatedUnion('type', [
  z.object({
    type: z
      .literal('statistics')
      .describe(
        'The connections that changed. None: all may have changed, as at the start of the stream and of an hour.',
      ),
    statistics: Statistics,
  }),
  z.object({
    type: z.literal('configuration').describe('Connections, actions, settings or files of agents changed.'),
  }),
  z.object({
    type: z.literal('runs.changed'),
    runIds: z.array(RunId).max(maxChangedIds),
    more: z.boolean().describe('Whether other runs changed too, or new ones came.'),
  }),
  z.object({
    type: z.literal('activity.changed').describe('Lists of what happened have something newer.'),
    connectionIds: z.array(ConnectionId).max(maxChangedIds),
    more: z.boolean().describe('Whether something happened elsewhere too: at other connections, or at none.'),
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
