import { useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useMemo } from 'react'
import { z } from 'zod'
import type { Workspace } from '#shared/model/workspace.ts'
import { api } from '../../client/client.ts'
import { useLocalStorage } from '../../ui/use-local-storage.ts'

type Current = {
  /** Null until the workspaces are known. */
  readonly workspace: Workspace | null
  readonly workspaces: readonly Workspace[]
  choose(workspaceId: string): void
}

const WorkspaceContext = createContext<Current | null>(null)
const Kept = z.string().nullable()

/** Which workspace the lists show; this browser remembers it. */
export function WorkspaceProvider({ children }: { readonly children: ReactNode }) {
  const { data: workspaces } = useQuery(api.workspaces.list.queryOptions())
  const [chosen, choose] = useLocalStorage('workspace', Kept, null)
  const current = useMemo<Current>(() => {
    const all = workspaces ?? []
    const workspace = all.find(({ workspaceId }) => workspaceId === chosen) ?? all[0] ?? null
    return { workspace, workspaces: all, choose }
  }, [workspaces, chosen, choose])
  return <WorkspaceContext value={current}>{children}</WorkspaceContext>
}

export function useWorkspace(): Current {
  const current = use(WorkspaceContext)
  if (current === null) throw new Error('This stands outside the WorkspaceProvider.')
  return current
}
