import type { RefusalRecorder } from '#main/assistant/refusals.ts'
import { toolsOf } from '#main/assistant/tools.ts'
import { createThrottle } from '#main/lib/throttle.ts'
import { assistantText } from '#main/outbound/assistant-text.ts'
import type { Calls } from '#main/outbound/calls.ts'
import type { TextMasker } from '#main/outbound/mask-text.ts'
import { maskArguments } from '#main/outbound/masking.ts'
import type { Config } from '#main/storage/config.ts'
import { type RefusalCode, refusalErrors } from '#shared/errors/assistant.ts'
import type { AssistantModel } from '#shared/model/assistant-model.ts'
import type { CallArguments } from '#shared/model/call.ts'
import type { ContextUse, ToolCallPart } from '#shared/model/conversation.ts'
import type { Tool } from '#shared/model/tool.ts'
import { serverNames } from './find-models.ts'
import { showable } from './growing-text.ts'
import { judgeCall, targetOf } from './judge-call.ts'
import { ModelError } from './model-error.ts'
import { modelMessages } from './model-messages.ts'
import type { ModelStream } from './model-stream.ts'
import type { Session } from './session.ts'
import { sizeOf } from './stored-transcript.ts'
import { answerError, changeAnswer, changeCall, endAnswer, withCall, withText } from './transcript.ts'

export const maxSteps = 20
export const maxTranscriptBytes = 4 * 1024 * 1024
/** Milliseconds between two changes of a growing text. */
const textEveryMs = 40

export type AnswerParts = {
  readonly session: Session
  readonly config: () => Config
  readonly calls: Calls
  /** Records a call that was refused. */
  readonly refuse: RefusalRecorder
  readonly stream: ModelStream
  /** Returns the key of the model server. @throws ModelError */
  readonly keyOf: (variable: string | null) => string | null
  readonly instructions: () => string
  /** Counts the context, and shows it. */
  readonly recount: () => Promise<ContextUse>
  /** Everything to mask, and its masker; both at this moment. */
  readonly secrets: () => readonly string[]
  readonly masker: () => TextMasker | null
  /** ISO 8601. */
  readonly now: () => string
  readonly newToolCallId: () => string
  readonly onError: (error: unknown) => void
}

export type Decision = { readonly kind: 'call'; readonly given: CallArguments } | { readonly kind: 'decline' }

/** A call that waits for a person. */
export type WaitingCall = {
  readonly tool: Tool
  /** As the model wrote them. */
  readonly given: CallArguments
  decide(decision: Decision): void
}

/** Reasons with which an answer's signal aborts. */
export const stopReason = { person: 'stopped', service: 'service stops' } as const

export type Answer = {
  readonly waiting: ReadonlyMap<string, WaitingCall>
  /** Resolves when the answer has ended. Never rejects. */
  readonly done: Promise<void>
}

/** Makes the answer that was started as the last message: asks the model, makes its calls, and so on until it ends. */
export function makeAnswer(parts: AnswerParts, signal: AbortSignal): Answer {
  const waiting = new Map<string, WaitingCall>()
  const clock = createWorkClock()
  // Ends what still waits or runs when the answer has failed by itself.
  const ended = new AbortController()
  const done = answerUntilEnd(parts, waiting, clock, AbortSignal.any([signal, ended.signal]))
    .then(
      (): Outcome => ({ ended: 'complete', error: null }),
      error => failureOf(parts, error, signal),
    )
    .then(outcome => {
      ended.abort()
      return end(parts, clock, outcome)
    })
  return { waiting, done }
}

type WorkClock = ReturnType<typeof createWorkClock>

/** Measures the time of an answer without that in which it waits for a person. */
function createWorkClock() {
  const startedAt = performance.now()
  let asking = 0
  let askedAt = 0
  let waited = 0
  return {
    ask() {
      if (asking++ === 0) askedAt = performance.now()
    },
    decided() {
      if (--asking === 0) waited += performance.now() - askedAt
    },
    tookMs: () => performance.now() - startedAt - waited - (asking > 0 ? performance.now() - askedAt : 0),
  }
}

async function answerUntilEnd(
  parts: AnswerParts,
  waiting: Map<string, WaitingCall>,
  clock: WorkClock,
  signal: AbortSignal,
): Promise<void> {
  for (let step = 0; step < maxSteps; step++) {
    const calls = await writeStep(parts, waiting, clock, signal)
    if (calls.length === 0) return
    await Promise.all(calls)
    signal.throwIfAborted()
  }
  throw new ModelError('step_limit')
}

