import type { CallToolResult, Tool as McpTool } from '@modelcontextprotocol/server'
import { foundTools, noSuchTool, onDemandTools, readOnDemand } from '#main/assistant/on-demand.ts'
import type { ToolSearch } from '#main/assistant/search/tool-search.ts'
import type { Config } from '#main/storage/config.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { ToolCall, ToolCaller } from './call-tool.ts'
import { findScoped, type McpScope, scopedConnections, scopedTool } from './scope.ts'
import { type Hints, hintsOf, toolDefinition } from './tool-definition.ts'
import { refusalResult } from './tool-result.ts'

/** The lists by the hints of `call_tool`, so that equal ones are identical. */
const lists = new Map<string, readonly McpTool[]>()

/** Returns the three tools of a client that finds its tools on demand. `call_tool` has the strictest hints of them all. */
export function listOnDemand(config: Config, scope: McpScope): readonly McpTool[] {
  const hints = strictestHints(config, scope)
  const key = JSON.stringify(hints)
  const list = lists.get(key) ?? define(hints)
  lists.set(key, list)
  return list
}

function define(hints: Hints): readonly McpTool[] {
  const { find, describe, call } = onDemandTools
  const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
  const tool = (
    { title, inputSchema, ...given }: (typeof onDemandTools)[keyof typeof onDemandTools],
    annotations: McpTool['annotations'],
  ): McpTool => ({
    ...given,
    title,
    inputSchema: { ...inputSchema, required: [...inputSchema.required] },
    annotations: { title, ...annotations },
  })
  return [tool(find, reads), tool(describe, reads), tool(call, { ...hints, openWorldHint: true })]
}

function strictestHints(config: Config, scope: McpScope): Hints {
  const strictest = { readOnlyHint: true, destructiveHint: false, idempotentHint: true }
  for (const { connection, isWanted } of scopedConnections(config, scope))
    for (const action of connection.actions) {
      if (!isWanted(action)) continue
      const { readOnlyHint, destructiveHint, idempotentHint } = hintsOf(action)
      strictest.readOnlyHint &&= readOnlyHint
      strictest.destructiveHint ||= destructiveHint
      strictest.idempotentHint &&= idempotentHint
      if (strictest.destructiveHint && !strictest.idempotentHint) return strictest
    }
  return strictest
}

/**
 * Carries out a call of one of the three tools; null for a call of any other. A tool that the token may not call is
 * answered like one that does not exist.
 */
export async function callOnDemand(
  parts: {
    readonly store: Pick<ConfigStore, 'snapshot'>
    readonly callTool: ToolCaller
    readonly search: ToolSearch
  },
  call: ToolCall,
): Promise<CallToolResult | null> {
  const { store, callTool, search } = parts
  const { scope } = call
  const request = readOnDemand(call.name, call.arguments)
  switch (request?.kind) {
    case undefined:
      return null
    case 'invalid':
      return refusalResult(request.problem, 'invalid_arguments')
    case 'find': {
      call.client.seen()
      const config = store.snapshot()
      const { found } = await search.find(scopedConnections(config, scope), request.query, request.limit)
      const text = foundTools(found, tool => scopedTool(config, scope, tool)?.name)
      return textResult(...(found.length === 0 ? [text, nothingFits] : [text]))
    }
    case 'describe': {
      call.client.seen()
      const tool = findScoped(store.snapshot(), scope, request.name)
      return tool === undefined || tool.permission === 'refuse'
        ? unknown(request.name)
        : textResult(JSON.stringify(toolDefinition(tool)))
    }
    case 'call': {
      const result = await callTool({ ...call, name: request.name, arguments: request.arguments })
      return result === 'unknown tool' ? unknown(request.name) : result
    }
  }
}

const nothingFits = 'Nothing fits. Tools are found by name, description and parameters: try other words.'
const unknown = (name: string) => refusalResult(noSuchTool(name), 'unknown_tool')

function textResult(...texts: string[]): CallToolResult {
  return { content: texts.map(text => ({ type: 'text', text })) }
}
