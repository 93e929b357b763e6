import type { Bus } from './bus.ts'
import type { FinishedCall } from './calls.ts'
import type { InboundOutcome } from './inbound/outcomes.ts'
import type { Logger } from './logger.ts'

/** Writes what becomes of events to the log: ids, names and codes, never a body, a header or a token. */
export function logOutcomes(outcomes: Bus<InboundOutcome>, logger: Logger): () => void {
  // Asked once: thousands of events a second must not each make an object that nobody writes.
  const isVerbose = logger.isLevelEnabled('debug')
  return outcomes.subscribe(outcome => {
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
        logger.error(
          { connectionId: outcome.connectionId, err: outcome.error },
          'An event could not be stored',
        )
        break
    }
  })
}

/** Writes what becomes of calls to the log: ids, names, codes and times, never an address, a header or a body. */
export function logCalls(outcomes: Bus<FinishedCall>, logger: Logger): () => void {
  return outcomes.subscribe(({ kind: _kind, ...fields }) => logger.debug(fields, 'Call finished'))
}
