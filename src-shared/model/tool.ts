import { z } from 'zod'
import { ConnectionId } from './identifiers.ts'
import { ToolName } from './tool-name.ts'

/** An action as the assistant sees it (decisions: Assistant). */
export const Tool = z.object({
  name: z.string().describe('The combined name, unique in the service.'),
  connectionId: ConnectionId,
  toolName: ToolName,
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()).describe('JSON Schema of the arguments.'),
})
export type Tool = z.infer<typeof Tool>
