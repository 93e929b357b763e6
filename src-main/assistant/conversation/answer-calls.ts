import { noSuchTool } from '#main/assistant/on-demand.ts'
import { type CatalogueEntry, toolOfWorkspace, toolsAfter, unchanged } from '#main/assistant/tools.ts'
import { firstOf } from '#main/lib/first-of.ts'
import { actionRequest } from '#main/outbound/action-request.ts'
import type { TakenArguments } from '#main/outbound/arguments.ts'
import { assistantText } from '#main/outbound/assistant-text.ts'
import { maskArguments } from '#main/outbound/masking.ts'
import type { Config, ConnectionRecord } from '#main/storage/config.ts'
import { type RefusalCode, refusalErrors } from '#shared/errors/assistant.ts'
import type { CallArguments } from '#shared/model/call.ts'
import type { ToolCallPart } from '#shared/model/conversation.ts'
import type { AnswerParts } from './answer-parts.ts'
import { authorizeCall } from './authorize-call.ts'
import { applyDecision, callKind, type Decision, type WaitingCall } from './decide-call.ts'
import type { AskedCall } from './model-stream.ts'
import { changeCall, unexpectedError, withPart } from './transcript.ts'
import type { WorkClock } from './work-clock.ts'

/** Adds a call of the model to the answer, and makes it as soon as it may be made. Never rejects. */
export async function startCall(
  parts: AnswerParts,
  asked: AskedCall,
  waiting: Map<string, WaitingCall>,
  clock: WorkClock,
  signal: AbortSignal,
): Promise<void> {
  const { session, config, newToolCallId, now } = parts
  const toolCallId = newToolCallId()
  const { workspaceId, always, tools: listing } = session.now()
  const find = (wanted: string) => toolOfWorkspace(config(), workspaceId, wanted)
  const authorization = authorizeCall(asked, find, always)
  const tool = authorization.kind === 'unknown_tool' ? null : authorization.target.tool
  const taken: TakenArguments = 'given' in authorization ? authorization : { given: {}, converted: [] }
  const { given, converted } = taken
  // Masked before it is cut, since a part of a secret is not recognized.
  const name = masked(parts, asked.name).slice(0, 200)
  const call: ToolCallPart = {
    ...{ type: 'call', toolCallId, edited: false, callId: null, status: null, totalMs: null },
    name,
    connectionId: tool?.connectionId ?? null,
    actionId: tool?.actionId ?? null,
    toolName: tool?.toolName ?? name,
    method: tool?.method ?? null,
    arguments: maskArguments(given, parts.secrets()),
    ...{ state: 'running', decision: null, decidedAt: null, resultText: null, error: null },
  }
  const add = (more: Partial<ToolCallPart>) =>
    session.change(transcript => withPart(transcript, { ...call, ...more }))
  switch (authorization.kind) {
    case 'unknown_tool': {
      refuseCall(parts, call, {}, 'unknown_tool')
      const unknown =
        listing === 'all'
          ? unknownTool(call.name, config(), workspaceId)
          : `${noSuchTool(call.name)} No call was made.`
      return add({ state: 'unknown_tool', resultText: unknown })
    }
    case 'cut': {
      const message = 'The answer was cut in the middle of this call. No request was sent.'
      return add({ state: 'failed', resultText: message, error: { code: 'model_output_cut', message } })
    }
    case 'unreadable': {
      const message = 'The arguments are not a JSON object. No request was sent.'
      return add({ state: 'failed', resultText: message, error: { code: 'invalid_arguments', message } })
    }
    case 'run':
      add({ decision: 'automatic', decidedAt: now() })
      return runCall(parts, toolCallId, authorization.target, taken, signal)
    case 'ask': {
      add({ state: 'asking' })
      waiting.set(toolCallId, { target: authorization.target, given, converted })
      const decision = await ask(parts, toolCallId, waiting, clock, signal)
      if (decision?.kind !== 'call')
        return refuseCall(parts, call, given, decision === null ? 'call_cancelled' : 'call_declined')
      return runCall(parts, toolCallId, authorization.target, decision, signal)
    }
  }
}

function refuseCall(
  { refuse }: AnswerParts,
  {
    connectionId,
    actionId,
    toolName,
    method,
  }: Pick<ToolCallPart, 'connectionId' | 'actionId' | 'toolName' | 'method'>,
  given: CallArguments,
  code: RefusalCode,
): void {
  const source = 'conversation'
  refuse({ connectionId, actionId, toolName, method, arguments: given, code, source, client: null })
}

const mostNames = 50

function unknownTool(name: string, config: Config, workspaceId: string): string {
  const ofWorkspace = { connection: (record: ConnectionRecord) => record.workspaceId === workspaceId }
  const names = firstOf(toolsAfter(config, null, ofWorkspace), mostNames).map(({ tool }) => tool.name)
  const known = names.length === 0 ? 'There are no tools.' : `The tools are: ${names.join(', ')}.`
  return `There is no tool ${JSON.stringify(name)}. No call was made. ${known}`
}

/** Resolves with the decision of a person, which it applies; null if the answer ends before it. Never rejects. */
async function ask(
  parts: AnswerParts,
  toolCallId: string,
  waiting: Map<string, WaitingCall>,
  clock: WorkClock,
  signal: AbortSignal,
): Promise<Decision | null> {
  const decisions: Decision[] = []
  const call = { ...{ id: toolCallId, kind: callKind, doc: '{}', size: 0 }, expiresAt: null }
  function settle(): void {
    if (waiting.delete(toolCallId)) clock.decided()
  }
  clock.ask()
  try {
    await parts.holder.hold(call, signal, null, text => {
      decisions.push(applyDecision(parts, waiting, toolCallId, text))
      settle()
    })
  } catch (error) {
    parts.onError(error)
  }
  settle()
  return decisions[0] ?? null
}

async function runCall(
  parts: AnswerParts,
  toolCallId: string,
  decided: CatalogueEntry,
  { given, converted }: TakenArguments,
  signal: AbortSignal,
): Promise<void> {
  const { session, config, calls, onError } = parts
  const change = (more: Partial<ToolCallPart>) =>
    session.change(transcript => changeCall(transcript, toolCallId, more))
  const target = unchanged(config(), decided)
  if (target === null) {
    const message = refusalErrors.tool_changed
    refuseCall(parts, decided.tool, given, 'tool_changed')
    return change({
      ...{ state: 'unknown_tool', resultText: `${message} No call was made.` },
      error: { code: 'tool_changed', message },
    })
  }
  try {
    const { conversationId } = session.now()
    const initiator = { source: 'conversation', conversationId, converted } as const
    const outcome = await calls.run(actionRequest(target.connection, target.action, given, initiator), signal)
    const { ok, response, error, callId, timings } = outcome
    change({
      state: ok ? 'answered' : 'failed',
      callId,
      status: response?.status ?? null,
      totalMs: timings.totalMs,
      resultText: masked(parts, assistantText(outcome, config().settings.assistantTextBytes)),
      error: error && { code: error.code, message: error.message },
    })
  } catch (error) {
    onError(error)
    change({ state: 'failed', error: unexpectedError(error) })
  }
}

export function masked({ masker }: Pick<AnswerParts, 'masker'>, text: string): string {
  return masker()?.(text) ?? text
}
