import { inboundErrorOf } from '#shared/errors/inbound.ts'
import type { ConnectionSummary } from '#shared/model/connection.ts'
import { type ConnectionState, stateOf } from '#shared/model/connection-list.ts'
import type { ConnectionStatistics } from '#shared/model/statistics.ts'
import { formatNumber } from '../../ui/format.ts'
import type { Tone } from '../../ui/pill.tsx'

export type ConnectionStatus = {
  /** Unknown without statistics. */
  readonly state: ConnectionState | 'unknown'
  readonly tone: Tone
  readonly label: string
}

/** Returns what a connection is doing, in a word or two. */
export function connectionStatus(
  connection: Pick<ConnectionSummary, 'enabled'>,
  statistics: Pick<ConnectionStatistics, 'hours' | 'lastEvent'> | undefined,
): ConnectionStatus {
  if (connection.enabled && statistics === undefined) return { state: 'unknown', tone: 'mute', label: '–' }
  const rejected = statistics?.hours.at(-1)?.rejected ?? 0
  const state = stateOf(connection.enabled, rejected, statistics?.lastEvent != null)
  return { state, ...shownAs[state](rejected) }
}

const shownAs: Readonly<Record<ConnectionState, (rejected: number) => Omit<ConnectionStatus, 'state'>>> = {
  disabled: () => ({ tone: 'off', label: 'Disabled' }),
  // Also if an event was accepted since: only one of several senders may be wrong.
  rejecting: rejected => ({ tone: 'warn', label: `${formatNumber(rejected)} rejected this hour` }),
  receiving: () => ({ tone: 'ok', label: 'Receiving' }),
  silent: () => ({ tone: 'mute', label: 'No events yet' }),
}

/** The outcome of the last request to an inbound URL. */
type LastOutcome =
  | { readonly kind: 'accepted'; readonly status: 200; readonly eventName: string; readonly at: string }
  | {
      readonly kind: 'rejected'
      readonly status: number
      readonly code: string
      readonly diagnosis: string | null
      /** Null if no attempt is kept. */
      readonly attemptId: string | null
      readonly at: string
    }

/** Returns the outcome of the last request. Null before the first. */
export function lastOutcome(
  statistics: Pick<ConnectionStatistics, 'lastEvent' | 'lastRejection'> | undefined,
): LastOutcome | null {
  const event = statistics?.lastEvent ?? null
  const rejection = statistics?.lastRejection ?? null
  if (rejection !== null && (event === null || rejection.at > event.at)) {
    const { at, code, diagnosis, attemptId } = rejection
    return { kind: 'rejected', status: inboundErrorOf(code)?.status ?? 400, code, diagnosis, attemptId, at }
  }
  return event && { kind: 'accepted', status: 200, eventName: event.eventName, at: event.at }
}
