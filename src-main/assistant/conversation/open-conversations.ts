import type { ConfigStore } from '#main/storage/config-store.ts'
import type { ConversationStore } from '#main/storage/conversations.ts'
import { ServiceError } from '#shared/errors.ts'
import type { ContextUse, Conversation } from '#shared/model/conversation.ts'
import type { ContextCounter } from './context-use.ts'
import { instructionsOf } from './instructions.ts'
import { createSession, type Session } from './session.ts'
import { numberOfConversation, readTranscript } from './stored-transcript.ts'
import { interrupted, summaryOf, type Transcript } from './transcript.ts'

/** A conversation in memory. */
export type OpenConversation = Session & {
  instructions(): string
  /** Counts the context again, and shows it. */
  recount(): Promise<ContextUse>
  /** Resolves when the context was counted for the first time. */
  readonly counted: Promise<void>
}

/** Everyone who acquires a conversation releases it; the last one closes it. */
export type Held = { readonly session: OpenConversation; release(): void }

export type OpenConversations = {
  /** @throws ServiceError `conversation_not_found`. */
  acquire(conversationId: string): Promise<Held>
  /** Calls back with each one that is open. */
  forEach(act: (session: OpenConversation) => void): void
}

export function createOpenConversations(parts: {
  readonly config: Pick<ConfigStore, 'snapshot'>
  readonly store: ConversationStore
  readonly context: ContextCounter
  readonly nextNumber: () => number
  /** ISO 8601. */
  readonly now: () => string
  readonly onError: (error: unknown) => void
}): OpenConversations {
  const { config, store, context, nextNumber, now, onError } = parts
  const open = new Map<string, { readonly opening: Promise<OpenConversation>; users: number }>()

  async function load(conversationId: string): Promise<OpenConversation> {
    const number = numberOfConversation(conversationId)
    const found = number === null ? null : await store.get(number)
    const transcript = found && readTranscript(found.conversation, found.items)
    if (transcript === null || !config.snapshot().workspaces.has(transcript.workspaceId))
      throw new ServiceError('conversation_not_found')
    return opened(transcript)
  }

  function opened(stored: Transcript): OpenConversation {
    let use: ContextUse | null = null
    const view = (transcript: Transcript): Conversation => ({
      ...summaryOf(transcript),
      model: config.snapshot().settings.assistantModel,
      messages: transcript.messages,
      context: use,
      always: transcript.always,
    })
    // An answer that was being made when the service ended is marked, and stored so.
    const present = interrupted(stored)
    const session = createSession({ stored, present, store, nextNumber, view, onFailure: onError })
    const instructions = () =>
      instructionsOf(config.snapshot().workspaces.get(stored.workspaceId)?.name ?? '', now())
    async function recount(): Promise<ContextUse> {
      const counted = await context.count(config.snapshot(), session.now(), instructions())
      use = counted
      session.refresh()
      return counted
    }
    const counted = recount().then(() => {}, onError)
    return { ...session, instructions, recount, counted }
  }

  return {
    async acquire(conversationId) {
      const entry = open.get(conversationId) ?? { opening: load(conversationId), users: 0 }
      open.set(conversationId, entry)
      entry.users++
      let isHeld = true
      const release = () => {
        if (!isHeld) return
        isHeld = false
        if (--entry.users === 0 && open.get(conversationId) === entry) open.delete(conversationId)
      }
      try {
        const session = await entry.opening
        if (session.isEnded()) throw new ServiceError('conversation_not_found')
        return { session, release }
      } catch (error) {
        release()
        throw error
      }
    },
    forEach(act) {
      for (const { opening } of open.values()) opening.then(act, () => {})
    },
  }
}
