import { useMutation, useMutationState, useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import { ClientToken } from '#shared/model/assistant.ts'
import { Permission } from '#shared/model/permission.ts'
import { Tool } from '#shared/model/tool.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { problemOf } from '../../ui/problem.ts'
import type { Reading } from '../../ui/query-state.tsx'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import { useCommand } from '../../ui/use-command.ts'
import { withPermission } from './permissions.ts'

const mutationKey = ['permission']
/** How often a permission is sent because somebody else has changed the token meanwhile. */
const maxTries = 6
/** A change of one permission of a token. */
const Cell = z.object({
  tokenId: z.string(),
  tool: Tool.pick({ connectionId: true, actionId: true, annotations: true }),
  permission: Permission,
})
type Cell = z.infer<typeof Cell>

/**
 * Returns the client tokens that reach the current workspace, in the order of creation, with the permissions that are
 * being changed: an answer that is older than a change must not take it back on the screen.
 */
export function useClientTokens(): Reading & { readonly data: readonly ClientToken[] | undefined } {
  const { workspace } = useWorkspace()
  const { data, error, refetch } = useQuery(api.assistant.tokens.queryOptions())
  const pending = useMutationState({
    filters: { mutationKey, status: 'pending' },
    select: ({ state }) => Cell.safeParse(state.variables).data,
  })
  return {
    ...{ error, refetch },
    data: data
      ?.filter(({ workspaceId }) => workspaceId === null || workspaceId === workspace?.workspaceId)
      .map(token => pending.reduce(withCell, token)),
  }
}

function withCell(token: ClientToken, cell: Cell | undefined): ClientToken {
  if (cell?.tokenId !== token.tokenId) return token
  return { ...token, permissions: withPermission(token, cell.tool, cell.permission) }
}

/** Returns a function that changes a token, shown at once and taken back if the service refuses it. */
export function useUpdateToken() {
  const queryKey = api.assistant.tokens.queryKey()
  const { mutate } = useMutation(
    api.assistant.updateToken.mutationOptions({
      async onMutate({ tokenId, ...change }) {
        await queries.cancelQueries({ queryKey })
        const before = queries.getQueryData<ClientToken[]>(queryKey)
        queries.setQueryData<ClientToken[]>(queryKey, tokens =>
          tokens?.map(token => (token.tokenId === tokenId ? { ...token, ...change } : token)),
        )
        return () => queries.setQueryData(queryKey, before)
      },
      onError(error, _change, goBack) {
        goBack?.()
        toastProblem('The token was not changed', error)
      },
      onSettled: () => queries.invalidateQueries({ queryKey: api.assistant.key() }),
    }),
  )
  return mutate
}

/**
 * Returns a function that sets one permission of a token, shown at once. The changes are sent one after another, each to
 * the permissions that the service has then, so that none undoes another, nor one of another window.
 */
export function useSetPermission() {
  const { mutate } = useMutation({
    mutationKey,
    scope: { id: 'permission' },
    async mutationFn({ tokenId, tool, permission }: Cell) {
      let token = (await client.assistant.tokens()).find(one => one.tokenId === tokenId)
      for (let tries = 1; ; tries++)
        try {
          const permissions = token === undefined ? {} : withPermission(token, tool, permission)
          await client.assistant.updateToken({ tokenId, permissions, ifUpdatedAt: token?.updatedAt })
          return
        } catch (error) {
          const { current } = problemOf(error)
          if (current === undefined || tries === maxTries) throw error
          token = ClientToken.parse(current)
        }
    },
    onError: error => toastProblem('The permission was not changed', error),
    // Pending until the new permissions are read.
    onSettled: () => queries.invalidateQueries({ queryKey: api.assistant.tokens.queryKey() }),
  })
  return mutate
}

/** Revokes a token: its client is refused from now on. */
export function useRevokeToken() {
  return useCommand(
    ({ tokenId }: Pick<ClientToken, 'tokenId' | 'name'>) => client.assistant.removeToken({ tokenId }),
    ({ name }) => `Token “${name}” was not revoked`,
    async (_removed, { name }) => {
      await queries.invalidateQueries({ queryKey: api.assistant.key() })
      toastDone(`Token “${name}” revoked`, 'Its client is refused from now on.')
    },
  )
}
