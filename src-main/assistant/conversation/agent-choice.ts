import { agentKey, type Config } from '#main/storage/config.ts'
import { ServiceError } from '#shared/errors.ts'
import { ConversationAgent } from '#shared/model/conversation.ts'
import { defaultAgentOf } from '#shared/platform/default-agent.ts'
import type { KnowledgeSource } from './search-knowledge.ts'

/** Returns the agent of a new conversation of a workspace; null without agents. */
export async function defaultAgent(
  { agents }: Config,
  knowledge: Pick<KnowledgeSource, 'agents'>,
  workspaceId: string,
): Promise<ConversationAgent | null> {
  const known = [...agents.values(), ...(await knowledge.agents())]
  const ids = known.flatMap(agent => (agent.workspaceId === workspaceId ? [agent.agentId] : []))
  const agentId = defaultAgentOf(ids)
  return agentId === null ? null : ConversationAgent.parse({ agentId })
}

/** @throws ServiceError `invalid_input` if the workspace has no such agent. */
export async function requireAgent(
  { agents }: Config,
  knowledge: Pick<KnowledgeSource, 'list'>,
  workspaceId: string,
  agent: ConversationAgent | null,
): Promise<void> {
  if (agent === null) return
  const scope = { workspaceId, agentId: agent.agentId }
  if (agents.has(agentKey(scope)) || (await knowledge.list(scope)).length > 0) return
  const message = `The workspace has no agent ${agent.agentId}.`
  throw new ServiceError('invalid_input', { data: { issues: [{ path: 'agent.agentId', message }] } })
}
