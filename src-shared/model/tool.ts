import { z } from 'zod'
import { ActionId, ConnectionId } from './identifiers.ts'
import { Method } from './method.ts'
import { ToolName } from './tool-name.ts'

/** Whether a model gets all tools, or three with which it finds, reads and calls the others. */
export const ToolListing = z.enum(['all', 'on demand'])
export type ToolListing = z.infer<typeof ToolListing>

/** An action as the assistant sees it. */
export const Tool = z.object({
  name: z
    .string()
    .describe(
      'The combined name, unique in the service: at most 64 of the characters a–z, A–Z, 0–9, _ and -.',
    ),
  connectionId: ConnectionId,
  actionId: ActionId,
  toolName: ToolName,
  method: Method,
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()).describe('JSON Schema of the arguments.'),
  annotations: z.object({
    readOnly: z.boolean().describe('A GET.'),
    destructive: z.boolean().describe('A DELETE.'),
  }),
})
export type Tool = z.infer<typeof Tool>
