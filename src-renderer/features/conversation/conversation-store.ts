import type { Conversation, ConversationChange, Message, MessagePart } from '#shared/model/conversation.ts'

/** A conversation as the screen shows it. */
export type ConversationSnapshot = {
  /** The id that it was read for. */
  readonly id: string | null
  /** Null until it is loaded. */
  readonly conversation: Conversation | null
  /** `gone`: there is no such conversation. `lost`: what is shown may not be up to date. */
  readonly state: 'connecting' | 'live' | 'lost' | 'gone'
}

export const nothing: ConversationSnapshot = { id: null, conversation: null, state: 'connecting' }

/**
 * Holds the followed conversation for `useSyncExternalStore`.
 *
 * @param schedule runs a function soon, so that the words that arrive together are shown in one render.
 */
export function createConversationStore(schedule: (flush: () => void) => void) {
  let current = nothing
  let shown = nothing
  let isScheduled = false
  const listeners = new Set<() => void>()
  function flush(): void {
    isScheduled = false
    shown = current
    for (const listener of listeners) listener()
  }
  function set(next: ConversationSnapshot): void {
    current = next
    if (isScheduled) return
    isScheduled = true
    schedule(flush)
  }
  return {
    snapshot: () => shown,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    start(id: string | null) {
      if (id !== current.id) set({ ...nothing, id })
    },
    apply(change: ConversationChange) {
      const conversation = applyChange(current.conversation, change)
      set({ ...current, conversation, state: change.type === 'deleted' ? 'gone' : current.state })
    },
    setState: (state: ConversationSnapshot['state']) => set({ ...current, state }),
  }
}

/** Returns the conversation after a change; null once it is deleted. Unchanged messages stay the same objects. */
export function applyChange(before: Conversation | null, change: ConversationChange): Conversation | null {
  if (change.type === 'conversation') return change.conversation
  if (change.type === 'deleted' || before === null) return null
  switch (change.type) {
    case 'fields':
      return { ...before, ...change.conversation }
    case 'removed':
      return {
        ...before,
        messages: before.messages.filter(({ messageId }) => !change.messageIds.includes(messageId)),
      }
    case 'message':
      return { ...before, messages: withMessage(before.messages, change.message) }
    case 'part':
      return withPart(before, change, () => change.value)
    case 'text':
      return withPart(before, change, part =>
        part?.type === 'reasoning' || part?.type === 'text'
          ? { ...part, text: part.text + change.text }
          : { type: 'text', text: change.text },
      )
  }
}

function withMessage(messages: readonly Message[], message: Message): Message[] {
  const isKnown = messages.some(({ messageId }) => messageId === message.messageId)
  if (!isKnown) return [...messages, message]
  return messages.map(one => (one.messageId === message.messageId ? message : one))
}

function withPart(
  conversation: Conversation,
  { messageId, part }: { readonly messageId: string; readonly part: number },
  change: (before: MessagePart | undefined) => MessagePart,
): Conversation {
  const messages = conversation.messages.map(message => {
    if (message.messageId !== messageId) return message
    const value = change(message.parts[part])
    return { ...message, parts: [...message.parts.slice(0, part), value, ...message.parts.slice(part + 1)] }
  })
  return { ...conversation, messages }
}