/** Lets the model write one step. Returns the calls that it has started. */
async function writeStep(
  parts: AnswerParts,
  waiting: Map<string, WaitingCall>,
  clock: WorkClock,
  signal: AbortSignal,
): Promise<Promise<void>[]> {
  const { session, config, stream, keyOf, recount, instructions } = parts
  const { assistantModel: model } = config().settings
  if (model === null) throw new ModelError('model_not_found', 'The model was removed from the settings.')
  if (sizeOf(session.now()) > maxTranscriptBytes) throw new ModelError('conversation_full')
  const context = await recount()
  signal.throwIfAborted()
  if (context.state === 'full') throw fullError(context)
  const tools = toolsOf(config(), session.now().workspaceId)
  const before = session.now().messages
  const text = createTextWriter(parts)
  const calls: Promise<void>[] = []
  let isEmpty = true
  try {
    const events = stream({
      ...{ model, tools, signal },
      key: keyOf(model.keyVariable),
      instructions: instructions(),
      // Without the answer if it is still empty.
      messages: modelMessages(before.filter(({ parts: of }) => of.length > 0)),
    })
    for await (const event of events) {
      if (event.type === 'usage') addUsage(session, event)
      else isEmpty = false
      if (event.type === 'text') text.add(event.text)
      if (event.type === 'call') {
        text.end()
        calls.push(startCall(parts, event, tools, waiting, clock, signal))
      }
    }
  } catch (error) {
    throw error instanceof ModelError && error.code === 'model_unreachable'
      ? new ModelError(error.code, `${unreachable(model)} ${error.message}`, error)
      : error
  } finally {
    text.end()
  }
  if (isEmpty) throw new ModelError('model_wrote_nothing')
  return calls
}

const unreachable = ({ provider, baseUrl }: AssistantModel) =>
  `${provider === 'openai_compatible' ? 'The model server' : serverNames[provider]} does not answer at ${new URL(baseUrl).host}.`

function fullError({ instructionsAndTools, messages, results, limit }: ContextUse): ModelError {
  const used = instructionsAndTools + messages + results
  return new ModelError(
    'context_full',
    `The conversation has about ${used.toLocaleString('en')} tokens, the model’s context ${limit?.toLocaleString('en')}. Start a new conversation, or choose a model with a larger context.`,
  )
}

function addUsage(session: Session, used: { inputTokens: number; outputTokens: number }): void {
  session.change(transcript =>
    changeAnswer(transcript, answer => ({
      ...answer,
      usage: {
        inputTokens: used.inputTokens,
        outputTokens: (answer.usage?.outputTokens ?? 0) + used.outputTokens,
      },
    })),
  )
}

/** Writes the texts of a step, masked. */
function createTextWriter({ session, masker, secrets }: AnswerParts) {
  let raw = ''
  let place = 0
  let shown = 0
  const show = (text: string) => session.change(transcript => withText(transcript, place, text))
  const throttle = createThrottle(textEveryMs, () => {
    const text = showable(raw, masker(), secrets())
    // Shorter once a secret has become its mask; then what was shown stays until there is more.
    if (text.length <= shown) return
    shown = text.length
    show(text)
  })
  return {
    add(text: string) {
      if (raw === '') place = session.now().messages.at(-1)?.parts.length ?? 0
      raw += text
      throttle.ask()
    },
    /** Shows all of the text. The next text is another part. */
    end() {
      throttle.stop()
      if (raw !== '') show(masker()?.(raw) ?? raw)
      raw = ''
      shown = 0
    },
  }
}

