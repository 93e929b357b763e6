import { inboundErrorOf } from '#shared/errors/inbound.ts'
import type { ConnectionStatistics } from '#shared/model/statistics.ts'

/** What became of the last request to an inbound URL: its status, and the event or what was wrong. */
export type LastOutcome =
  | { readonly kind: 'accepted'; readonly status: 200; readonly eventName: string; readonly at: string }
  | {
      readonly kind: 'rejected'
      readonly status: number
      readonly code: string
      readonly diagnosis: string | null
      readonly at: string
    }

/** Null before the first request. */
export function lastOutcome(
  statistics: Pick<ConnectionStatistics, 'lastEvent' | 'lastRejection'> | undefined,
): LastOutcome | null {
  const event = statistics?.lastEvent ?? null
  const rejection = statistics?.lastRejection ?? null
  if (rejection !== null && (event === null || rejection.at > event.at)) {
    const { at, code, diagnosis } = rejection
    return { kind: 'rejected', status: inboundErrorOf(code)?.status ?? 400, code, diagnosis, at }
  }
  return event && { kind: 'accepted', status: 200, eventName: event.eventName, at: event.at }
}
