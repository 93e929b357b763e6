import type { Tool as McpTool } from '@modelcontextprotocol/server'
import type { ActionRecord } from '#main/storage/config.ts'
import type { Tool } from '#shared/model/tool.ts'
import type { ScopedTool } from './scope.ts'

const kept = new WeakMap<ActionRecord, Map<string, McpTool>>()

/** Returns a tool as MCP clients see it. The result is kept with the action, which is immutable. */
export function toolDefinition({ name, tool, action }: ScopedTool): McpTool {
  const known = kept.get(action) ?? new Map<string, McpTool>()
  const made = known.get(name) ?? define(name, action, tool)
  known.set(name, made)
  kept.set(action, known)
  return made
}

function define(name: string, action: ActionRecord, { inputSchema, annotations }: Tool): McpTool {
  const { method, responseMapping } = action
  return {
    name,
    title: action.name,
    description: action.description,
    inputSchema: { ...inputSchema, type: 'object' },
    ...(responseMapping !== null && { outputSchema: outputSchemaOf(responseMapping) }),
    annotations: {
      title: action.name,
      readOnlyHint: annotations.readOnly,
      destructiveHint: annotations.destructive,
      // By the meaning of the methods in HTTP.
      idempotentHint: method !== 'POST' && method !== 'PATCH',
      openWorldHint: true,
    },
  }
}

/** Returns the JSON Schema of a mapped response. A path that is absent gives null, so any value is valid. */
function outputSchemaOf(mapping: Readonly<Record<string, string>>) {
  return {
    type: 'object' as const,
    properties: Object.fromEntries(
      Object.entries(mapping).map(([alias, path]) => [alias, { description: `${path} of the response` }]),
    ),
    required: Object.keys(mapping),
    additionalProperties: false,
  }
}
