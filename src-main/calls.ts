import type { Method } from '#shared/model/action.ts'
import type { CallSource } from '#shared/model/call.ts'
import type { Bus } from './bus.ts'
import type { Caller, CallOutcome } from './outbound/call.ts'
import type { ActionRecord, ConnectionRecord } from './store/config.ts'

/** A call that has ended, well or not; the activity feed and the log listen. */
export type FinishedCall = {
  readonly kind: 'called'
  readonly connectionId: string
  readonly actionId: string
  readonly toolName: string
  readonly method: Method
  /** Null where there was no answer. */
  readonly status: number | null
  readonly ok: boolean
  /** Why there was no usable answer; null for an answer of any status. */
  readonly code: string | null
  readonly totalMs: number
  readonly source: CallSource
}

export type CallRequest = {
  readonly connection: ConnectionRecord
  readonly action: ActionRecord
  readonly arguments: Record<string, unknown>
  readonly source: CallSource
  readonly signal?: AbortSignal | undefined
}

/** The one way to call an action, whoever asks; its toggles are the asker's concern. */
export type Calls = { run(request: CallRequest): Promise<CallOutcome> }

/** @param finished hears of each call when it has ended. */
export function createCalls(caller: Pick<Caller, 'call'>, finished: Bus<FinishedCall>): Calls {
  return {
    async run({ connection, action, arguments: given, source, signal }) {
      const outcome = await caller.call({ connection, action, arguments: given, signal })
      const { ok, response, error, timings } = outcome
      finished.publish({
        kind: 'called',
        connectionId: connection.connectionId,
        actionId: action.actionId,
        toolName: action.toolName,
        method: action.method,
        status: response?.status ?? null,
        ok,
        code: error?.code ?? null,
        totalMs: timings.totalMs,
        source,
      })
      return outcome
    },
  }
}
