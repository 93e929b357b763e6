import { keepPreviousData, skipToken, useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import type { Approval, ApprovalDecision, AssistantTools } from '#shared/model/assistant.ts'
import { withoutTurning } from '#shared/model/text.ts'
import { api } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import { labelOfClient } from './configurations.ts'

/** Clients without a session, and their calls, come and go without a message to the page. */
const readEveryMs = 10_000
const firstPage = 6
const pageSize = 50
const newest: string | undefined = undefined

function useWorkspaceInput() {
  const { workspace } = useWorkspace()
  return workspace === null ? skipToken : { workspaceId: workspace.workspaceId }
}

/** Returns the tools of the current workspace as a model sees them. @param connectionId only those of this connection. */
export function useAssistantTools(connectionId: string | null) {
  const { workspace } = useWorkspace()
  return useInfiniteQuery(
    api.assistant.tools.infiniteOptions({
      input: (after: string | undefined) => ({
        ...{ workspaceId: workspace?.workspaceId, connectionId: connectionId ?? undefined },
        ...{ after, limit: toolsPerPage },
      }),
      initialPageParam: newest,
      getNextPageParam: ({ tools }) => (tools.length < toolsPerPage ? undefined : tools.at(-1)?.name),
      enabled: workspace !== null,
      placeholderData: keepPreviousData,
    }),
  )
}

export const toolsIn = ({ tools }: AssistantTools) => tools
/** The tools that are read at once, and those that are read without being asked for. */
const toolsPerPage = 100
export const firstTools = 500

/** Returns the MCP clients that are connected to the current workspace. */
export function useMcpClients() {
  const input = useWorkspaceInput()
  return useQuery(api.assistant.clients.queryOptions({ input, refetchInterval: readEveryMs }))
}

/** Returns the tool calls of the current workspace, newest first: at first as many as fit the screen. */
export function useAssistantCalls() {
  const { workspace } = useWorkspace()
  return useInfiniteQuery(
    api.assistant.calls.infiniteOptions({
      input: (before: string | undefined) => ({
        workspaceId: workspace?.workspaceId,
        before,
        limit: before === undefined ? firstPage : pageSize,
      }),
      initialPageParam: newest,
      getNextPageParam: ({ nextBefore }) => nextBefore ?? undefined,
      enabled: workspace !== null,
      refetchInterval: readEveryMs,
    }),
  )
}

/** Returns the calls of MCP clients that wait for a decision, in all workspaces. */
export const useApprovals = () => useQuery(api.assistant.approvals.queryOptions())

/** Returns the mutation that allows or declines a call that waits. */
export function useDecision() {
  return useMutation({
    mutationFn: ({ approval: { approvalId }, decision }: Decided) =>
      api.assistant.decide.call({ approvalId, decision }),
    onSuccess: (_approval, { approval: { name }, decision }) =>
      toastDone(decision === 'allow' ? `${name} allowed` : `${name} declined`),
    onError: error => toastProblem('The decision was not saved', error),
    onSettled: () => queries.invalidateQueries({ queryKey: api.assistant.key() }),
  })
}

type Decided = { readonly approval: Approval; readonly decision: ApprovalDecision }

/** Returns the name of the client, else its token's. */
export const callerOf = ({ clientName, tokenName }: Pick<Approval, 'clientName' | 'tokenName'>) =>
  withoutTurning(clientName === null ? (tokenName ?? 'A client') : labelOfClient(clientName))
