import { inboundErrorOf } from '#shared/errors/inbound.ts'
import type { ConnectionSummary } from '#shared/model/connection.ts'
import { type ConnectionStatistics, hoursShown, type Statistics } from '#shared/model/statistics.ts'
import { formatNumber } from '../../ui/format.ts'
import type { Tone } from '../../ui/pill.tsx'

export const connectionStates = ['receiving', 'rejecting', 'silent', 'disabled'] as const
export type ConnectionState = (typeof connectionStates)[number]
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
  if (!connection.enabled) return { state: 'disabled', tone: 'off', label: 'Disabled' }
  if (statistics === undefined) return { state: 'unknown', tone: 'mute', label: '–' }
  const { hours, lastEvent } = statistics
  const rejected = hours.at(-1)?.rejected ?? 0
  // Also if an event was accepted since: of several senders, only one may be wrong.
  if (rejected > 0)
    return { state: 'rejecting', tone: 'warn', label: `${formatNumber(rejected)} rejected this hour` }
  if (lastEvent !== null) return { state: 'receiving', tone: 'ok', label: 'Receiving' }
  return { state: 'silent', tone: 'mute', label: 'No events yet' }
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

/**
 * Returns the statistics of a connection, or undefined while none are known. A connection without statistics is new and
 * has done nothing yet.
 */
export function statisticsOf(
  known: Statistics | undefined,
  connectionId: string,
): ConnectionStatistics | undefined {
  if (known === undefined) return undefined
  return known.connections.find(entry => entry.connectionId === connectionId) ?? quietStatistics(connectionId)
}

/** Returns the statistics of a connection that has done nothing yet. */
export function quietStatistics(connectionId: string): ConnectionStatistics {
  return {
    connectionId,
    hours: Array.from({ length: hoursShown }, () => ({ accepted: 0, rejected: 0, calls: 0 })),
    accepted: 0,
    rejected: 0,
    calls: 0,
    callsOk: 0,
    medianAnswerMs: null,
    medianCallMs: null,
    oldSecret: null,
    lastEvent: null,
    lastRejection: null,
  }
}
