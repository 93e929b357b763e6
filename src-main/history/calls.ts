import type { Environment } from '#main/connections/environment.ts'
import type { CallOutcome } from '#main/outbound/call.ts'
import type { FinishedCall } from '#main/outbound/calls.ts'
import { keptTextMasker } from '#main/outbound/mask-text.ts'
import { maskTree } from '#main/outbound/masking.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { StoredOccurrence } from '#main/storage/occurrence-storage.ts'
import { parseExact } from '#shared/json/exact-json.ts'
import { CallRecord, type LastTest, type TestRecord } from '#shared/model/call.ts'
import { callKinds } from './call-kinds.ts'
import type { History } from './history.ts'
import { toStored } from './kinds.ts'

/** Longest text of a call that is kept, in bytes. */
const maxKeptText = 64 * 1024
/** Tests of an action that are listed at most. */
const maxPerAction = 50

type Arguments = CallRecord['arguments']

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
      const { id: callId, at, connectionId, actionId, toolName, source } = call
      // The connection may have been deleted while the call was under way.
      if (!store.snapshot().connections.has(connectionId)) return
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
      const stored = toStored(call, JSON.stringify(record))
      const bytes = 2 * (stored.summary.length + stored.details.length)
      history.keep('call.finished', { connectionId, bytes, toStored: () => stored })
    },
    async tests(connectionId, actionId) {
      const query = { kind: 'call.finished', connectionId, subject: actionId, limit: maxPerAction } as const
      return (await history.list(query)).flatMap(record => {
        const call = readCall(record)
        return call === null ? [] : [testOf(call)]
      })
    },
    async newest(connectionId) {
      const records = await history.newestOfEach('call.finished', connectionId)
      return records.flatMap(record => {
        const call = callKinds['call.finished'].stored.fromSummary(record)
        if (call === null) return []
        const { actionId, ok, status, code } = call
        return [{ actionId, at: new Date(record.at).toISOString(), ok, status, code }]
      })
    },
    async get(callId) {
      const record = await history.get('call.finished', callId)
      return record && readCall(record)
    },
  }
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

/**
 * Returns a call as it is kept: a text of more than 64 KiB is cut, and a value of more is left out. The answer
 * to the call itself has all of it.
 */
function shortenCall(call: Omit<CallRecord, 'shortened'>): CallRecord {
  let shortened = false
  const text = (given: string) => {
    if (given.length <= maxKeptText && Buffer.byteLength(given) <= maxKeptText) return given
    shortened = true
    const bytes = Buffer.from(given.slice(0, maxKeptText)).subarray(0, maxKeptText)
    // A character that the cut divides is left out.
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true })
  }
  const value = <Value, Less>(given: Value, less: Less) => {
    if ((JSON.stringify(given) ?? '').length <= maxKeptText) return given
    shortened = true
    return less
  }
  const { request, response, result, mapped } = call
  const short: Omit<CallRecord, 'shortened'> = {
    ...call,
    arguments: value(call.arguments, {}),
    request: request && { ...request, url: text(request.url), body: text(request.body) },
    response: response && { ...response, body: text(response.body) },
    result: value(result, null),
    mapped: value(mapped, null),
  }
  return { ...short, shortened }
}
