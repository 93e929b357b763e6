import type { ConnectionSummary } from '#shared/model/connection.ts'
import type { ConnectionStatistics } from '#shared/model/statistics.ts'
import { formatNumber } from '../../ui/format.ts'
import type { Tone } from '../../ui/pill.tsx'

export const connectionStates = ['receiving', 'rejecting', 'silent', 'disabled'] as const
export type ConnectionState = (typeof connectionStates)[number]
export type ConnectionStatus = {
  /** Unknown until there are statistics. */
  readonly state: ConnectionState | 'unknown'
  readonly tone: Tone
  readonly label: string
}

/** What a connection is doing, in one word or two (design: Pill). */
export function connectionStatus(
  connection: Pick<ConnectionSummary, 'enabled'>,
  statistics: Pick<ConnectionStatistics, 'hours' | 'lastEvent' | 'lastRejection'> | undefined,
): ConnectionStatus {
  if (!connection.enabled) return { state: 'disabled', tone: 'off', label: 'Disabled' }
  if (statistics === undefined) return { state: 'unknown', tone: 'mute', label: '–' }
  const { hours, lastEvent, lastRejection } = statistics
  const rejected = formatNumber(hours.at(-1)?.rejected ?? 0)
  if (rejected !== '0') {
    // An event that was accepted since says that the sender is mended.
    const isMended = lastEvent !== null && lastRejection !== null && lastEvent.at > lastRejection.at
    return isMended
      ? { state: 'receiving', tone: 'ok', label: `Receiving · ${rejected} rejected` }
      : { state: 'rejecting', tone: 'warn', label: `${rejected} rejected this hour` }
  }
  if (lastEvent !== null) return { state: 'receiving', tone: 'ok', label: 'Receiving' }
  return { state: 'silent', tone: 'mute', label: 'No events yet' }
}
