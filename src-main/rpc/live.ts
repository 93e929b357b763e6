import { withEventMeta } from '@orpc/server'
import { type ChangeCounts, countChanges, followLive } from '#main/live/live.ts'
import type { LiveMessage } from '#shared/model/live.ts'
import type { Handlers, RpcParts } from './context.ts'

/** How long a client waits before it reconnects, in milliseconds. */
const retryMs = 1000

export function live(parts: RpcParts): Handlers['live'] {
  const liveParts = {
    ...parts,
    runChanges: parts.engine.changes,
    assistantChanges: parts.assistant.changes,
    knowledgeChanges: parts.knowledge.changes,
    conversationChanges: parts.conversations.changes,
    pauses: parts.callLimits.pauses,
    isShared: parts.isShared,
  }
  return {
    follow: ({ input: { since }, lastEventId, signal }) => {
      const start = parts.about().startedAt
      const isNew = lastEventId === undefined && since === undefined
      // Everything is announced to a reader that reconnects: it may have lost messages that were sent.
      const known = isNew ? countChanges(liveParts) : knownAt(lastEventId === undefined ? since : '', start)
      const messages = followLive(liveParts, { known, signal })
      return withMeta(messages, () => positionOf(known, start))
    },
  }
}

/** Encodes the counts as a stream position, which begins with the service's start time: those of earlier runs never match. */
const positionOf = (counts: ChangeCounts, start: string) =>
  [start, ...countedKinds.map(kind => counts[kind])].join(' ')
const countedKinds = ['configuration', 'runs', 'assistant', 'conversations', 'listener', 'activity'] as const

/** Returns the counts in the id of a message; counts that differ from all others if it has none of this start. */
function knownAt(id = '', start: string): ChangeCounts {
  const [startThen, ...counts] = id.split(' ')
  const [configuration = -1, runs = -1, assistant = -1, conversations = -1, listener = -1, activity = -1] =
    startThen === start ? counts.map(Number) : []
  return { configuration, runs, assistant, conversations, listener, activity }
}

async function* withMeta(messages: AsyncIterable<LiveMessage>, position: () => string) {
  for await (const message of messages) yield withEventMeta(message, { id: position(), retry: retryMs })
}
