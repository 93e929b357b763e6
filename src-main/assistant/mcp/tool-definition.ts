import type { Tool as McpTool } from '@modelcontextprotocol/server'
import { annotationsOf } from '#main/assistant/tools.ts'
import type { ActionRecord } from '#main/storage/config.ts'
import type { Tool } from '#shared/model/tool.ts'
import type { ScopedTool } from './scope.ts'

const kept = new WeakMap<ActionRecord, Map<string, McpTool>>()

/** Returns a tool as MCP clients see it. The result is kept with the action, which is immutable. */
export function toolDefinition({
  name,
  tool,
  action,
}: Pick<ScopedTool, 'name' | 'tool' | 'action'>): McpTool {
  const known = kept.get(action) ?? new Map<string, McpTool>()
  const made = known.get(name) ?? define(name, action, tool)
  known.set(name, made)
  kept.set(action, known)
  return made
}

/** The effect of an action, by the meaning of its method in HTTP. */
export type Hints = ReturnType<typeof hintsOf>

export function hintsOf(action: Pick<ActionRecord, 'method'>) {
  const { readOnly, destructive } = annotationsOf(action)
  const idempotentHint = action.method !== 'POST' && action.method !== 'PATCH'
  return { readOnlyHint: readOnly, destructiveHint: destructive, idempotentHint }
}

function define(name: string, action: ActionRecord, { inputSchema }: Tool): McpTool {
  const { responseMapping } = action
  return {
    name,
    title: action.name,
    description: action.description,
    inputSchema: { ...inputSchema, type: 'object' },
    ...(responseMapping !== null && { outputSchema: outputSchemaOf(responseMapping) }),
    annotations: {
      title: action.name,
      ...hintsOf(action),
      openWorldHint: true,
    },
  }
}

const pathOf = (path: string) => (path === '$body' ? 'The whole response' : `${path} of the response`)

/** Returns the JSON Schema of a mapped response. A path that is absent gives null, so any value is valid. */
function outputSchemaOf(mapping: Readonly<Record<string, string>>) {
  return {
    type: 'object' as const,
    properties: Object.fromEntries(
      Object.entries(mapping).map(([alias, path]) => [alias, { description: pathOf(path) }]),
    ),
    required: Object.keys(mapping),
    additionalProperties: false,
  }
}
