import { z } from 'zod'
import type { Environment } from '#main/connections/environment.ts'
import type { CallOutcome } from '#main/outbound/call.ts'
import type { FinishedCall } from '#main/outbound/calls.ts'
import { keptTextMasker } from '#main/outbound/mask-text.ts'
import { maskTree } from '#main/outbound/mask-tree.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { OccurrenceSummary, StoredOccurrence } from '#main/storage/occurrence-storage.ts'
import { parseExact } from '#shared/json/exact-json.ts'
import { Method } from '#shared/model/action.ts'
import { CallRecord, CallSource, type LastTest, type TestRecord } from '#shared/model/call.ts'
import { type History, idOf, numberOfId } from './history.ts'
import { shortenCall } from './shorten-call.ts'

/** Tests of an action that are listed at most. */
const maxPerAction = 50

type Arguments = CallRecord['arguments']

const Summary = z.object({
  toolName: z.string(),
  method: Method,
  status: z.int().nullable(),
  ok: z.boolean(),
  code: z.string().nullable(),
  totalMs: z.number(),
  source: CallSource,
})

/** Every call of an action, over a restart, its secrets masked. */
export type CallHistory = {
  /**
   * Keeps a call that has ended.
   *
   * @param outcome as the caller gave it, its secrets masked.
   */
  keep(call: FinishedCall, given: Arguments, outcome: CallOutcome): void
  /** The last calls of an action, newest first. */
  tests(connectionId: string, actionId: string): Promise<TestRecord[]>
  /** The newest of each action of a connection that has any. */
  newest(connectionId: string): Promise<LastTest[]>
  /** One call; null where it is no longer kept. */
  get(callId: string): Promise<CallRecord | null>
}

/** @param environment whose values arguments may not show: a tester can have pasted one there. */
export function createCallHistory(
  history: History,
  store: Pick<ConfigStore, 'snapshot'>,
  environment: Pick<Environment, 'secrets'>,
): CallHistory {
  return {
    keep(call, given, outcome) {
      const { callId, at, connectionId, actionId, toolName, method, status, ok, code, totalMs, source } = call
      const number = numberOfId('call', callId)
      // The connection may have been deleted while the call was under way.
      if (number === null || !store.snapshot().connections.has(connectionId)) return
      const { environmentVariables, ...result } = outcome
      const record = shortenCall({
        callId,
        at: new Date(at).toISOString(),
        connectionId,
        actionId,
        toolName,
        source,
        arguments: maskArguments(given, environment.secrets()),
        environmentVariables,
        ...result,
      })
      const summary: z.infer<typeof Summary> = { toolName, method, status, ok, code, totalMs, source }
      const stored: StoredOccurrence = {
        number,
        kind: 'call',
        connectionId,
        subject: actionId,
        at,
        place: number,
        finding: null,
        summary: JSON.stringify(summary),
        details: JSON.stringify(record),
      }
      const bytes = 2 * (stored.summary.length + stored.details.length)
      history.keep('call', { connectionId, bytes, toStored: () => stored })
    },
    async tests(connectionId, actionId) {
      const query = { kind: 'call', connectionId, subject: actionId, limit: maxPerAction } as const
      return (await history.list(query)).flatMap(record => {
        const call = readCall(record)
        return call === null ? [] : [testOf(call)]
      })
    },
    async newest(connectionId) {
      const records = await history.newestOfEach('call', connectionId)
      return records.flatMap(record => {
        const call = calledOf(record)
        if (call === null) return []
        const { actionId, ok, status, code } = call
        return [{ actionId, at: new Date(record.at).toISOString(), ok, status, code }]
      })
    },
    async get(callId) {
      const record = await history.get('call', callId)
      return record && readCall(record)
    },
  }
}

/** Returns what the activity shows of a stored call; null where the record cannot be read. */
export function calledOf({
  number,
  at,
  connectionId,
  subject,
  summary,
}: OccurrenceSummary): FinishedCall | null {
  const parsed = Summary.safeParse(parseJson(summary))
  if (!parsed.success || connectionId === null) return null
  const callId = idOf('call', number)
  return { kind: 'called', callId, at, connectionId, actionId: subject, ...parsed.data }
}

function readCall({ details }: StoredOccurrence): CallRecord | null {
  return CallRecord.safeParse(parseJson(details)).data ?? null
}

function testOf(call: CallRecord): TestRecord {
  const { callId, at, environmentVariables, shortened } = call
  const { ok, request, response, result, mapped, timings, error } = call
  return {
    testId: callId,
    callId,
    at,
    arguments: call.arguments,
    environmentVariables,
    shortened,
    result: { ok, request, response, result, mapped, timings, error },
  }
}

/** Undefined for what is not JSON, which no schema accepts. Numbers keep their digits. */
function parseJson(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    return undefined
  }
}

function maskArguments(given: Arguments, secrets: readonly string[]): Arguments {
  const text = keptTextMasker(secrets)
  if (text === null) return given
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [text(name), maskTree(value, text)]))
}
