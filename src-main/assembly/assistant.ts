import { createAssistant } from '#main/assistant/assistant.ts'
import { createContextCounter } from '#main/assistant/conversation/context-use.ts'
import { createConversations } from '#main/assistant/conversation/conversations.ts'
import { createModelHttp } from '#main/assistant/conversation/model-http.ts'
import { createModelStream } from '#main/assistant/conversation/model-stream.ts'
import type { Trust } from '#main/outbound/trust.ts'
import { createKnowledge } from '#main/platform/knowledge/knowledge.ts'
import type { Storage } from '#main/storage/storage.ts'

type OfAssistant = Parameters<typeof createAssistant>[0]
type OfConversations = Parameters<typeof createConversations>[0]

type Parts = Pick<
  OfAssistant,
  'history' | 'callHistory' | 'calls' | 'random' | 'publish' | 'command' | 'dataFolder' | 'approvalMs'
> &
  Pick<OfConversations, 'deliver'> & {
    readonly environment: OfAssistant['environment'] & OfConversations['environment']
    readonly storage: Storage
    readonly trust: Trust
  }

/** Creates the tools that clients of MCP call, and the conversations with a model, which call the same ones. */
export function assembleAssistant({ storage, environment, calls, trust, deliver, ...parts }: Parts) {
  const { config: store, ids, clock, onError, isShared } = storage
  const { heldCalls, tokenUses, presence, signals } = storage
  const node = storage.nodes.id
  const assistant = createAssistant({
    ...parts,
    ...{ store, calls, environment, clock, onError, heldCalls, tokenUses, presence, signals, node, isShared },
    nextNumber: ids.number,
  })
  const knowledge = createKnowledge({
    ...{ files: storage.knowledge, store, clock, random: parts.random, onError },
  })
  const modelHttp = createModelHttp({ trust })
  const conversations = createConversations({
    ...{ config: store, store: storage.conversations, heldCalls, calls, node, environment, deliver },
    refuse: assistant.refuse,
    toolSearch: assistant.search,
    stream: createModelStream(modelHttp),
    context: createContextCounter(assistant.counter, assistant.costs),
    knowledge,
    nextNumber: ids.number,
    ...{ clock, onError },
  })
  return { assistant, knowledge, modelHttp, conversations }
}
