import { inboundErrors } from '#shared/errors/inbound.ts'
import type { ActivityItem } from '#shared/model/activity.ts'
import type { KeptAttempt } from './attempts.ts'
import { readEventText } from './event-text.ts'
import type { InboundOutcome, SeenEvent } from './outcomes.ts'

const maxShownText = 64 * 1024
/** About what an outcome costs besides its text, in bytes. */
const overhead = 512

/** About how much memory an outcome keeps alive, in bytes. */
export function weightOf(outcome: InboundOutcome): number {
  if (outcome.kind === 'refused')
    return outcome.attempt.body.length + outcome.attempt.headerLines.length + overhead
  if (outcome.kind === 'unavailable') return overhead
  return outcome.event.bodyText.length + overhead
}

/** The connection that an outcome belongs to; null where the token is unknown. */
export function connectionOf(outcome: InboundOutcome): string | null {
  if (outcome.kind === 'refused') return outcome.attempt.connectionId
  return outcome.kind === 'unavailable' ? outcome.connectionId : outcome.event.connectionId
}

/**
 * What the feed shows of an outcome, made when somebody reads it.
 *
 * @param isDeclared whether a connection declares an event type of this name now.
 */
export function toActivityItem(
  outcome: InboundOutcome,
  id: string,
  at: string,
  isDeclared: (event: SeenEvent) => boolean,
): ActivityItem {
  switch (outcome.kind) {
    case 'accepted':
      return {
        ...eventFields(outcome.event, id, at, isDeclared),
        type: 'event.accepted',
        tookMs: shown(outcome.tookMs),
        repeat: outcome.event.repeat,
        stored: outcome.stored,
        previousSecret: outcome.previousSecret,
        notes: readEventText(outcome.event.bodyText).notes,
      }
    case 'repeated':
      return {
        ...eventFields(outcome.event, id, at, isDeclared),
        type: 'event.repeated',
        tookMs: shown(outcome.tookMs),
      }
    case 'replayed':
      return {
        ...eventFields(outcome.event, id, at, isDeclared),
        type: 'event.replayed',
        replayOf: outcome.replayOf,
        tookMs: null,
      }
    case 'refused':
      return refusal(outcome.attempt, outcome.bytes, id, at)
    case 'unavailable':
      return {
        id,
        at,
        type: 'event.rejected',
        connectionId: outcome.connectionId,
        attemptId: null,
        code: 'unavailable',
        message: inboundErrors.unavailable.message,
        diagnosis: null,
        bytes: 0,
        tookMs: null,
      }
  }
}

function eventFields(event: SeenEvent, id: string, at: string, isDeclared: (event: SeenEvent) => boolean) {
  const { connectionId, eventId, eventName, bodyText } = event
  return {
    id,
    at,
    connectionId,
    eventId,
    eventName,
    declared: isDeclared(event),
    bodyText: bodyText.slice(0, maxShownText),
    bytes: Buffer.byteLength(bodyText),
  }
}

function refusal(attempt: KeptAttempt, bytes: number, id: string, at: string): ActivityItem {
  const { attemptId, connectionId, code, detail, diagnosis } = attempt
  const message = detail ?? inboundErrors[code].message
  const tookMs = shown(attempt.tookMs)
  return { id, at, type: 'event.rejected', connectionId, attemptId, code, message, diagnosis, bytes, tookMs }
}

/** A time as the feed shows it, to a hundredth of a millisecond. */
function shown(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100
}
