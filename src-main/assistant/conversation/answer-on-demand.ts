import { toolDefinition } from '#main/assistant/mcp/tool-definition.ts'
import { foundTools, noSuchTool, readOnDemand } from '#main/assistant/on-demand.ts'
import { readArguments } from '#main/assistant/read-arguments.ts'
import type { SearchedConnection } from '#main/assistant/search/tool-search.ts'
import { isOffered, toolOf, toolOfWorkspace } from '#main/assistant/tools.ts'
import { maskArguments } from '#main/outbound/masking.ts'
import type { Config } from '#main/storage/config.ts'
import type { ToolCallPart } from '#shared/model/conversation.ts'
import { masked } from './answer-calls.ts'
import type { AnswerParts } from './answer-parts.ts'
import type { AskedCall } from './model-stream.ts'
import { changeCall, unexpectedError, withPart } from './transcript.ts'

/**
 * Carries out a call of `find_tools`, `describe_tool` or `call_tool`. Never rejects.
 *
 * @param start makes the call of a tool, like one that the model has asked for by the tool’s own name.
 */
export async function startOnDemand(
  parts: AnswerParts,
  asked: AskedCall,
  start: (asked: AskedCall) => Promise<void>,
): Promise<void> {
  const { session, config, toolSearch, newToolCallId, now, onError } = parts
  const given = readArguments(asked.argumentsText)
  const request = readOnDemand(asked.name, given ?? {})
  if (request?.kind === 'call')
    return start({ ...asked, name: request.name, argumentsText: JSON.stringify(request.arguments) })
  const toolCallId = newToolCallId()
  const part: ToolCallPart = {
    ...{ type: 'call', toolCallId, name: asked.name, toolName: asked.name },
    ...{ connectionId: null, actionId: null, method: null, edited: false, callId: null, status: null },
    arguments: maskArguments(given ?? {}, parts.secrets()),
    ...{ state: 'running', decision: 'automatic', decidedAt: now(), totalMs: null },
    ...{ resultText: null, error: null },
  }
  session.change(transcript => withPart(transcript, part))
  const startedAt = performance.now()
  function end(change: Partial<ToolCallPart>): void {
    const totalMs = performance.now() - startedAt
    session.change(transcript => changeCall(transcript, toolCallId, { ...change, totalMs }))
  }
  const answer = (text: string) => end({ state: 'answered', resultText: masked(parts, text) })
  function fail(code: string, message: string): void {
    end({ state: 'failed', resultText: message, error: { code, message } })
  }
  const { workspaceId } = session.now()
  if (asked.isCut) return fail('model_output_cut', 'The answer was cut in the middle of this call.')
  switch (request?.kind) {
    case 'find':
      try {
        const searched = connectionsOf(config(), workspaceId)
        const { found } = await toolSearch.find(searched, request.query, request.limit)
        answer(
          foundTools(
            found,
            ({ connection, action }) => toolOf(config(), connection.connectionId, action.actionId)?.tool.name,
          ),
        )
      } catch (error) {
        onError(error)
        end({ state: 'failed', error: unexpectedError(error) })
      }
      return
    case 'describe': {
      const entry = toolOfWorkspace(config(), workspaceId, request.name)
      if (entry === undefined) return fail('unknown_tool', noSuchTool(request.name))
      return answer(JSON.stringify(toolDefinition({ ...entry, name: entry.tool.name })))
    }
    case 'invalid':
      return fail('invalid_arguments', masked(parts, request.problem))
  }
}

function* connectionsOf({ connections }: Config, workspaceId: string): Generator<SearchedConnection> {
  for (const connection of connections.values())
    if (isOffered(connection) && connection.workspaceId === workspaceId)
      yield { connection, isWanted: ({ isEnabled }) => isEnabled }
}
