import { toolsOf } from '#main/assistant/tools.ts'
import { createThrottle } from '#main/lib/throttle.ts'
import type { AssistantModel } from '#shared/model/assistant-model.ts'
import type { ContextUse } from '#shared/model/conversation.ts'
import { masked, startCall, type WaitingCall } from './answer-calls.ts'
import type { AnswerParts } from './answer-parts.ts'
import { serverNames } from './find-models.ts'
import { showable } from './growing-text.ts'
import { ModelError } from './model-error.ts'
import { modelMessages } from './model-messages.ts'
import { startSearch } from './search-knowledge.ts'
import { searchTool } from './search-tool.ts'
import type { Session } from './session.ts'
import { sizeOf } from './stored-transcript.ts'
import { answerError, changeAnswer, endAnswer, withText } from './transcript.ts'
import { createWorkClock, type WorkClock } from './work-clock.ts'

export const maxSteps = 20
export const maxTranscriptBytes = 4 * 1024 * 1024
/** Milliseconds between two changes of a growing text. */
const textEveryMs = 40

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
  const search = parts.search()
  const tools = [...toolsOf(config(), session.now().workspaceId), ...(search === null ? [] : [searchTool])]
  const before = session.now().messages
  const text = createTextWriter(parts)
  const calls: Promise<void>[] = []
  let isEmpty = true
  try {
    const events = stream({
      ...{ model, tools, signal },
      key: keyOf(model.keyVariable),
      instructions: instructions(),
      // Omits the answer while it is empty.
      messages: modelMessages(before.filter(({ parts: of }) => of.length > 0)),
    })
    for await (const event of events) {
      if (event.type === 'usage') addUsage(session, event)
      else isEmpty = false
      if (event.type === 'text') text.add(event.text)
      if (event.type === 'call') {
        text.end()
        calls.push(
          search !== null && event.name === searchTool.name
            ? startSearch(parts, event.argumentsText, search)
            : startCall(parts, event, waiting, clock, signal),
        )
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
