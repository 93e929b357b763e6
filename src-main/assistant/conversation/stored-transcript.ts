import { z } from 'zod'
import { idOf, numberOfId } from '#main/lib/sequence.ts'
import type { ConversationItem, ConversationWrite, StoredConversation } from '#main/storage/conversations.ts'
import { tryParseExact } from '#shared/json/exact-json.ts'
import { Conversation, ConversationSummary, Message, MessagePart } from '#shared/model/conversation.ts'
import { isWritten, summaryOf, type Transcript } from './transcript.ts'

export const conversationPrefix = 'conv_'

export const numberOfConversation = (conversationId: string) => numberOfId(conversationPrefix, conversationId)

const Head = ConversationSummary.omit({ conversationId: true, workspaceId: true }).extend({
  isRenamed: z.boolean(),
  // Earlier versions stored only the ids of the actions, not what was allowed: those ask again.
  always: z.record(z.string(), z.string()).catch({}),
  agent: Conversation.shape.agent.default(null),
})
const MessageHead = Message.omit({ parts: true })

/** Returns what to write so that the storage holds `next`. @param before what it holds; null for nothing but a head. */
export function writeOf(before: Transcript | null, next: Transcript, updated: number): ConversationWrite {
  const old = before?.messages ?? []
  const { messages } = next
  const keep = messages.findIndex(({ messageId }, index) => old[index]?.messageId !== messageId)
  const keepMessages = keep === -1 ? messages.length : keep
  const items: ConversationItem[] = []
  for (const [place, message] of messages.entries()) {
    const known = place < keepMessages ? old[place] : undefined
    if (known === message) continue
    items.push(itemOf(place, -1, messageHead(message), ''))
    for (const [part, value] of message.parts.entries())
      if (known?.parts[part] !== value) items.push(itemOf(place, part, value, searchable(value)))
  }
  return { conversation: storedHead(next, updated), keepMessages, items }
}

export function storedHead(transcript: Transcript, updated: number): StoredConversation {
  const { conversationId, workspaceId, ...summary } = summaryOf(transcript)
  const { always, agent, isRenamed } = transcript
  return {
    number: numberOfConversation(conversationId) ?? 0,
    workspaceId,
    updated,
    head: JSON.stringify({ ...summary, always, agent, isRenamed } satisfies z.input<typeof Head>),
    text: summary.title.toLowerCase(),
    bytes: sizeOf(transcript),
  }
}

const sizes = new WeakMap<MessagePart, number>()

/** Returns about how many bytes a transcript takes in the storage. */
export function sizeOf({ messages }: Pick<Transcript, 'messages'>): number {
  let sum = 500
  for (const { parts } of messages) {
    sum += 500
    for (const part of parts) {
      const known = sizes.get(part) ?? (isWritten(part) ? part.text.length : JSON.stringify(part).length)
      sizes.set(part, known)
      sum += 2 * known
    }
  }
  return sum
}

function messageHead({ parts: _parts, ...head }: Message) {
  return head
}

function itemOf(message: number, part: number, body: object, text: string): ConversationItem {
  return { message, part, body: JSON.stringify(body), text: text.toLowerCase() }
}

function searchable(part: MessagePart): string {
  switch (part.type) {
    case 'text':
      return part.text
    case 'reasoning':
      return ''
    case 'call':
      return [part.toolName, JSON.stringify(part.arguments), part.resultText ?? ''].join('\n')
    case 'search':
      return [part.query, ...part.passages.flatMap(({ fileName, text }) => [fileName, text])].join('\n')
    case 'form':
      return [part.action, ...Object.values(part.values ?? {}), part.resultText ?? ''].join('\n')
  }
}

/**
 * Returns the summary of a stored conversation; null if it cannot be read.
 *
 * @param isRunning whether its answer is being made; otherwise an unfinished one has failed.
 */
export function readSummary(
  { number, workspaceId, head }: StoredConversation,
  isRunning: boolean,
): ConversationSummary | null {
  const parsed = Head.safeParse(tryParseExact(head))
  if (!parsed.success) return null
  const { always: _always, agent: _agent, isRenamed: _isRenamed, status, ...rest } = parsed.data
  const isUnfinished = status === 'answering' || status === 'asking'
  return {
    conversationId: idOf(conversationPrefix, number),
    workspaceId,
    ...rest,
    status: isUnfinished && !isRunning ? 'failed' : status,
  }
}

/** Returns a stored transcript; null if it cannot be read. */
export function readTranscript(
  { number, workspaceId, head }: StoredConversation,
  items: readonly ConversationItem[],
): Transcript | null {
  const parsed = Head.safeParse(tryParseExact(head))
  if (!parsed.success) return null
  const { title, isRenamed, createdAt, updatedAt, always, agent } = parsed.data
  const messages: Message[] = []
  for (const { part, body } of items) {
    const last = messages.at(-1)
    if (part === -1) {
      const message = MessageHead.safeParse(tryParseExact(body))
      if (!message.success) return null
      messages.push({ ...message.data, parts: [] })
    } else {
      const value = MessagePart.safeParse(tryParseExact(body))
      if (!value.success || last === undefined) return null
      last.parts.push(value.data)
    }
  }
  const conversationId = idOf(conversationPrefix, number)
  return {
    ...{ conversationId, workspaceId, title, isRenamed, createdAt, updatedAt },
    ...{ always, agent, messages },
  }
}