/** Adds a call of the model to the answer, and makes it as soon as it may be made. Never rejects. */
async function startCall(
  parts: AnswerParts,
  asked: { readonly name: string; readonly argumentsText: string },
  tools: readonly Tool[],
  waiting: Map<string, WaitingCall>,
  clock: WorkClock,
  signal: AbortSignal,
): Promise<void> {
  const { session, config, newToolCallId, now } = parts
  const toolCallId = newToolCallId()
  const judged = judgeCall(asked, tools, config(), session.now().always)
  const tool = judged.kind === 'unknown_tool' ? null : judged.tool
  const given = 'given' in judged ? judged.given : {}
  const call: ToolCallPart = {
    ...{ type: 'call', toolCallId, edited: false, callId: null, status: null, totalMs: null },
    name: masked(parts, asked.name.slice(0, 200)),
    connectionId: tool?.connectionId ?? null,
    actionId: tool?.actionId ?? null,
    toolName: tool?.toolName ?? masked(parts, asked.name.slice(0, 200)),
    method: tool?.method ?? null,
    arguments: maskArguments(given, parts.secrets()),
    ...{ state: 'running', decision: null, decidedAt: null, resultText: null, error: null },
  }
  const add = (more: Partial<ToolCallPart>) =>
    session.change(transcript => withCall(transcript, { ...call, ...more }))
  switch (judged.kind) {
    case 'unknown_tool':
      refuseCall(parts, call, {}, 'unknown_tool')
      return add({ state: 'unknown_tool', resultText: unknownTool(call.name, tools) })
    case 'unreadable': {
      const message = 'The arguments are not a JSON object. No request was sent.'
      return add({ state: 'failed', resultText: message, error: { code: 'invalid_arguments', message } })
    }
    case 'run':
      add({ decision: 'automatic', decidedAt: now() })
      return runCall(parts, toolCallId, judged.tool, given, signal)
    case 'ask': {
      add({ state: 'asking' })
      const decision = await ask(toolCallId, judged.tool, given, waiting, clock, signal)
      if (decision?.kind !== 'call')
        return refuseCall(parts, call, given, decision === null ? 'call_cancelled' : 'call_declined')
      return runCall(parts, toolCallId, judged.tool, decision.given, signal)
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

function unknownTool(name: string, tools: readonly Tool[]): string {
  const names = tools.slice(0, mostNames).map(tool => tool.name)
  const known = names.length === 0 ? 'There are no tools.' : `The tools are: ${names.join(', ')}.`
  return `There is no tool ${JSON.stringify(name)}. No call was made. ${known}`
}

/** Resolves with the decision of a person; null if the answer ends before it. */
function ask(
  toolCallId: string,
  tool: Tool,
  given: CallArguments,
  waiting: Map<string, WaitingCall>,
  clock: WorkClock,
  signal: AbortSignal,
): Promise<Decision | null> {
  return new Promise(resolve => {
    const settle = (decision: Decision | null) => {
      if (!waiting.delete(toolCallId)) return
      signal.removeEventListener('abort', onAbort)
      clock.decided()
      resolve(decision)
    }
    const onAbort = () => settle(null)
    waiting.set(toolCallId, { tool, given, decide: settle })
    clock.ask()
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort)
  })
}

async function runCall(
  parts: AnswerParts,
  toolCallId: string,
  tool: Tool,
  given: CallArguments,
  signal: AbortSignal,
): Promise<void> {
  const { session, config, calls, onError } = parts
  const change = (more: Partial<ToolCallPart>) =>
    session.change(transcript => changeCall(transcript, toolCallId, more))
  // Long after the model has asked for it, the action may be another one.
  const target = targetOf(config(), tool)
  if (target === null) {
    const { message } = refusalErrors.tool_changed
    refuseCall(parts, tool, given, 'tool_changed')
    return change({
      ...{ state: 'unknown_tool', resultText: `${message} No call was made.` },
      error: { code: 'tool_changed', message },
    })
  }
  try {
    const { conversationId } = session.now()
    const outcome = await calls.run({
      ...{ ...target, arguments: given, source: 'conversation', conversationId, signal },
    })
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
    change({ state: 'failed', error: answerError('internal_error') })
  }
}

function masked({ masker }: Pick<AnswerParts, 'masker'>, text: string): string {
  return masker()?.(text) ?? text
}

type Outcome = Pick<Parameters<typeof endAnswer>[1], 'ended' | 'error'>

function failureOf(parts: AnswerParts, error: unknown, signal: AbortSignal): Outcome {
  if (signal.reason === stopReason.person) return { ended: 'stopped', error: null }
  if (signal.aborted) return { ended: 'failed', error: answerError('answer_interrupted') }
  if (error instanceof ModelError)
    return { ended: 'failed', error: answerError(error.code, masked(parts, error.message)) }
  parts.onError(error)
  return { ended: 'failed', error: answerError('internal_error') }
}

async function end(
  { session, now, recount, onError }: AnswerParts,
  clock: WorkClock,
  outcome: Outcome,
): Promise<void> {
  session.change(transcript =>
    endAnswer(transcript, { ...outcome, tookMs: Math.round(clock.tookMs()), at: now() }),
  )
  await recount().catch(onError)
  // A failed write is tried again.
  await session.saved().catch(onError)
}
