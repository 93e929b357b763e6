import { inboundErrorOf } from '#shared/errors/inbound.ts'
import type { ConnectionSummary } from '#shared/model/connection.ts'
import type { ConnectionState, ConnectionStatus as StatusOfService } from '#shared/model/connection-status.ts'
import type { ConnectionStatistics } from '#shared/model/statistics.ts'
import { formatCount, formatNumber } from '../../ui/format.ts'
import type { Tone } from '../../ui/pill.tsx'

export type ConnectionStatus = {
  /** Unknown without statistics. */
  readonly state: ConnectionState | 'unknown'
  readonly tone: Tone
  readonly label: string
}

const tones: Readonly<Record<ConnectionState, Tone>> = {
  failing: 'bad',
  rejecting: 'warn',
  attention: 'warn',
  receiving: 'ok',
  silent: 'mute',
  disabled: 'off',
}

/** Returns how a connection is doing, in a word or two. */
export function connectionStatus(
  connection: Pick<ConnectionSummary, 'enabled'>,
  statistics: Pick<ConnectionStatistics, 'status'> | undefined,
): ConnectionStatus {
  if (!connection.enabled) return { state: 'disabled', tone: tones.disabled, label: 'Disabled' }
  // Once it is enabled, its status has to be read again.
  if (statistics === undefined || statistics.status.state === 'disabled')
    return { state: 'unknown', tone: 'mute', label: '–' }
  const { state } = statistics.status
  return { state, tone: tones[state], label: labelOf(statistics.status) }
}

function labelOf({ state, cause, count }: StatusOfService): string {
  switch (cause) {
    case 'calls':
      return `${formatCount(count, 'call')} failed`
    case 'runs':
      return `${formatCount(count, 'run')} failed`
    case 'rejected':
      return `${formatNumber(count)} rejected this hour`
    case 'paused':
      return 'Calls paused'
    case null:
      return state === 'silent' ? 'No events yet' : 'Working'
  }
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
