import { idOf } from '#main/lib/sequence.ts'
import type { Storage } from '#main/storage/storage.ts'
import { ServiceError } from '#shared/errors.ts'
import type { CallContents, CallResult } from '#shared/model/call.ts'
import type { Caller } from './call.ts'
import { callPrefix, type FinishedCall } from './finished-call.ts'
import type { ImpossibleRequest, OutboundRequest } from './outbound-request.ts'

/** The only way to call an external system. The callers check whether an action is enabled. */
export type Calls = {
  /**
   * Sends a request, or records why it cannot be sent.
   *
   * @param signal ends it early, with `network_error`.
   * @throws ServiceError `storage_unavailable` while this process may not act on its configuration.
   */
  run(
    request: OutboundRequest | ImpossibleRequest,
    signal?: AbortSignal,
  ): Promise<CallResult & { readonly callId: string }>
}

type CallsParts = {
  readonly caller: Pick<Caller, 'call'>
  /** Returns the number for the next call's id. */
  readonly nextNumber: () => number
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Whether this process may act on its configuration; always, by default. */
  readonly isCurrent?: () => boolean
  /** See the storage; for calls of which no statement has told that this process may decide. */
  readonly confirmCurrent?: Storage['confirmCurrent']
  readonly decidesBy?: Storage['decidesBy']
  /** Records a finished call. */
  readonly record: (call: FinishedCall, contents: CallContents) => void
}

const notCurrent = 'The database has not confirmed this service for too long, so it makes no calls.'

const noContents = { arguments: {}, request: null, response: null, result: null, mapped: null }

/** Creates `Calls`, which records every call once it has finished. */
export function createCalls(parts: CallsParts): Calls {
  const { caller, nextNumber, clock, isCurrent = () => true, record } = parts
  const { confirmCurrent = null, decidesBy } = parts
  return {
    async run(request, signal) {
      const { connectionId, actionId, toolName, method, source, isPrivate = false } = request
      if (!isCurrent()) throw new ServiceError('storage_unavailable', { detail: notCurrent })
      if (source !== 'workflow') await confirmCurrent?.(decidesBy?.())
      const outcome = await caller.call(request, signal)
      const { ok, response, error, timings } = outcome
      const call: FinishedCall = {
        kind: 'call.finished',
        id: idOf(callPrefix, nextNumber()),
        at: clock(),
        ...{ connectionId, actionId, toolName, method },
        status: response?.status ?? null,
        ok,
        code: error?.code ?? null,
        totalMs: timings.totalMs,
        responseBytes: response?.bytes ?? null,
        source,
        step: request.step ?? null,
        client: request.client ?? null,
        conversationId: request.conversationId ?? null,
      }
      const contents = { arguments: request.arguments, ...outcome, shortened: false }
      record(call, { ...(request.kept?.(contents) ?? contents), ...(isPrivate && noContents) })
      return { ...outcome, callId: call.id }
    },
  }
}
