import type { ModelMessage } from 'ai'
import { isOnDemandTool, onDemandTools } from '#main/assistant/on-demand.ts'
import { sha256Hex } from '#main/lib/sha256-hex.ts'
import {
  type FormPart,
  type Message,
  type SearchPart,
  type ToolCallPart,
  textOf,
} from '#shared/model/conversation.ts'
import type { ToolListing } from '#shared/model/tool.ts'
import { asData } from './instructions.ts'
import { searchTool } from './search-tool.ts'

type AssistantContent = Exclude<Extract<ModelMessage, { role: 'assistant' }>['content'], string>
type ToolContent = Extract<ModelMessage, { role: 'tool' }>['content']

/** Returns the messages of a conversation as the model gets them. @param listing which tools it gets. */
export function modelMessages(messages: readonly Message[], listing: ToolListing): ModelMessage[] {
  const all: ModelMessage[] = []
  const add = (message: ModelMessage) => {
    // Servers reply only to a user message or a tool result, and some refuse two answers in a row.
    if (all.at(-1)?.role === 'assistant' && message.role === 'assistant') all.push(wasCut)
    all.push(message)
  }
  for (const message of messages)
    if (message.role === 'user') add({ role: 'user', content: contentOf(message) })
    else answerMessages(message, listing).forEach(add)
  return all.at(-1)?.role === 'assistant' ? [...all, wasCut] : all
}

const wasCut: ModelMessage = {
  role: 'user',
  content: 'Your answer was cut off. Continue it where it ends, without repeating any of it.',
}

/** Returns a message of the person, and what became of the forms that it offered. */
function contentOf(message: Message): string {
  const forms = message.parts.flatMap(part => (part.type === 'form' ? toldOfForm(part) : []))
  return [textOf(message), ...forms].join('\n\n')
}

/** A step of an answer is text and calls, then the results of these calls. */
function answerMessages({ parts }: Message, listing: ToolListing): ModelMessage[] {
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
    if (part.type === 'call' || part.type === 'search') {
      const id = modelIdOf(part.toolCallId)
      const { name, input } =
        part.type === 'call'
          ? askedOf(part, listing)
          : { name: searchTool.name, input: { query: part.query } }
      const toolName = name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || '_'
      content.push({ type: 'tool-call', toolCallId: id, toolName, input })
      results.push({
        type: 'tool-result',
        toolCallId: id,
        toolName,
        output: { type: 'text', value: part.type === 'call' ? toldOf(part) : toldOfSearch(part) },
      })
    } else if (part.type === 'text' && part.text !== '') {
      if (results.length > 0) flush()
      content.push(part)
    }
  }
  flush()
  return all
}

/** Returns a call as the model asked for it, so that it sees no tool that it has not. */
function askedOf({ name, arguments: given }: ToolCallPart, listing: ToolListing) {
  return listing === 'all' || isOnDemandTool(name)
    ? { name, input: given }
    : { name: onDemandTools.call.name, input: { name, arguments: given } }
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

/** Returns what the model is told of a search. */
export function toldOfSearch({ state, passages, omitted, error }: SearchPart): string {
  if (state !== 'answered') return `The search failed. ${error?.message ?? ''}`
  if (passages.length === 0)
    return 'The files have nothing that fits this query. Other words may find something.'
  const more = omitted === 0 ? '' : `${omitted} more passages are left out because of their size.\n`
  return asData(passages.map(passage => JSON.stringify(passage)).join('\n'), more)
}

/** Returns what the model is told of a form. */
export function toldOfForm({ action, fields, state, values, status, resultText, error }: FormPart): string {
  const form = `the form ${JSON.stringify(action)}`
  const filled = `The person has filled in ${form} and sent it: ${JSON.stringify(values)}`
  switch (state) {
    case 'offered':
      return `[The program shows the person ${form} with the fields ${fields.join(', ')}. Do not ask for them yourself.]`
    case 'dismissed':
      return `[The person has dismissed ${form}.]`
    case 'sending':
      return `[${filled}. There is no response yet.]`
    default: {
      const outcome =
        status === null
          ? `It failed${error === null ? '' : ` (${error.code})`}`
          : `It was answered with status ${status}`
      return asData(resultText ?? error?.message ?? '', `[${filled}. ${outcome}:]\n`)
    }
  }
}

function noteOf({ edited, status, error, arguments: sent, ...call }: ToolCallPart): string {
  const changed = edited ? `The person changed the arguments. Sent: ${JSON.stringify(sent)}\n` : ''
  if (call.state === 'answered') return changed
  if (status === null) return `${changed}The call failed${error === null ? '' : ` (${error.code})`}.\n`
  return `${changed}The call was answered with status ${status}, which is an error.\n`
}
