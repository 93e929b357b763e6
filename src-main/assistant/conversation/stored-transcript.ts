import { z } from 'zod'
import { idOf, numberOfId, timeOfSequence } from '#main/lib/sequence.ts'
import type {
  ConversationItem,
  ConversationWrite,
  ReadConversation,
  StoredConversation,
} from '#main/storage/conversations.ts'
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
  // Missing for all: earlier versions do not know it.
  tools: Conversation.shape.tools.optional(),
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
  const { always, agent, isRenamed, tools } = transcript
  const head = { ...summary, always, agent, isRenamed, ...(tools !== 'all' && { tools }) }
  return {
    number: numberOfConversation(conversationId) ?? 0,
    workspaceId,
    updated,
    head: JSON.stringify(head satisfies z.input<typeof Head>),
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
 * Returns the summary of a stored conversation. One that the disk has damaged keeps its place, so that it can be deleted.
 * An unfinished answer that nobody makes has failed.
 */
export function readSummary({
  number,
  workspaceId,
  updated,
  head,
  owners,
}: ReadConversation): ConversationSummary {
  const conversationId = idOf(conversationPrefix, number)
  const parsed = Head.safeParse(tryParseExact(head))
  if (!parsed.success)
    return {
      ...{ conversationId, workspaceId, title: 'Damaged conversation', calls: 0, status: 'failed' },
      ...{ createdAt: timeOf(number), updatedAt: timeOf(updated) },
    }
  const { always: _always, agent: _agent, isRenamed: _isRenamed, tools: _tools, ...shown } = parsed.data
  const { status, ...rest } = shown
  const isUnfinished = status === 'answering' || status === 'asking'
  const isInterrupted = isUnfinished && owners.length === 0
  return { conversationId, workspaceId, ...rest, status: isInterrupted ? 'failed' : status }
}

const timeOf = (number: number) => new Date(timeOfSequence(number)).toISOString()

/** The part that a message shows in place of one that the disk has damaged. */
const damagedPart: MessagePart = { type: 'text', text: '[The disk has damaged this part of the message.]' }

/** Returns the head of a message in whose place the storage has none. The user and the assistant take turns. */
function damagedHead(place: number, at: string): Omit<Message, 'parts'> {
  const role = place % 2 === 0 ? 'user' : 'assistant'
  const ended = role === 'user' ? null : 'complete'
  return { messageId: idOf('msg_', place), role, at, usage: null, tookMs: null, ended, error: null }
}

/**
 * Returns a stored transcript, with a note in the place of each part that is damaged or lost. Null if its head cannot be
 * read.
 */
export function readTranscript(
  { number, workspaceId, head }: StoredConversation,
  items: readonly ConversationItem[],
): Transcript | null {
  const parsed = Head.safeParse(tryParseExact(head))
  if (!parsed.success) return null
  const { title, isRenamed, createdAt, updatedAt, always, agent, tools = 'all' } = parsed.data
  const messages: Message[] = []
  for (const { message: place, part, body } of items) {
    const json = tryParseExact(body)
    const message = part === -1 ? MessageHead.safeParse(json).data : undefined
    // Later changes are written to the same places, so none may move.
    while (messages.length <= place) {
      const isThis = messages.length === place && message !== undefined
      messages.push(
        isThis
          ? { ...message, parts: [] }
          : {
              ...damagedHead(messages.length, createdAt),
              parts: messages.length === place ? [] : [damagedPart],
            },
      )
    }
    const parts = messages[place]?.parts ?? []
    while (parts.length < part) parts.push(damagedPart)
    if (part >= 0) parts.push(MessagePart.safeParse(json).data ?? damagedPart)
  }
  const conversationId = idOf(conversationPrefix, number)
  return {
    ...{ conversationId, workspaceId, title, isRenamed, createdAt, updatedAt },
    ...{ always, agent, tools, messages },
  }
}
