import type { Conversation, ConversationChange, Message, MessagePart } from '#shared/model/conversation.ts'
import { isWritten } from './transcript.ts'

/** Returns what changes one state of a conversation into another, in order. States share what stayed the same. */
export function changesBetween(from: Conversation, to: Conversation): ConversationChange[] {
  if (from === to) return []
  const changes: ConversationChange[] = []
  const kept = new Set(to.messages.map(({ messageId }) => messageId))
  const messageIds = from.messages.flatMap(({ messageId }) => (kept.has(messageId) ? [] : [messageId]))
  if (messageIds.length > 0) changes.push({ type: 'removed', messageIds })
  const known = new Map(from.messages.map(message => [message.messageId, message]))
  for (const message of to.messages) changes.push(...messageChanges(known.get(message.messageId), message))
  const { messages: _from, ...before } = from
  const { messages: _to, ...fields } = to
  if (JSON.stringify(before) !== JSON.stringify(fields))
    changes.push({ type: 'fields', conversation: fields })
  return changes
}

function messageChanges(from: Message | undefined, to: Message): ConversationChange[] {
  if (from === to) return []
  if (from === undefined || headOf(from) !== headOf(to) || from.parts.length > to.parts.length)
    return [{ type: 'message', message: to }]
  return to.parts.flatMap((part, place) => partChange(to.messageId, place, from.parts[place], part) ?? [])
}

function headOf({ parts: _parts, ...head }: Message): string {
  return JSON.stringify(head)
}

function partChange(
  messageId: string,
  part: number,
  from: MessagePart | undefined,
  to: MessagePart,
): ConversationChange | null {
  if (from === to) return null
  if (to.type === 'text' && from === undefined) return { type: 'text', messageId, part, text: to.text }
  if (isWritten(to) && from?.type === to.type && to.text.startsWith(from.text)) {
    const text = to.text.slice(from.text.length)
    return text === '' ? null : { type: 'text', messageId, part, text }
  }
  return { type: 'part', messageId, part, value: to }
}
