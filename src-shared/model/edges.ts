import { z } from 'zod'
import { TimeText } from '../time.ts'

/** Maximum number of edges of each kind in an answer. */
export const mostEdges = 2000

const Count = z.int()

export const EventEdge = z.object({
  connectionId: z.string(),
  eventName: z.string(),
  workflowId: z.string().nullable().describe('Null for events that started nothing.'),
  events: Count.describe('Those that started the workflow, or nothing.'),
  runs: Count,
  failed: Count.describe('Runs that failed in this time.'),
})
export type EventEdge = z.infer<typeof EventEdge>

export const CallEdge = z.object({
  connectionId: z.string(),
  toolName: z.string(),
  workflowId: z.string().nullable().describe('Null if none called it.'),
  client: z.boolean().describe('Whether over MCP.'),
  calls: Count,
  failed: Count,
})
export type CallEdge = z.infer<typeof CallEdge>

/** The edges of the map, counted. */
export const EdgeList = z.object({
  events: z.array(EventEdge).max(mostEdges).describe('Those that fail most first, then the busiest.'),
  calls: z.array(CallEdge).max(mostEdges).describe('In the same order.'),
  limited: z.boolean().describe('Whether some are left out.'),
})
export type EdgeList = z.infer<typeof EdgeList>

export const EdgeQuery = z.object({
  connectionId: z.string().optional(),
  workspaceId: z.string().optional(),
  since: TimeText.optional().describe('As of the counts of hours.'),
})
