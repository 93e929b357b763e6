import * as inbound from '#main/inbound/activity-entries.ts'
import type { InboundOutcome, SeenEvent } from '#main/inbound/outcomes.ts'
import type { FinishedCall } from '#main/outbound/calls.ts'
import type { ActivityItem } from '#shared/model/activity.ts'

/** What the feed keeps, of both channels. */
export type Outcome = InboundOutcome | FinishedCall

/** About what the outcome of a call costs, in bytes. */
const callWeight = 512

/** About how much memory an outcome keeps alive, in bytes. */
export function weightOf(outcome: Outcome): number {
  return outcome.kind === 'called' ? callWeight : inbound.weightOf(outcome)
}

/** The connection that an outcome belongs to; null where a token is unknown. */
export function connectionOf(outcome: Outcome): string | null {
  return outcome.kind === 'called' ? outcome.connectionId : inbound.connectionOf(outcome)
}

/**
 * What the feed shows of an outcome, made when somebody reads it.
 *
 * @param isDeclared whether a connection declares an event type of this name now.
 */
export function toActivityItem(
  outcome: Outcome,
  id: string,
  at: string,
  isDeclared: (event: SeenEvent) => boolean,
): ActivityItem {
  if (outcome.kind !== 'called') return inbound.toActivityItem(outcome, id, at, isDeclared)
  const { kind: _kind, at: _at, ...call } = outcome
  return { id, at, type: 'call.finished', ...call }
}
