import { listConnections } from '#main/connections/connection-order.ts'
import { idOf } from '#main/lib/sequence.ts'
import { callPrefix, factsOf } from '#main/outbound/finished-call.ts'
import { searchedIds } from '#main/storage/config.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { StoredOccurrence } from '#main/storage/occurrence-storage.ts'
import { refusalErrors } from '#shared/errors/assistant.ts'
import { callErrors } from '#shared/errors/call.ts'
import { isObject, tryParseExact } from '#shared/json/exact-json.ts'
import type { AssistantCall, AssistantCallPage } from '#shared/model/assistant.ts'
import { AssistantSource, type CallArguments } from '#shared/model/call.ts'
import type { History } from './history.ts'
import { numberIn, recalled } from './kinds.ts'

/** The tool calls that assistants made. */
type AssistantCalls = {
  /** Returns a page of calls, newest first. @throws ServiceError `workspace_not_found`. */
  list(query: {
    readonly workspaceId?: string | undefined
    readonly before?: string | undefined
    readonly limit: number
  }): Promise<AssistantCallPage>
}

export function createAssistantCalls(
  history: Pick<History, 'list'>,
  store: Pick<ConfigStore, 'snapshot'>,
): AssistantCalls {
  return {
    async list({ workspaceId, before, limit }) {
      const config = store.snapshot()
      const ids = searchedIds(config, listConnections(config, workspaceId))
      const below = before === undefined ? null : numberOf(before)
      const { occurrences, checkedAbove } = await history.list({
        kinds: ['call.finished', 'call.refused'],
        connectionIds: ids && [null, ...ids],
        sources: AssistantSource.options,
        ...(below !== null && { below }),
        limit,
        details: 'arguments',
      })
      const calls = occurrences.flatMap(record => callOf(record) ?? [])
      return { calls, nextBefore: checkedAbove < 0 ? null : idOf(callPrefix, checkedAbove + 1) }
    },
  }
}

/** Returns the number in the id of a call or a refused call; null for any other text. */
function numberOf(id: string): number | null {
  return numberIn('call.finished', id) ?? numberIn('call.refused', id)
}

/** The fields that a refused call does not have. */
const nothingSent = { callId: null, ok: false, status: null, totalMs: null } as const

function callOf(record: StoredOccurrence): AssistantCall | null {
  const found = recalled(record)
  if (found?.kind !== 'call.finished' && found?.kind !== 'call.refused') return null
  const { data: source } = AssistantSource.safeParse(found.source)
  if (source === undefined) return null
  const { id, at, connectionId, toolName, code, client } = found
  const facts = found.kind === 'call.finished' ? factsOf(found) : { ...found, ...nothingSent }
  const { callId, actionId, method, ok, status, totalMs } = facts
  return {
    ...{ id, source, connectionId, actionId, toolName, method, ok, status, code, totalMs, callId },
    at: new Date(at).toISOString(),
    clientName: client?.name ?? null,
    tokenId: client?.tokenId ?? null,
    tokenName: client?.tokenName ?? null,
    name: client?.tool ?? toolName,
    arguments: argumentsOf(record),
    reason: code === null ? null : reasonOf(code),
  }
}

function argumentsOf({ details }: StoredOccurrence): CallArguments {
  const given = tryParseExact(details)
  return isObject(given) ? given : {}
}

function reasonOf(code: string): string | null {
  const messages: Readonly<Record<string, string>> = { ...callErrors, ...refusalErrors }
  return messages[code] ?? null
}
