import { z } from 'zod'
import { ConnectionSummary } from './connection.ts'
import { ConnectionState } from './connection-status.ts'
import { maxPage } from './page.ts'
import { ConnectionStatistics } from './statistics.ts'

/** The orders of a list of connections: the newest event, the largest share that fails, the name, the most events in 24 hours, the newest or the oldest first. */
export const ConnectionSort = z.enum(['last-event', 'worst', 'name', 'events', 'created', 'oldest'])
export type ConnectionSort = z.infer<typeof ConnectionSort>

/** The filters of a list of connections. */
export const ConnectionSearch = z.object({
  workspaceId: z.string().optional(),
  text: z
    .string()
    .max(200)
    .optional()
    .describe('Only those with each word in the name, base URL, id or name of the last event.'),
  connectionIds: z.array(z.string()).max(maxPage).optional().describe('Only these.'),
  state: z
    .string()
    .transform(text => text.split(','))
    .pipe(z.array(ConnectionState).max(ConnectionState.options.length))
    .optional()
    .describe(
      `Only those in one of these states, a list with commas: ${ConnectionState.options.join(', ')}.`,
    ),
  storing: z.stringbool().or(z.boolean()).optional().describe('Only those that store their events.'),
})
export type ConnectionSearch = z.infer<typeof ConnectionSearch>

/** A connection with what it did in the last 24 hours. */
export const ListedRow = ConnectionSummary.extend({ statistics: ConnectionStatistics })
export type ListedRow = z.infer<typeof ListedRow>

export const ConnectionFigures = z.object({
  total: z.int().describe('All connections, whatever the text.'),
  eventTypes: z.int().describe('The event types of all connections.'),
  tools: z.int().describe('The tools of all connections.'),
  found: z.int().describe('The connections with the text.'),
  states: z.record(ConnectionState, z.int()).describe('Those of them in each state.'),
  accepted: z.int().describe('The events that all connections accepted in the last 24 hours.'),
  calls: z.int().describe('The calls that they made.'),
})
export type ConnectionFigures = z.infer<typeof ConnectionFigures>
