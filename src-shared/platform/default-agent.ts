import { defaultAgentId } from '../model/platform/parts.ts'

/** Returns the agent that a new conversation gets: `default`, or else the first one; null without agents. */
export function defaultAgentOf(agentIds: readonly string[]): string | null {
  return agentIds.includes(defaultAgentId) ? defaultAgentId : (agentIds[0] ?? null)
}
