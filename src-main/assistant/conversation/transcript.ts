import { isDeepStrictEqual } from 'node:util'
import { isUnavailable } from '#main/storage/unavailable.ts'
import { type AnswerErrorCode, answerErrors } from '#shared/errors/answer.ts'
import type {
  Conversation,
  ConversationStatus,
  ConversationSummary,
  FormPart,
  Message,
  MessagePart,
  ReasoningPart,
  SearchPart,
  TextPart,
  ToolCallPart,
} from '#shared/model/conversation.ts'
import type { Always } from './authorize-call.ts'
import type { Segment } from './split-reasoning.ts'

/** A stored conversation. Immutable: a change creates the next one, which shares the unchanged parts. */
export type Transcript = Pick<
  Conversation,
  'conversationId' | 'workspaceId' | 'title' | 'createdAt' | 'updatedAt' | 'agent' | 'tools' | 'messages'
> & {
  /** Whether a person gave the title. */
  readonly isRenamed: boolean
  readonly always: Always
}

const maxTitleLength = 60

export function newTranscript(
  {
    title,
    ...given
  }: Pick<Transcript, 'conversationId' | 'workspaceId' | 'agent' | 'tools'> & {
    readonly title?: string | undefined
  },
  now: string,
): Transcript {
  const isRenamed = title !== undefined
  return { ...given, title: title ?? '', isRenamed, createdAt: now, updatedAt: now, always: {}, messages: [] }
}

/** Returns whether the answer that is the last message is being made. */
export function isAnswering(transcript: Pick<Transcript, 'messages'>): boolean {
  return ['answering', 'asking'].includes(statusOf(transcript))
}

/** Returns the status that the messages imply. */
export function statusOf({ messages }: Pick<Transcript, 'messages'>): ConversationStatus {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return 'idle'
  if (last.ended === null) return last.parts.some(isAsking) ? 'asking' : 'answering'
  return last.ended === 'failed' ? 'failed' : 'idle'
}

export function summaryOf(transcript: Transcript): ConversationSummary {
  const { conversationId, workspaceId, title, createdAt, updatedAt, messages } = transcript
  const calls = messages.flatMap(({ parts }) => parts).filter(isMade).length
  return { conversationId, workspaceId, title, createdAt, updatedAt, calls, status: statusOf(transcript) }
}

export function isCall(part: MessagePart): part is ToolCallPart {
  return part.type === 'call'
}

/** Returns whether a part is text that the model writes piece by piece. */
export function isWritten(part: MessagePart): part is TextPart | ReasoningPart {
  return part.type === 'text' || part.type === 'reasoning'
}

const isAsking = (part: MessagePart) => isCall(part) && part.state === 'asking'
const isMade = (part: MessagePart) => isCall(part) && part.callId !== null

/** Adds a message of the user, with the forms that it offers. It gives the conversation its title, if it has none. */
export function withUserMessage(
  transcript: Transcript,
  given: { messageId: string; text: string; forms: readonly FormPart[]; at: string },
): Transcript {
  const { messageId, text, forms, at } = given
  const message: Message = {
    messageId,
    role: 'user',
    at,
    parts: [{ type: 'text', text }, ...forms],
    ...noEnd,
  }
  const messages = [...transcript.messages, message]
  const isFirst = !transcript.isRenamed && transcript.messages.length === 0
  return { ...transcript, messages, updatedAt: at, title: isFirst ? titleOf(text) : transcript.title }
}

/** Starts an answer without any text. */
export function withAnswer(
  transcript: Transcript,
  { messageId, at }: { messageId: string; at: string },
): Transcript {
  const message: Message = { messageId, role: 'assistant', at, parts: [], ...noEnd }
  return { ...transcript, messages: [...transcript.messages, message], updatedAt: at }
}

const noEnd = { usage: null, tookMs: null, ended: null, error: null } as const

