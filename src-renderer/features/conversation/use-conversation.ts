import { useEffect, useState, useSyncExternalStore } from 'react'
import type { ConversationChange } from '#shared/model/conversation.ts'
import { client } from '../../client/client.ts'
import { followLive, wait } from '../../client/follow-live.ts'
import { problemOf } from '../../ui/problem.ts'
import { type ConversationSnapshot, createConversationStore, nothing } from './conversation-store.ts'

/** Follows a conversation while the calling component is mounted. @param id null for none. */
export function useConversation(id: string | null): ConversationSnapshot {
  const [store] = useState(() => createConversationStore(requestAnimationFrame))
  useEffect(() => {
    store.start(id)
    if (id === null) return
    const stop = new AbortController()
    void followLive<ConversationChange>({
      open: (_lastEventId, signal) => client.conversations.follow({ conversationId: id }, { signal }),
      onMessage(change) {
        if (stop.signal.aborted) return
        store.apply(change)
        if (change.type === 'deleted') stop.abort()
      },
      onState(state, error) {
        if (stop.signal.aborted) return
        const isGone = error !== undefined && problemOf(error).code === 'conversation_not_found'
        store.setState(isGone ? 'gone' : state)
        if (isGone) stop.abort()
      },
      wait,
      signal: stop.signal,
    })
    return () => stop.abort()
  }, [id, store])
  const snapshot = useSyncExternalStore(store.subscribe, store.snapshot)
  return snapshot.id === id ? snapshot : { ...nothing, id }
}
