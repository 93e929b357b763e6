import { followSources } from '#main/lib/follow-sources.ts'
import type { Conversation, ConversationChange } from '#shared/model/conversation.ts'
import { changesBetween } from './changes.ts'
import type { Held } from './open-conversations.ts'

/**
 * Yields a conversation, then its changes until it is deleted or the signal aborts. A slow reader costs one reference to
 * the state that it has: what it gets next is the difference from that.
 */
export async function* followConversation(
  { session, release }: Held,
  signal: AbortSignal | undefined,
): AsyncGenerator<ConversationChange> {
  let sent: Conversation | null = null
  let waiting: ConversationChange[] = []
  function take(): ConversationChange | null {
    const next = waiting.shift()
    if (next !== undefined) return next
    if (session.isEnded()) return { type: 'deleted' }
    const shown = session.shown()
    const known = sent
    sent = shown
    if (known === null) return { type: 'conversation', conversation: shown }
    waiting = changesBetween(known, shown)
    return waiting.shift() ?? null
  }
  const open = (wake: () => void) => [{ take, stop: session.changes.subscribe(wake) }]
  try {
    for await (const change of followSources(open, signal)) {
      yield change
      if (change.type === 'deleted') return
    }
  } finally {
    release()
  }
}
