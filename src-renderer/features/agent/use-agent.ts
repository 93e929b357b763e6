import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { AgentId, defaultAgentId } from '#shared/model/platform/parts.ts'
import { api } from '../../client/client.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { useLocalStorage } from '../../ui/use-local-storage.ts'

const StoredId = AgentId.catch(defaultAgentId)

/** Identifies an agent of a workspace. */
export type Scope = { readonly workspaceId: string; readonly agentId: string }

/**
 * Returns the agent whose pages are open, and a function that opens another one. The address names it; without one, it
 * is the agent that was open last in this workspace.
 */
export function useAgent() {
  const navigate = useNavigate()
  const { workspace } = useWorkspace()
  const { agent: named } = useSearch({ strict: false })
  const workspaceId = workspace?.workspaceId ?? null
  const [remembered, remember] = useLocalStorage(`agent:${workspaceId}`, StoredId, defaultAgentId)
  const agentId = named ?? remembered
  useEffect(() => {
    if (named !== undefined && workspaceId !== null) remember(named)
  }, [named, workspaceId, remember])
  return {
    /** Null until the workspace is known. */
    scope: workspaceId === null ? null : { workspaceId, agentId },
    /** Asks first if changes would be lost. */
    open: (agentId: string) => void navigate({ to: '.', search: { agent: agentId } }),
  }
}

/** Returns the ids of the workspace's agents: `default`, those with a saved shape or a file, and the open one. */
export function useAgentIds(scope: Scope): readonly string[] {
  const { data = [] } = useQuery(
    api.platform.agents.queryOptions({ input: { workspaceId: scope.workspaceId } }),
  )
  return [...new Set([defaultAgentId, ...data.map(({ agentId }) => agentId), scope.agentId])].sort(
    (one, other) =>
      Number(other === defaultAgentId) - Number(one === defaultAgentId) || one.localeCompare(other),
  )
}