/** Returns the messages before one, so without it and all that follow. */
export function before(transcript: Transcript, messageId: string): Transcript {
  const place = transcript.messages.findIndex(message => message.messageId === messageId)
  return place === -1 ? transcript : { ...transcript, messages: transcript.messages.slice(0, place) }
}

export function lastUserMessage({ messages }: Transcript): Message | null {
  return messages.findLast(({ role }) => role === 'user') ?? null
}

/** Returns what an answer to the last message of the user continues from; null without such a message. */
export function toRetry(transcript: Transcript): Transcript | null {
  const asked = lastUserMessage(transcript)
  if (asked === null) return null
  const place = transcript.messages.indexOf(asked)
  // Calls that were made stay, so that the model knows of them and does not repeat them.
  const made = transcript.messages.findLastIndex(({ parts }) => parts.some(isMade))
  return { ...transcript, messages: transcript.messages.slice(0, Math.max(place, made) + 1) }
}

/** Returns whether the last answer ended before it was complete, and has something to continue. */
export function canContinue({ messages }: Transcript): boolean {
  const last = messages.at(-1)
  const isIncomplete = last?.role === 'assistant' && last.ended !== null && last.ended !== 'complete'
  return isIncomplete && last.parts.some(({ type }) => type !== 'reasoning')
}

/** Changes the last message, which is the answer that is being made. */
export function changeAnswer(transcript: Transcript, change: (answer: Message) => Message): Transcript {
  const answer = transcript.messages.at(-1)
  if (answer?.role !== 'assistant') return transcript
  return { ...transcript, messages: [...transcript.messages.slice(0, -1), change(answer)] }
}

/** Sets the parts of the answer from `place` on. Those that stay the same are shared. */
export function withSegments(
  transcript: Transcript,
  place: number,
  segments: readonly Segment[],
): Transcript {
  return changeAnswer(transcript, answer => {
    const next = segments.map((segment, index) => {
      const known = answer.parts[place + index]
      return known?.type === segment.type && known.text === segment.text ? known : segment
    })
    return { ...answer, parts: [...answer.parts.slice(0, place), ...next] }
  })
}

export function withPart(transcript: Transcript, part: ToolCallPart | SearchPart): Transcript {
  return changeAnswer(transcript, answer => ({ ...answer, parts: [...answer.parts, part] }))
}

export function changeCall(
  transcript: Transcript,
  toolCallId: string,
  change: Partial<ToolCallPart>,
): Transcript {
  return changeAnswer(transcript, answer => ({
    ...answer,
    parts: answer.parts.map(part =>
      isCall(part) && part.toolCallId === toolCallId ? { ...part, ...change } : part,
    ),
  }))
}

export function changeSearch(
  transcript: Transcript,
  toolCallId: string,
  change: Partial<SearchPart>,
): Transcript {
  return changeAnswer(transcript, answer => ({
    ...answer,
    parts: answer.parts.map(part =>
      part.type === 'search' && part.toolCallId === toolCallId ? { ...part, ...change } : part,
    ),
  }))
}

export function findCall(
  { messages }: Pick<Transcript, 'messages'>,
  toolCallId: string,
): ToolCallPart | null {
  for (const part of messages.at(-1)?.parts ?? [])
    if (isCall(part) && part.toolCallId === toolCallId) return part
  return null
}

export function findForm({ messages }: Transcript, formId: string): FormPart | null {
  for (const { parts } of messages)
    for (const part of parts) if (part.type === 'form' && part.formId === formId) return part
  return null
}

export function changeForm(transcript: Transcript, formId: string, change: Partial<FormPart>): Transcript {
  return changeForms(transcript, form => (form.formId === formId ? { ...form, ...change } : form))
}

/** Changes forms. Messages and parts that stay the same are shared. */
function changeForms(transcript: Transcript, change: (form: FormPart) => FormPart): Transcript {
  const messages = transcript.messages.map(message => {
    const parts = message.parts.map(part => (part.type === 'form' ? change(part) : part))
    return parts.some((part, place) => part !== message.parts[place]) ? { ...message, parts } : message
  })
  const isSame = messages.every((message, place) => message === transcript.messages[place])
  return isSame ? transcript : { ...transcript, messages }
}

