import { idOf } from '#main/lib/sequence.ts'
import type { Storage } from '#main/storage/storage.ts'
import { ServiceError } from '#shared/errors.ts'
import type { CallContents, CallResult } from '#shared/model/call.ts'
import { type Caller, notMade } from './call.ts'
import { type CallGateParts, createCallGate, type Held } from './call-gate.ts'
import { callPrefix, type FinishedCall } from './finished-call.ts'
import type { ImpossibleRequest, OutboundRequest } from './outbound-request.ts'

type RecordedResult = CallResult & { readonly callId: string }
type AnsweredResult = RecordedResult & {
  /** Until when its answer asked for no calls, in milliseconds since 1970; null if it did not ask. */
  readonly pausedUntil?: number | null
}

/** The only way to call an external system. The callers check whether an action is enabled. */
export type Calls = {
  /**
   * Sends a request, or records why it cannot be sent. While its connection takes no calls, it waits for up to two seconds.
   *
   * @param signal ends it early, with `network_error`.
   * @throws ServiceError `storage_unavailable` while this process may not act on its configuration; `connection_not_found`
   * or `action_not_found` if it was deleted while the call waited.
   */
  run(request: OutboundRequest | ImpossibleRequest, signal?: AbortSignal): Promise<RecordedResult>
  /**
   * Does the same for a caller that comes again: returns at once, without a record, if the connection takes no calls now.
   */
  runInTurn(
    request: OutboundRequest | ImpossibleRequest,
    signal?: AbortSignal,
  ): Promise<Held | AnsweredResult>
}

type CallsParts = CallGateParts & {
  readonly caller: Pick<Caller, 'call'>
  /** Returns the number for the next call's id. */
  readonly nextNumber: () => number
  /** Whether this process may act on its configuration; always, by default. */
  readonly isCurrent?: () => boolean
  /** See the storage; for calls of which no statement has told that this process may decide. */
  readonly confirmCurrent?: Storage['confirmCurrent']
  readonly decidesBy?: Storage['decidesBy']
  /** Records a finished call. */
  readonly record: (call: FinishedCall, contents: CallContents, workflowId: string | undefined) => void
}

const notCurrent = 'The database has not confirmed this service for too long, so it makes no calls.'

const noContents = { arguments: {}, request: null, response: null, result: null, mapped: null }

/** Creates `Calls`, which records every call once it has finished. */
export function createCalls(parts: CallsParts): Calls {
  const gate = createCallGate(parts)
  const { caller, nextNumber, clock, isCurrent = () => true, record } = parts
  const { confirmCurrent = null, decidesBy } = parts

  function requireCurrent(): void {
    if (!isCurrent()) throw new ServiceError('storage_unavailable', { detail: notCurrent })
  }

  /** Refuses a call that has waited while its connection or its action was deleted. */
  function requireThere({
    connectionId,
    actionId,
  }: Pick<OutboundRequest, 'connectionId' | 'actionId'>): void {
    const connection = parts.store.snapshot().connections.get(connectionId ?? '')
    if (connection === undefined) throw new ServiceError('connection_not_found')
    if (actionId !== null && !connection.actions.some(action => action.actionId === actionId))
      throw new ServiceError('action_not_found')
  }

  async function send(
    request: OutboundRequest | ImpossibleRequest,
    comesAgain: boolean,
    signal: AbortSignal | undefined,
  ): Promise<Held | AnsweredResult> {
    const { connectionId, actionId, toolName, method, source, isPrivate = false } = request
    requireCurrent()
    // Only waits if the connection has a limit.
    const entering = 'error' in request ? null : gate.enter(request, comesAgain, signal)
    const entered = entering === null ? null : await entering
    if (entered !== null && 'until' in entered && comesAgain) return entered
    let outcome: Awaited<ReturnType<Caller['call']>> | null = null
    try {
      if (entered !== null) {
        requireCurrent()
        if (!comesAgain) requireThere(request)
      }
      if (source !== 'workflow') await confirmCurrent?.(decidesBy?.())
      outcome =
        entered !== null && 'until' in entered
          ? { ...notMade(entered.error), environmentVariables: [] }
          : await caller.call(request, signal)
    } finally {
      if (entered !== null && 'leave' in entered) entered.leave(outcome !== null && outcome.request !== null)
    }
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
      ...(request.isForAlert && { isForAlert: true as const }),
    }
    const { converted = [] } = request
    const contents = {
      arguments: request.arguments,
      ...(converted.length > 0 && !isPrivate && { converted: [...converted] }),
      ...outcome,
      shortened: false,
    }
    const kept = { ...(request.kept?.(contents) ?? contents), ...(isPrivate && noContents) }
    record(call, kept, request.workflowId)
    const pausing = response === null || 'error' in request ? null : gate.answered(request, response)
    const result = { ...outcome, callId: call.id }
    return pausing === null ? result : { ...result, pausedUntil: await pausing }
  }

  return {
    async run(request, signal) {
      const sent = await send(request, false, signal)
      if ('until' in sent) throw new Error('A call that waits has no result.')
      const { pausedUntil: _, ...result } = sent
      return result
    },
    runInTurn: (request, signal) => send(request, true, signal),
  }
}
