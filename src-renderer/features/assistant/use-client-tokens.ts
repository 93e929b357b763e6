import { useMutation, useQuery } from '@tanstack/react-query'
import type { ClientToken } from '#shared/model/assistant.ts'
import type { Permission } from '#shared/model/permission.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import { useCommand } from '../../ui/use-command.ts'
import { useWorkspace } from '../workspaces/current-workspace.tsx'
import { type JudgedTool, withPermission } from './permissions.ts'

/** Returns the client tokens that reach the current workspace, in the order of creation. */
export function useClientTokens() {
  const { workspace } = useWorkspace()
  const query = useQuery(api.assistant.tokens.queryOptions())
  return {
    ...query,
    data: query.data?.filter(
      ({ workspaceId }) => workspaceId === null || workspaceId === workspace?.workspaceId,
    ),
  }
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

type Cell = { readonly tokenId: string; readonly tool: JudgedTool; readonly permission: Permission }

/**
 * Returns a function that sets one permission of a token, shown at once. The changes are sent one after another, each to
 * the permissions that the service has then, so that none undoes another.
 */
export function useSetPermission() {
  const queryKey = api.assistant.tokens.queryKey()
  const mutationKey = ['permission']
  const { mutate } = useMutation({
    mutationKey,
    scope: { id: 'permission' },
    async mutationFn({ tokenId, tool, permission }: Cell) {
      const token = (await client.assistant.tokens()).find(one => one.tokenId === tokenId)
      const permissions = token === undefined ? {} : withPermission(token, tool, permission)
      await client.assistant.updateToken({ tokenId, permissions })
    },
    onMutate: ({ tokenId, tool, permission }) =>
      queries.setQueryData<ClientToken[]>(queryKey, tokens =>
        tokens?.map(token =>
          token.tokenId === tokenId
            ? { ...token, permissions: withPermission(token, tool, permission) }
            : token,
        ),
      ),
    onError: error => toastProblem('The permission was not changed', error),
    onSettled: () => {
      // An answer that is older than the next change would take it back on the screen.
      if (queries.isMutating({ mutationKey }) === 1) void queries.invalidateQueries({ queryKey })
    },
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
