import { idOf } from '#main/lib/sequence.ts'
import type { ActionRecord, ConnectionRecord } from '#main/storage/config.ts'
import type { CallingClient, CallingStep, CallSource } from '#shared/model/call.ts'
import type { CallExtras } from './build-request.ts'
import type { Caller, CallOutcome } from './call.ts'
import { callPrefix, type FinishedCall } from './finished-call.ts'

export type CallRequest = {
  /** A test of a workflow can send a request without a connection. Its id is then empty, and it is not recorded. */
  readonly connection: Pick<ConnectionRecord, 'baseUrl' | 'signingSecret' | 'timeoutMs'> & {
    /** Null for a request that belongs to none, and is recorded so. */
    readonly connectionId: string | null
  }
  readonly action: ActionRecord
  readonly arguments: Record<string, unknown>
  readonly source: CallSource
  readonly step?: CallingStep
  readonly client?: CallingClient
  readonly conversationId?: string
  readonly extras?: CallExtras
  /** Whether its contents must not be kept. */
  readonly isPrivate?: boolean
  readonly signal?: AbortSignal | undefined
}

/** The only way to call an action. The callers check whether it is enabled. */
export type Calls = { run(request: CallRequest): Promise<CallOutcome & { readonly callId: string }> }

export type CallsParts = {
  readonly caller: Pick<Caller, 'call'>
  /** Returns the number for the next call's id. */
  readonly nextNumber: () => number
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Records a finished call. */
  readonly record: (call: FinishedCall, given: CallRequest['arguments'], outcome: CallOutcome) => void
}

const noContents = { request: null, response: null, result: null, mapped: null }

/** Creates `Calls`, which records every call once it has finished. */
export function createCalls({ caller, nextNumber, clock, record }: CallsParts): Calls {
  return {
    async run(request) {
      const { connection, action, arguments: given, extras, signal } = request
      const outcome = await caller.call({ connection, action, arguments: given, extras, signal })
      const { ok, response, error, timings } = outcome
      const call: FinishedCall = {
        kind: 'call.finished',
        id: idOf(callPrefix, nextNumber()),
        at: clock(),
        connectionId: connection.connectionId,
        actionId: action.actionId,
        toolName: action.toolName,
        method: action.method,
        status: response?.status ?? null,
        ok,
        code: error?.code ?? null,
        totalMs: timings.totalMs,
        responseBytes: response?.bytes ?? null,
        source: request.source,
        step: request.step ?? null,
        client: request.client ?? null,
        conversationId: request.conversationId ?? null,
      }
      // No connection's history could list it.
      if (connection.connectionId === '') return { ...outcome, callId: call.id }
      if (request.isPrivate) record(call, {}, { ...outcome, ...noContents })
      else record(call, given, outcome)
      return { ...outcome, callId: call.id }
    },
  }
}
