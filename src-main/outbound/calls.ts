import type { CallHistory } from '#main/history/calls.ts'
import { idOf } from '#main/history/history.ts'
import type { Bus } from '#main/lib/bus.ts'
import type { ActionRecord, ConnectionRecord } from '#main/storage/config.ts'
import type { Method } from '#shared/model/action.ts'
import type { CallSource } from '#shared/model/call.ts'
import type { Caller, CallOutcome } from './call.ts'

/** A call that has ended, well or not; the activity feed and the log listen. */
export type FinishedCall = {
  readonly kind: 'called'
  readonly callId: string
  /** When it ended, in milliseconds since 1970. */
  readonly at: number
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

export type CallsParts = {
  readonly caller: Pick<Caller, 'call'>
  readonly history: Pick<CallHistory, 'keep'>
  /** Gives the number of the next call's id, which is that of its item in the activity too. */
  readonly nextNumber: () => number
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Hears of each call when it has ended. */
  readonly finished: Bus<FinishedCall>
}

/** Creates the one way to call: each call is kept, and announced once it has ended. */
export function createCalls({ caller, history, nextNumber, clock, finished }: CallsParts): Calls {
  return {
    async run({ connection, action, arguments: given, source, signal }) {
      const outcome = await caller.call({ connection, action, arguments: given, signal })
      const { ok, response, error, timings } = outcome
      const number = nextNumber()
      const call: FinishedCall = {
        kind: 'called',
        callId: idOf('call', number),
        at: clock(),
        connectionId: connection.connectionId,
        actionId: action.actionId,
        toolName: action.toolName,
        method: action.method,
        status: response?.status ?? null,
        ok,
        code: error?.code ?? null,
        totalMs: timings.totalMs,
        source,
      }
      history.keep(call, given, outcome)
      finished.publish(call)
      return outcome
    },
  }
}
