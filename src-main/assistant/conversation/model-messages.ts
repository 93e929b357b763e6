import type { ModelMessage } from 'ai'
import { sha256Hex } from '#main/lib/sha256-hex.ts'
import { type Message, type ToolCallPart, textOf } from '#shared/model/conversation.ts'
import { asData } from './instructions.ts'
import { isCall } from './transcript.ts'

type AssistantContent = Exclude<Extract<ModelMessage, { role: 'assistant' }>['content'], string>
type ToolContent = Extract<ModelMessage, { role: 'tool' }>['content']

/** Returns the messages of a conversation as the model gets them. */
export function modelMessages(messages: readonly Message[]): ModelMessage[] {
  const all = messages.flatMap((message): ModelMessage[] => {
    if (message.role === 'user') return [{ role: 'user', content: textOf(message) }]
    return answerMessages(message)
  })
  // Servers answer to a person or to a result, not to an answer.
  if (all.at(-1)?.role === 'assistant')
    all.push({ role: 'user', content: 'Your answer was cut off. Continue it.' })
  return all
}

/** A step of an answer is text and calls, then the results of these calls. */
function answerMessages({ parts }: Message): ModelMessage[] {
  const all: ModelMessage[] = []
  let content: AssistantContent = []
  let results: ToolContent = []
  const flush = () => {
    if (content.length > 0) all.push({ role: 'assistant', content })
    if (results.length > 0) all.push({ role: 'tool', content: results })
    content = []
    results = []
  }
  for (const part of parts) {
    if (isCall(part)) {
      const id = modelIdOf(part.toolCallId)
      const toolName = part.name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || '_'
      content.push({ type: 'tool-call', toolCallId: id, toolName, input: part.arguments })
      results.push({
        type: 'tool-result',
        toolCallId: id,
        toolName,
        output: { type: 'text', value: toldOf(part) },
      })
    } else if (part.text !== '') {
      if (results.length > 0) flush()
      content.push(part)
    }
  }
  flush()
  return all
}

/** Some servers accept only ids of nine letters and digits. */
const modelIdOf = (toolCallId: string) => sha256Hex(toolCallId).slice(0, 9)

/** Returns what the model is told of a call. */
export function toldOf(call: ToolCallPart): string {
  switch (call.state) {
    case 'answered':
    case 'failed':
      return asData(call.resultText ?? call.error?.message ?? '', noteOf(call))
    case 'declined':
      return 'The person declined this call. It was not made.'
    case 'unknown_tool':
      return call.resultText ?? 'There is no such tool. No call was made.'
    default:
      return 'The person stopped the answer before this call. It was not made.'
  }
}

function noteOf({ edited, status, error, arguments: sent, ...call }: ToolCallPart): string {
  const changed = edited ? `The person changed the arguments. Sent: ${JSON.stringify(sent)}\n` : ''
  if (call.state === 'answered') return changed
  if (status === null) return `${changed}The call failed${error === null ? '' : ` (${error.code})`}.\n`
  return `${changed}The call was answered with status ${status}, which is an error.\n`
}
