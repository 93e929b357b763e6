import { isNestedDeeper } from '#main/json/json-depth.ts'
import { argumentIssues } from '#main/outbound/arguments.ts'
import type { ActionRecord, Config, ConnectionRecord } from '#main/storage/config.ts'
import { isObject, parseExact } from '#shared/json/exact-json.ts'
import type { CallArguments } from '#shared/model/call.ts'
import type { Tool } from '#shared/model/tool.ts'

const maxDepth = 100

/** What happens to a call that the model asks for. */
export type Judgement =
  | { readonly kind: 'unknown_tool' }
  /** The arguments are not a JSON object. */
  | { readonly kind: 'unreadable'; readonly tool: Tool }
  /** It is made at once. Wrong arguments are refused by the call itself, before a request. */
  | { readonly kind: 'run'; readonly tool: Tool; readonly given: CallArguments }
  | { readonly kind: 'ask'; readonly tool: Tool; readonly given: CallArguments }

/**
 * Decides on a call: a GET runs, everything else asks, unless the person has said “always”, which never holds for a
 * DELETE. A call that cannot be made is not asked about.
 *
 * @param always ids of actions.
 */
export function judgeCall(
  { name, argumentsText }: { readonly name: string; readonly argumentsText: string },
  tools: readonly Tool[],
  config: Config,
  always: readonly string[],
): Judgement {
  const tool = tools.find(one => one.name === name)
  const target = tool === undefined ? null : targetOf(config, tool)
  if (tool === undefined || target === null) return { kind: 'unknown_tool' }
  const given = readArguments(argumentsText)
  if (given === null) return { kind: 'unreadable', tool }
  const isAllowed = tool.method === 'GET' || (tool.method !== 'DELETE' && always.includes(tool.actionId))
  const isRefused = argumentIssues(target.action.parameters, given).length > 0
  return { kind: isAllowed || isRefused ? 'run' : 'ask', tool, given }
}

export type CallTarget = { readonly connection: ConnectionRecord; readonly action: ActionRecord }

/** Returns the action of a tool as it is now; null if it is gone or off, or has another method than was decided on. */
export function targetOf(
  { connections }: Config,
  { connectionId, actionId, method }: Pick<Tool, 'connectionId' | 'actionId' | 'method'>,
): CallTarget | null {
  const connection = connections.get(connectionId)
  if (connection === undefined || !connection.enabled || connection.baseUrl === null) return null
  const action = connection.actions.find(one => one.actionId === actionId)
  return action?.isEnabled === true && action.method === method ? { connection, action } : null
}

function readArguments(text: string): CallArguments | null {
  if (text.trim() === '') return {}
  if (isNestedDeeper(text, maxDepth)) return null
  try {
    const value = parseExact(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}
