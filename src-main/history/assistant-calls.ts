import { findWorkspace } from '#main/connections/workspaces.ts'
import { callKinds } from '#main/outbound/finished-call.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { StoredOccurrence } from '#main/storage/occurrence-storage.ts'
import { type CallErrorCode, callErrors } from '#shared/errors/call.ts'
import { parseExact } from '#shared/json/exact-json.ts'
import type { AssistantCall, AssistantCallPage } from '#shared/model/assistant.ts'
import { CallArguments } from '#shared/model/call.ts'
import type { History } from './history.ts'
import { numberIn } from './kinds.ts'

/** The tool calls that assistants made. */
export type AssistantCalls = {
  /** Returns a page of calls, newest first. @throws ServiceError `workspace_not_found`. */
  list(query: {
    readonly workspaceId?: string | undefined
    readonly before?: string | undefined
    readonly limit: number
  }): Promise<AssistantCallPage>
}

const sources = ['mcp', 'conversation'] as const

export function createAssistantCalls(
  history: Pick<History, 'search'>,
  store: Pick<ConfigStore, 'snapshot'>,
): AssistantCalls {
  return {
    async list({ workspaceId, before, limit }) {
      const config = store.snapshot()
      if (workspaceId !== undefined) findWorkspace(config, workspaceId)
      const connectionIds = [...config.connections.values()]
        .filter(connection => workspaceId === undefined || connection.workspaceId === workspaceId)
        .map(({ connectionId }) => connectionId)
      const records = await history.search({
        kinds: ['call.finished'],
        connectionIds,
        sources,
        before: before === undefined ? null : numberIn('call.finished', before),
        // One more shows whether there is another page.
        limit: limit + 1,
      })
      const calls = records.slice(0, limit).flatMap(record => callOf(record) ?? [])
      const isMore = records.length > limit
      return { calls, nextBefore: isMore ? (calls.at(-1)?.id ?? null) : null }
    },
  }
}

function callOf(record: StoredOccurrence): AssistantCall | null {
  const call = callKinds['call.finished'].stored.fromSummary(record)
  if (call === null || (call.source !== 'mcp' && call.source !== 'conversation')) return null
  const { id, connectionId, actionId, toolName, method, ok, status, code, totalMs, source, client } = call
  return {
    ...{ id, source, connectionId, actionId, toolName, method, ok, status, code, totalMs, callId: id },
    at: new Date(call.at).toISOString(),
    clientName: client?.name ?? null,
    tokenId: client?.tokenId ?? null,
    tokenName: client?.tokenName ?? null,
    name: client?.tool ?? toolName,
    arguments: argumentsOf(record),
    reason: code === null ? null : reasonOf(code),
  }
}

function argumentsOf({ details }: StoredOccurrence): CallArguments {
  return CallArguments.safeParse(parseExact(details)).data ?? {}
}

function reasonOf(code: string): string | null {
  const isCallError = (given: string): given is CallErrorCode => Object.hasOwn(callErrors, given)
  return isCallError(code) ? callErrors[code].message : null
}
