import { isOnDemandTool } from '#main/assistant/on-demand.ts'
import { toolsOf } from '#main/assistant/tools.ts'
import { createThrottle } from '#main/lib/throttle.ts'
import type { AssistantModel } from '#shared/model/assistant-model.ts'
import type { ContextUse, MessagePart } from '#shared/model/conversation.ts'
import { masked, startCall } from './answer-calls.ts'
import { startOnDemand } from './answer-on-demand.ts'
import type { AnswerParts } from './answer-parts.ts'
import type { WaitingCall, WaitingCalls } from './decide-call.ts'
import { serverNames } from './find-models.ts'
import { showable } from './growing-text.ts'
import { ModelError } from './model-error.ts'
import { modelMessages } from './model-messages.ts'
import type { AskedCall } from './model-stream.ts'
import { ownToolsOf } from './own-tools.ts'
import { startSearch } from './search-knowledge.ts'
import { searchTool } from './search-tool.ts'
import { splitReasoning } from './split-reasoning.ts'
import { sizeOf } from './stored-transcript.ts'
import { answerError, changeAnswer, endAnswer, unexpectedError, withSegments } from './transcript.ts'
import { createWorkClock, type WorkClock } from './work-clock.ts'
import { writesCall } from './written-call.ts'

export const maxSteps = 20
export const maxTranscriptBytes = 4 * 1024 * 1024
/** Milliseconds between two changes of a growing text. */
const textEveryMs = 40

/** Reasons with which an answer's signal aborts. */
export const stopReason = { person: 'stopped', service: 'service stops' } as const

