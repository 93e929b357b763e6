import type { InboundOutcome } from '#main/inbound/outcomes.ts'
import type { Bus } from '#main/lib/bus.ts'
import type { Logger } from '#main/lib/logger.ts'
import { createThrottle } from '#main/lib/throttle.ts'
import type { FinishedCall } from '#main/outbound/calls.ts'

/** A full disk refuses thousands of events a second, and is seldom another one than that of the log. */
const failuresEveryMs = 1000

/**
 * Writes what becomes of events to the log: ids, names and codes, never a body, a header or a token. Of events that
 * could not be stored it writes at most once a second, how many and the last one's error.
 */
export function logOutcomes(outcomes: Bus<InboundOutcome>, logger: Logger): () => void {
  // Asked once: thousands of events a second must not each make an object that nobody writes.
  const isVerbose = logger.isLevelEnabled('debug')
  let last: object = {}
  let events = 0
  function tell(): void {
    logger.error({ ...last, events }, 'Events could not be stored')
    events = 0
  }
  const throttle = createThrottle(failuresEveryMs, tell)
  const unsubscribe = outcomes.subscribe(outcome => {
    if (!isVerbose && outcome.kind !== 'unavailable') return
    switch (outcome.kind) {
      case 'accepted':
      case 'repeated':
      case 'replayed': {
        const { eventId, eventName, connectionId } = outcome.event
        logger.debug({ eventId, eventName, connectionId }, `Event ${outcome.kind}`)
        break
      }
      case 'refused': {
        const { connectionId, code } = outcome.attempt
        logger.debug({ connectionId, code, diagnosis: outcome.attempt.diagnosis?.code }, 'Event refused')
        break
      }
      case 'unavailable':
        last = { connectionId: outcome.connectionId, err: outcome.error }
        events += 1
        throttle.ask()
        break
    }
  })
  return () => {
    unsubscribe()
    throttle.stop()
    if (events > 0) tell()
  }
}

/** Writes what becomes of calls to the log: ids, names, codes and times, never an address, a header or a body. */
export function logCalls(outcomes: Bus<FinishedCall>, logger: Logger): () => void {
  return outcomes.subscribe(({ kind: _kind, at: _at, ...fields }) => logger.debug(fields, 'Call finished'))
}
