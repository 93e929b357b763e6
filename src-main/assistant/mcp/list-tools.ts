import { type ListToolsResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { placeOfTool, type ToolPlace } from '#main/assistant/tools.ts'
import { firstOf } from '#main/lib/first-of.ts'
import type { Config } from '#main/storage/config.ts'
import { ServiceError } from '#shared/errors.ts'
import { type McpScope, scopedTools } from './scope.ts'
import { toolDefinition } from './tool-definition.ts'

/**
 * The number of tools in one answer. Clients that ignore cursors see all of them up to here; more would block the event
 * loop for longer than 10 ms.
 */
export const toolsPerPage = 500

/**
 * Returns a page of the tools that a token may call at an address. A cursor is the place of the last tool of the page
 * before, so it stays valid whatever is added or removed, and grants nothing: each page is made for its own scope.
 *
 * @throws ProtocolError for a cursor that cannot be read, or whose connection was removed long ago.
 */
export function listToolPage(config: Config, scope: McpScope, cursor: string | undefined): ListToolsResult {
  const after = cursor === undefined ? null : placeIn(cursor)
  const tools = knownPlace(() => firstOf(scopedTools(config, scope, after), toolsPerPage + 1))
  const page = tools.slice(0, toolsPerPage)
  const last = page.at(-1)
  return {
    tools: page.map(toolDefinition),
    ...(last !== undefined && tools.length > page.length && { nextCursor: cursorOf(placeOfTool(last)) }),
  }
}

function cursorOf({ connectionId, actionId, index }: ToolPlace): string {
  return `${connectionId}.${actionId}.${index}`
}

function placeIn(cursor: string): ToolPlace {
  const [, connectionId, actionId, index] = /^([\w-]+)\.([\w-]+)\.(\d{1,9})$/.exec(cursor) ?? []
  if (connectionId === undefined || actionId === undefined) throw invalidCursor()
  return { connectionId, actionId, index: Number(index) }
}

function knownPlace<Result>(list: () => Result): Result {
  try {
    return list()
  } catch (error) {
    throw error instanceof ServiceError ? invalidCursor() : error
  }
}

function invalidCursor(): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'The cursor is not valid any more. List the tools again, without a cursor.',
  )
}
