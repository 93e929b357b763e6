import type { ConnectionSummary } from '#shared/model/connection.ts'
import type { ConnectionStatistics } from '#shared/model/statistics.ts'
import { formatNumber } from '../../ui/format.ts'
import type { Tone } from '../../ui/pill.tsx'

export const connectionStates = ['receiving', 'rejecting', 'silent', 'disabled'] as const
export type ConnectionState = (typeof connectionStates)[number]
export type ConnectionStatus = {
  readonly state: ConnectionState
  readonly tone: Tone
  readonly label: string
}

/** What a connection is doing, in one word or two (design: Pill). */
export function connectionStatus(
  connection: Pick<ConnectionSummary, 'enabled'>,
  statistics: Pick<ConnectionStatistics, 'hours' | 'lastEvent'> | undefined,
): ConnectionStatus {
  if (!connection.enabled) return { state: 'disabled', tone: 'off', label: 'Disabled' }
  const rejected = statistics?.hours.at(-1)?.rejected ?? 0
  if (rejected > 0)
    return { state: 'rejecting', tone: 'warn', label: `${formatNumber(rejected)} rejected this hour` }
  if (statistics?.lastEvent != null) return { state: 'receiving', tone: 'ok', label: 'Receiving' }
  return { state: 'silent', tone: 'mute', label: 'No events yet' }
}
