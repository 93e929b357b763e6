import { useState } from 'react'
import { type Conversation, ConversationAgent } from '#shared/model/conversation.ts'
import { defaultAgentOf } from '#shared/platform/default-agent.ts'
import { client } from '../../client/client.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { useCommand } from '../../ui/use-command.ts'
import { useAgentIds } from './agent-section.tsx'

type Choice = { readonly workspaceId: string | undefined; readonly agent: ConversationAgent | null }

/** Returns the agent of the open conversation, or of one that begins with its first message, and how to choose it. */
export function useConversationAgent(id: string | null, conversation: Conversation | null) {
  const agentIds = useAgentIds()
  const workspaceId = useWorkspace().workspace?.workspaceId
  const [choice, setChoice] = useState<Choice>()
  /** Undefined until somebody chooses. */
  const chosen = choice?.workspaceId === workspaceId ? choice?.agent : undefined
  const update = useCommand(client.conversations.update, 'The agent was not changed')
  const first = agentIds === undefined ? undefined : defaultAgentOf(agentIds)
  const byDefault = typeof first === 'string' ? ConversationAgent.parse({ agentId: first }) : first
  return {
    /** Undefined until it is known. */
    agent: id !== null ? conversation?.agent : chosen === undefined ? byDefault : chosen,
    /** The agent that was chosen for a conversation that begins; undefined for the service’s default. */
    ofNew: chosen,
    isChanging: update.isPending,
    choose(agent: ConversationAgent | null) {
      if (id === null) setChoice({ workspaceId, agent })
      else update.mutate({ conversationId: id, agent })
    },
  }
}