export type Answer = {
  readonly waiting: WaitingCalls
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

async function answerUntilEnd(
  parts: AnswerParts,
  waiting: Map<string, WaitingCall>,
  clock: WorkClock,
  signal: AbortSignal,
): Promise<void> {
  for (let step = 0; step < maxSteps; step++) {
    const { calls, cut } = await writeStep(parts, waiting, clock, signal)
    await Promise.all(calls)
    signal.throwIfAborted()
    if (cut !== null) throw cut
    if (calls.length === 0) return
  }
  throw new ModelError('step_limit')
}

type Step = {
  /** The calls that were started. */
  readonly calls: readonly Promise<void>[]
  /** Why the server has cut the step; null for a complete one. */
  readonly cut: ModelError | null
}

/** Lets the model write one step. */
async function writeStep(
  parts: AnswerParts,
  waiting: Map<string, WaitingCall>,
  clock: WorkClock,
  signal: AbortSignal,
): Promise<Step> {
  const { session, config, stream, keyOf, recount, instructions } = parts
  const { assistantModel: model } = config().settings
  if (model === null) throw new ModelError('model_not_found', 'The model was removed from the settings.')
  if (sizeOf(session.now()) > maxTranscriptBytes) throw new ModelError('conversation_full')
  const context = await recount()
  signal.throwIfAborted()
  if (context.state === 'full') throw fullError(context)
  const search = parts.search()
  const { tools: listing, workspaceId } = session.now()
  const listed = listing === 'all' ? toolsOf(config(), workspaceId) : []
  const tools = [...listed, ...ownToolsOf(listing, search !== null)]
  const before = session.now().messages
  const key = await keyOf(model.keyVariable)
  const text = createTextWriter(parts)
  const calls: Promise<void>[] = []
  let cut: ModelError | null = null
  try {
    const events = stream({
      ...{ model, tools, signal },
      key,
      instructions: instructions(),
      // Omits the answer while it is empty.
      messages: modelMessages(
        before.filter(({ parts: of }) => of.length > 0),
        listing,
      ),
    })
    for await (const event of events) {
      if (event.type === 'usage') addUsage(session, event)
      else if (event.type === 'cut') cut = event.error
      else if (event.type === 'call') {
        text.end()
        const start = (asked: AskedCall) => startCall(parts, asked, waiting, clock, signal)
        if (search !== null && event.call.name === searchTool.name)
          calls.push(startSearch(parts, event.call, search))
        else if (listing === 'on demand' && isOnDemandTool(event.call.name))
          calls.push(startOnDemand(parts, event.call, start))
        else calls.push(start(event.call))
      } else text.add(event.type, event.text)
    }
  } catch (error) {
    throw error instanceof ModelError && error.code === 'model_unreachable'
      ? new ModelError(error.code, `${unreachable(model)} ${error.message}`, error)
      : error
  } finally {
    text.end()
  }
  if (calls.length === 0 && cut === null) requireAnswer(text.written(), tools)
  return { calls, cut }
}

/** Checks what the last step of an answer has written. @throws ModelError */
function requireAnswer(written: readonly MessagePart[], tools: readonly { readonly name: string }[]): void {
  const textIn = (type: 'text' | 'reasoning') =>
    written.map(part => (part.type === type ? part.text : '')).join('\n')
  const text = textIn('text')
  const reasoning = textIn('reasoning')
  const isEmpty = text.trim() === ''
  const names = tools.map(({ name }) => name)
  // Some models write their call at the end of their reasoning.
  if (writesCall(isEmpty ? reasoning : text, names)) throw new ModelError('model_call_as_text')
  if (!isEmpty) return
  const detail = 'The model has ended its answer after its reasoning, without writing anything else.'
  throw new ModelError('model_wrote_nothing', reasoning.trim() === '' ? undefined : detail)
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

function addUsage(
  session: AnswerParts['session'],
  used: { inputTokens: number; outputTokens: number },
): void {
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

/** Changes between text and reasoning after which both are written as one: each is stored by itself. */
const maxRuns = 32

/** Writes the texts and the reasoning of a step, masked. */
function createTextWriter({ session, masker, secrets }: AnswerParts) {
  const partsNow = () => session.now().messages.at(-1)?.parts ?? []
  const start = partsNow().length
  let type: 'text' | 'reasoning' = 'text'
  let raw = ''
  let place = start
  let shown = 0
  let runs = 0
  function show(text: string, isComplete: boolean): void {
    // The reasoning of a server that sends it in a field of its own has no marks.
    const reasoning = type === 'reasoning' ? text.trim() : ''
    const segments =
      type === 'text' ? splitReasoning(text, isComplete) : reasoning === '' ? [] : [{ type, text: reasoning }]
    const from = place
    session.change(transcript => withSegments(transcript, from, segments), `text ${from}`)
  }
  const throttle = createThrottle(textEveryMs, () => {
    const text = showable(raw, masker(), secrets())
    // Shorter once a secret has become its mask; then what was shown stays until there is more.
    if (text.length <= shown) return
    shown = text.length
    show(text, false)
  })
  /** Shows all of the text. The next text is another part. */
  function end(): void {
    throttle.stop()
    if (raw !== '') show(masker()?.(raw) ?? raw, true)
    raw = ''
    shown = 0
  }
  return {
    add(next: 'text' | 'reasoning', text: string) {
      if (next !== type && runs < maxRuns) {
        end()
        type = next
        runs++
      }
      if (raw === '') place = partsNow().length
      raw += text
      throttle.ask()
    },
    end,
    /** Returns what it has written, as shown. */
    written: () => partsNow().slice(start),
  }
}

type Outcome = Pick<Parameters<typeof endAnswer>[1], 'ended' | 'error'>

function failureOf(parts: AnswerParts, error: unknown, signal: AbortSignal): Outcome {
  if (signal.reason === stopReason.person) return { ended: 'stopped', error: null }
  if (signal.aborted) return { ended: 'failed', error: answerError('answer_interrupted') }
  if (error instanceof ModelError)
    return {
      ended: isCut(error) ? 'cut' : 'failed',
      error: answerError(error.code, masked(parts, error.message)),
    }
  parts.onError(error)
  return { ended: 'failed', error: unexpectedError(error) }
}

function isCut({ code }: ModelError): boolean {
  return code === 'model_output_cut' || code === 'model_output_filtered'
}

async function end(
  { session, now, recount, onError }: AnswerParts,
  clock: WorkClock,
  outcome: Outcome,
): Promise<void> {
  const facts = { ...outcome, tookMs: Math.round(clock.tookMs()), at: now() }
  session.change(transcript => endAnswer(transcript, facts))
  await recount().catch(onError)
  // A failed write is tried again.
  await session.saved().catch(onError)
}
