import { createSafeContext } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { z } from 'zod'
import type { Workspace } from '#shared/model/workspace.ts'
import { api } from '../../client/client.ts'
import { useLocalStorage } from '../../ui/use-local-storage.ts'

type Current = {
  /** Null until the workspaces are loaded. */
  readonly workspace: Workspace | null
  readonly workspaces: readonly Workspace[]
  choose(workspaceId: string): void
}

export const [WorkspaceContext, useWorkspace] = createSafeContext<Current>('There is no WorkspaceProvider.')
const ChosenId = z.string().nullable()

/** Provides the workspace that the lists show; the browser remembers the choice. */
export function WorkspaceProvider({ children }: { readonly children: ReactNode }) {
  const { data: workspaces } = useQuery(api.workspaces.list.queryOptions())
  const [chosen, choose] = useLocalStorage('workspace', ChosenId, null)
  const current = useMemo<Current>(() => {
    const all = workspaces ?? []
    const workspace = all.find(({ workspaceId }) => workspaceId === chosen) ?? all[0] ?? null
    return { workspace, workspaces: all, choose }
  }, [workspaces, chosen, choose])
  return <WorkspaceContext value={current}>{children}</WorkspaceContext>
}