export type AnswerEnd = {
  readonly ended: NonNullable<Message['ended']>
  readonly error: Message['error']
  readonly tookMs: number | null
  readonly at: string
}

/** Ends the answer, unless it has ended. Calls that wait or run, and searches that run, end with it. */
export function endAnswer(transcript: Transcript, { at, ...end }: AnswerEnd): Transcript {
  if (transcript.messages.at(-1)?.ended !== null) return transcript
  const ended = changeAnswer(transcript, answer => ({
    ...answer,
    ...end,
    parts: answer.parts.map(part =>
      isCall(part) ? endCall(part) : part.type === 'search' ? endSearch(part) : part,
    ),
  }))
  return { ...ended, updatedAt: at }
}

function endCall(call: ToolCallPart): ToolCallPart {
  if (call.state === 'asking') return { ...call, state: 'cancelled' }
  if (call.state !== 'running') return call
  const error = {
    code: 'answer_interrupted',
    message: 'The answer ended while this call was running. The other system may have carried it out.',
  }
  return { ...call, state: 'failed', error }
}

function endSearch(search: SearchPart): SearchPart {
  return search.state === 'running'
    ? { ...search, state: 'failed', error: answerError('answer_interrupted') }
    : search
}

/**
 * Returns a transcript that shares with an earlier one what is equal in both, since readers get only what differs by
 * reference.
 */
export function sharing(earlier: Transcript, next: Transcript): Transcript {
  const messages = next.messages.map((message, place) => {
    const known = earlier.messages[place]
    if (known?.messageId !== message.messageId) return message
    const parts = message.parts.map((part, index) => {
      const same = known.parts[index]
      return same !== undefined && isDeepStrictEqual(same, part) ? same : part
    })
    const isSame =
      parts.length === known.parts.length &&
      parts.every((part, index) => part === known.parts[index]) &&
      isDeepStrictEqual({ ...known, parts }, { ...message, parts })
    return isSame ? known : { ...message, parts }
  })
  return { ...next, messages }
}

/** Returns the transcript as it is when nobody works on it: unfinished answers and forms are marked so. */
export function interrupted(stored: Transcript): Transcript {
  const error = answerError('form_interrupted')
  const transcript = changeForms(stored, form =>
    form.state === 'sending' ? { ...form, state: 'failed', error } : form,
  )
  return withoutRunning(transcript)
}

function withoutRunning(transcript: Transcript): Transcript {
  const last = transcript.messages.at(-1)
  if (last?.role !== 'assistant' || last.ended !== null) return transcript
  const error = answerError('answer_interrupted')
  return endAnswer(transcript, { ended: 'failed', error, tookMs: null, at: transcript.updatedAt })
}

/** Returns what an answer says of an error that is none of the model or of a call. */
export function unexpectedError(error: unknown): NonNullable<Message['error']> {
  return answerError(isUnavailable(error) ? 'storage_unavailable' : 'internal_error')
}

/** @param detail a more specific message than the table's. */
export function answerError(code: AnswerErrorCode, detail?: string): NonNullable<Message['error']> {
  return { code, message: detail ?? answerErrors[code].message }
}

/** Returns the beginning of the first line that has text, cut between two words. */
export function titleOf(text: string): string {
  const line = text.slice(0, 1000).trim().split('\n', 1)[0]?.replace(/\s+/g, ' ').trim() ?? ''
  if (line.length <= maxTitleLength) return line
  const cut = line
    .slice(0, maxTitleLength)
    .toWellFormed()
    .replace(/\uFFFD$/, '')
  const space = cut.lastIndexOf(' ')
  return `${cut.slice(0, space > maxTitleLength / 2 ? space : undefined).trimEnd()}…`
}
