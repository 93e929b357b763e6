import type { Conversation, FormPart, ToolCallPart } from '#shared/model/conversation.ts'
import { outcomeLabel } from './call-labels.ts'

/** In characters; a longer answer is read in the log itself. */
const longestAnnounced = 1000

/** Returns what has happened since, in sentences. What was there when the conversation was opened is not news. */
export function newsOf(before: Conversation | null, now: Conversation): string[] {
  if (before === null || before.conversationId !== now.conversationId) return []
  return [...formNews(before, now), ...answerNews(before, now)]
}

function formNews(before: Conversation, now: Conversation): string[] {
  if (before.messages === now.messages) return []
  const states = new Map(formsOf(before).map(({ formId, state }) => [formId, state]))
  return formsOf(now).flatMap(({ formId, action, state, status }) => {
    if (states.get(formId) === state || state === 'sending') return []
    if (state === 'offered') return [`A form is offered: ${action}.`]
    return [`Form ${action}: ${state === 'dismissed' ? 'dismissed' : (status ?? state)}`]
  })
}

function formsOf({ messages }: Conversation): FormPart[] {
  return messages.flatMap(({ parts }) => parts.flatMap(part => (part.type === 'form' ? [part] : [])))
}

function answerNews(before: Conversation, now: Conversation): string[] {
  const last = now.messages.at(-1)
  if (last === undefined || last.role === 'user') return []
  const old = before.messages.find(({ messageId }) => messageId === last.messageId)
  if (old === last) return []
  const calls = last.parts.flatMap((part, index) => {
    const was = old?.parts[index]
    if (part.type !== 'call' || (was?.type === 'call' && was.state === part.state)) return []
    return announcementOf(part) ?? []
  })
  return [...(old === undefined ? ['Answering.'] : []), ...calls, ...endOf(last, old)]
}

type Message = Conversation['messages'][number]

function endOf(now: Message, before: Message | undefined): string[] {
  if (now.ended === null || now.ended === before?.ended) return []
  if (now.ended === 'failed' || now.ended === 'cut') return [now.error?.message ?? 'The answer failed.']
  if (now.ended === 'stopped') return ['Stopped.']
  const text = now.parts.findLast(part => part.type === 'text')
  return [text?.type === 'text' ? text.text.slice(0, longestAnnounced) : 'The answer is complete.']
}

/** Returns the sentence that a screen reader hears when a call changes; null for nothing to say. */
function announcementOf(call: ToolCallPart): string | null {
  const { state, toolName, status } = call
  if (state === 'asking') return `Waiting for you: may it call ${toolName}?`
  if (state === 'running') return null
  const outcome = outcomeLabel(call) ?? (status === null ? 'done' : String(status))
  return `${toolName}: ${outcome}`
}
