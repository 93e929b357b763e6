import type { ModelMessage, ToolSet } from 'ai'
import { readArguments } from '#main/assistant/read-arguments.ts'
import type { AssistantModel } from '#shared/model/assistant-model.ts'
import type { Tool } from '#shared/model/tool.ts'
import { eventStreamOf } from './event-stream.ts'
import { errorOfStatus, ModelError } from './model-error.ts'
import type { ModelHttp } from './model-http.ts'
import { withTextArguments } from './text-arguments.ts'

export type ModelStep = {
  readonly model: AssistantModel
  /** Null for a server that needs none. */
  readonly key: string | null
  readonly instructions: string
  readonly messages: ModelMessage[]
  readonly tools: readonly Pick<Tool, 'name' | 'description' | 'inputSchema'>[]
  readonly signal: AbortSignal
}

export type ModelEvent =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | { readonly type: 'call'; readonly call: AskedCall }
  | { readonly type: 'usage'; readonly inputTokens: number; readonly outputTokens: number }
  /** The server has cut the step. What was written before is complete. */
  | { readonly type: 'cut'; readonly error: ModelError }

/** A call that a model asks for. */
export type AskedCall = {
  readonly name: string
  readonly argumentsText: string
  /** Whether the step ended in the middle of its arguments. */
  readonly isCut: boolean
}

/** Yields what a model writes in one step. @throws ModelError; the signal's reason. */
export type ModelStream = (step: ModelStep) => AsyncGenerator<ModelEvent>

const maxText = 256 * 1024
const maxArguments = 64 * 1024
const maxCalls = 16

export function createModelStream(http: Pick<ModelHttp, 'fetch'>): ModelStream {
  async function* events(step: ModelStep): AsyncGenerator<ModelEvent> {
    // Imported late: together they take longer to load than the rest of the service.
    const [{ jsonSchema, streamText, tool }, { createOpenAICompatible }] = await Promise.all([
      import('ai'),
      import('@ai-sdk/openai-compatible'),
    ])
    const { model, key, instructions, messages, signal } = step
    const provider = createOpenAICompatible({
      name: 'model',
      baseURL: model.baseUrl,
      fetch: async (...request) => {
        const response = await http.fetch(...request)
        if (response.body === null || !response.ok) return response
        const events = await eventStreamOf(response.body, new URL(model.baseUrl).host)
        return new Response(withTextArguments(events), response)
      },
      includeUsage: true,
      ...(key === null ? {} : { apiKey: key }),
    })
    // No `execute`: the service decides on each call, and makes it.
    const tools: ToolSet = Object.fromEntries(
      step.tools.map(({ name, description, inputSchema }) => [
        name,
        tool({ description, inputSchema: jsonSchema(inputSchema) }),
      ]),
    )
    const { stream } = streamText({
      model: provider.chatModel(model.model),
      system: instructions,
      messages,
      tools,
      maxRetries: 0,
      abortSignal: signal,
      // Errors come as parts of the stream too; by default they are also printed.
      onError: () => {},
    })
    const given = new Map<string, string>()
    const asked: Omit<AskedCall, 'isCut'>[] = []
    let hasFinished = false
    let written = 0
    let calls = 0
    for await (const part of stream) {
      signal.throwIfAborted()
      switch (part.type) {
        case 'text-delta':
        case 'reasoning-delta':
          written += part.text.length
          if (written > maxText) throw new ModelError('model_output_too_large')
          yield { type: part.type === 'text-delta' ? 'text' : 'reasoning', text: part.text }
          break
        case 'tool-input-start':
          if (++calls > maxCalls) throw new ModelError('model_output_too_large')
          given.set(part.id, '')
          break
        case 'tool-input-delta': {
          const text = (given.get(part.id) ?? '') + part.delta
          if (text.length > maxArguments) throw new ModelError('model_output_too_large')
          given.set(part.id, text)
          break
        }
        case 'tool-call':
          // The original text, because a parsed input has lost digits of large numbers.
          asked.push({ name: part.toolName, argumentsText: given.get(part.toolCallId) ?? '' })
          break
        case 'finish': {
          hasFinished = true
          const cut = cutOf(part.rawFinishReason)
          // Not before: a call whose arguments are cut, or have not begun, looks like one without arguments.
          for (const call of asked)
            yield { type: 'call', call: { ...call, isCut: cut !== null && !isWhole(call.argumentsText) } }
          if (part.totalUsage.inputTokens !== undefined)
            yield {
              type: 'usage',
              inputTokens: part.totalUsage.inputTokens,
              outputTokens: part.totalUsage.outputTokens ?? 0,
            }
          if (cut !== null) yield { type: 'cut', error: cut }
          break
        }
        case 'error':
          throw part.error
        case 'abort':
          signal.throwIfAborted()
          throw new ModelError('model_stream_broken')
      }
    }
    if (!hasFinished) throw new ModelError('model_stream_broken')
  }

  return async function* (step) {
    try {
      yield* events(step)
    } catch (error) {
      step.signal.throwIfAborted()
      throw toModelError(error, new URL(step.model.baseUrl).host)
    }
    step.signal.throwIfAborted()
  }
}

const isWhole = (argumentsText: string) =>
  argumentsText.trim() !== '' && readArguments(argumentsText) !== null

/** Words of the reasons with which servers end a step before the model has; all others are those of a complete step. */
const cuts: readonly (readonly [words: RegExp, cut: 'length' | 'filter' | 'server'])[] = [
  [/filter|safety|sensitive|recitation|prohibited|block|spii|refusal|guardrail|moderation|toxic/, 'filter'],
  [/abort|cancel|error|time_?(?:out|limit)|interrupt|insufficient|network|malformed|overload/, 'server'],
  [/length|limit|max_?(?:output_?)?tokens|context_?window|truncated|incomplete/, 'length'],
]

/** Returns why a server has cut a step; null for a complete one. @param reason its `finish_reason`. */
function cutOf(reason: string | undefined): ModelError | null {
  const name = reason?.toLowerCase() ?? ''
  const cut = cuts.find(([words]) => words.test(name))?.[1]
  if (cut === 'length') return new ModelError('model_output_cut')
  if (cut === 'filter') return new ModelError('model_output_filtered')
  if (cut === undefined) return null
  return new ModelError('model_stream_broken', `The model server ended the answer early (${name}).`)
}

/** Returns the error that the SDK has wrapped, or one that its kind implies. */
function toModelError(error: unknown, host: string): ModelError {
  for (let cause = error, depth = 0; depth < 5; depth++) {
    if (cause instanceof ModelError) return cause
    cause = cause instanceof Error ? cause.cause : undefined
  }
  if (!(error instanceof Error)) return errorOfStatus(null, JSON.stringify({ error }) ?? '', host)
  if (error.name === 'AI_StreamProviderError')
    return errorOfStatus(null, JSON.stringify({ error: error.message }), host)
  const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : null
  if (status !== null && (status < 200 || status >= 300)) {
    const body = 'responseBody' in error && typeof error.responseBody === 'string' ? error.responseBody : ''
    return errorOfStatus(status, body, host)
  }
  if (/finish reason/i.test(error.message))
    return new ModelError(
      'model_stream_broken',
      `The connection to ${host} ended in the middle of the answer.`,
      error,
    )
  return new ModelError(
    'model_invalid_response',
    `The response of ${host} is not that of an OpenAI-compatible server.`,
    error,
  )
}
