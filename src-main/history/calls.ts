import type { Environment } from '#main/connections/environment.ts'
import { callKinds, type FinishedCall, factsOf } from '#main/outbound/finished-call.ts'
import { maskArguments } from '#main/outbound/masking.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { StoredOccurrence } from '#main/storage/occurrence-storage.ts'
import { tryParseExact } from '#shared/json/exact-json.ts'
import { CallContents, type CallRecord, type LastTest, testOf } from '#shared/model/call.ts'
import type { History } from './history.ts'
import { toStored } from './kinds.ts'

/** The longest text of a call that is stored, in bytes. */
const maxKeptText = 64 * 1024
/** Maximum number of tests of an action that are listed. */
const maxPerAction = 50

const { fromSummary: callOf } = callKinds['call.finished'].stored

/** Every call, also from before a restart, with masked secrets. */
export type CallHistory = ReturnType<typeof createCallHistory>

/** @param environment its values are masked in arguments too, because a tester may have pasted one there. */
export function createCallHistory(
  history: History,
  store: Pick<ConfigStore, 'snapshot'>,
  environment: Pick<Environment, 'secrets'>,
) {
  async function newest(connectionId: string): Promise<FinishedCall[]> {
    const records = await history.newestOfEach('call.finished', connectionId)
    // The calls of checks have subjects of their own.
    return records.flatMap(record => callOf(record) ?? []).filter(({ source }) => source !== 'check')
  }

  return {
    /** Stores a finished call. @param contents with masked secrets, except in the arguments. */
    keep(call: FinishedCall, contents: CallContents) {
      const { connectionId } = call
      // The connection may have been deleted during the call.
      if (connectionId !== null && !store.snapshot().connections.has(connectionId)) return
      const short = shorten(contents)
      const masked = maskArguments(short.arguments, environment.secrets())
      const record: CallRecord = { ...factsOf(call), ...short, arguments: masked }
      const stored = toStored(call, JSON.stringify(record))
      const bytes = 2 * (stored.summary.length + stored.details.length)
      history.keep('call.finished', { connectionId, bytes, toStored: () => stored })
    },
    /** Returns the last calls of an action, newest first. */
    async tests(connectionId: string, actionId: string) {
      const { occurrences } = await history.list({
        ...{ kinds: ['call.finished'], connectionIds: [connectionId], subjects: [actionId] },
        limit: maxPerAction,
      })
      return occurrences.flatMap(stored => recordOf(stored) ?? []).map(testOf)
    },
    /** Returns the newest call of each action of a connection. */
    async newest(connectionId: string): Promise<LastTest[]> {
      const calls = await newest(connectionId)
      return calls.flatMap(call => {
        const { actionId, at, ok, status, code } = factsOf(call)
        return actionId === null ? [] : [{ actionId, at, ok, status, code }]
      })
    },
    /** Returns the size of the newest response of each action; none for an action whose newest call has failed. */
    async responseBytes(connectionIds: Iterable<string>) {
      const bytes = new Map<string, number>()
      for (const connectionId of connectionIds)
        for (const { actionId, ok, responseBytes } of await newest(connectionId))
          if (ok && actionId !== null && responseBytes !== null) bytes.set(actionId, responseBytes)
      return bytes
    },
    /** Returns a call; null if it is no longer stored. */
    async get(callId: string) {
      const stored = await history.get('call.finished', callId)
      return stored && recordOf(stored)
    },
  }
}

/** Returns the record of a stored call; null if it cannot be read. */
function recordOf(stored: StoredOccurrence): CallRecord | null {
  const call = callOf(stored)
  const { data: contents } = CallContents.safeParse(tryParseExact(stored.details))
  return call === null || contents === undefined ? null : { ...contents, ...factsOf(call) }
}

/** Returns contents with texts of at most 64 KiB and without larger values. The result of the call itself has it all. */
function shorten(contents: CallContents): CallContents {
  let shortened = false
  const text = (given: string) => {
    if (given.length <= maxKeptText && Buffer.byteLength(given) <= maxKeptText) return given
    shortened = true
    const bytes = Buffer.from(given.slice(0, maxKeptText)).subarray(0, maxKeptText)
    // Drops a character that the cut divides.
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true })
  }
  const value = <Value, Less>(given: Value, less: Less) => {
    if ((JSON.stringify(given) ?? '').length <= maxKeptText) return given
    shortened = true
    return less
  }
  const { request, response, result, mapped, error } = contents
  const short = {
    ...contents,
    arguments: value(contents.arguments, {}),
    request: request && { ...request, url: text(request.url), body: text(request.body) },
    response: response && { ...response, body: text(response.body) },
    result: value(result, null),
    mapped: value(mapped, null),
    error: error && { ...error, message: text(error.message), data: value(error.data, undefined) },
  }
  return { ...short, shortened }
}
