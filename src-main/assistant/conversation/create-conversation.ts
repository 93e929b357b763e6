import { findWorkspace } from '#main/connections/workspaces.ts'
import { idOf, sequenceOfTime } from '#main/lib/sequence.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { ConversationBounds, ConversationStore } from '#main/storage/conversations.ts'
import { dayMs } from '#shared/durations.ts'
import type { ConversationAgent } from '#shared/model/conversation.ts'
import { defaultAgentId } from '#shared/model/platform/parts.ts'
import type { WebhookEvent } from '#shared/model/platform/webhook-event.ts'
import type { ToolListing } from '#shared/model/tool.ts'
import { conversationStarted } from '#shared/platform/webhook-events.ts'
import { defaultAgent, requireAgent } from './agent-choice.ts'
import type { KnowledgeSource } from './search-knowledge.ts'
import { conversationPrefix, storedHead } from './stored-transcript.ts'
import { newTranscript } from './transcript.ts'

export type CreateConversationParts = {
  readonly config: ConfigStore
  readonly store: ConversationStore
  readonly knowledge: KnowledgeSource
  /** Sends an event to the webhook of a workspace; durable when it resolves. */
  readonly deliver: (workspaceId: string, event: WebhookEvent) => Promise<void>
  readonly nextNumber: () => number
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/**
 * Stores a new conversation and sends `conversation.started`. Returns its id.
 *
 * @param given an undefined agent is the default one; without a title, the first message gives it one.
 * @throws ServiceError `workspace_not_found`, `invalid_input`, `unavailable`.
 */
export async function createConversation(
  parts: CreateConversationParts,
  workspaceId: string,
  given: {
    readonly agent?: ConversationAgent | null | undefined
    readonly title?: string | undefined
    readonly tools?: ToolListing | undefined
  },
): Promise<string> {
  const { store, knowledge, deliver, nextNumber, clock } = parts
  const config = parts.config.snapshot()
  findWorkspace(config, workspaceId)
  const agent = given.agent === undefined ? await defaultAgent(config, knowledge, workspaceId) : given.agent
  await requireAgent(parts.config.snapshot(), knowledge, workspaceId, agent)
  const number = nextNumber()
  const conversationId = idOf(conversationPrefix, number)
  const timestamp = new Date(clock()).toISOString()
  const { title, tools = 'all' } = given
  const transcript = newTranscript({ conversationId, workspaceId, agent, tools, title }, timestamp)
  await store.create(storedHead(transcript, number), bounds(clock()))
  const started = conversationStarted(agent?.agentId ?? defaultAgentId, timestamp)
  await deliver(workspaceId, started).catch(async error => {
    // Otherwise each attempt to start one would leave an empty conversation.
    await store.remove(number)
    throw error
  })
  return conversationId
}

function bounds(now: number): ConversationBounds {
  return {
    mostPerWorkspace: 1000,
    mostBytes: 512 * 1024 * 1024,
    oldest: sequenceOfTime(now - 365 * dayMs),
  }
}
