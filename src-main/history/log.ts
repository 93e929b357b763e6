import type { Bus } from '#main/lib/bus.ts'
import type { Logger } from '#main/lib/logger.ts'
import { createThrottle } from '#main/lib/throttle.ts'
import { kindOf, type Occurrence } from './kinds.ts'

/** A full disk refuses thousands of events a second, and it is often the disk of this log too. */
const errorsEveryMs = 1000

/**
 * Logs occurrences: ids, names and codes, never a body, a header or a token. Errors, which are events that could not be
 * stored, are logged at most once a second, with their number and the fields of the last one.
 *
 * @returns the function that ends it.
 */
export function logOccurrences(occurrences: Bus<Occurrence>, logger: Logger): () => void {
  // Checked once: thousands of events a second must not each create an object that is not logged.
  const isVerbose = logger.isLevelEnabled('debug')
  let last: Occurrence | null = null
  let events = 0
  function logErrors(): void {
    if (last === null) return
    const { logFields, logMessage } = kindOf(last)
    logger.error({ ...logFields(last), events }, logMessage)
    events = 0
  }
  const throttle = createThrottle(errorsEveryMs, logErrors)
  const unsubscribe = occurrences.subscribe(occurrence => {
    const { logLevel, logFields, logMessage } = kindOf(occurrence)
    if (logLevel === 'error') {
      last = occurrence
      events += 1
      throttle.ask()
    } else if (isVerbose) logger.debug(logFields(occurrence), logMessage)
  })
  return () => {
    unsubscribe()
    throttle.stop()
    if (events > 0) logErrors()
  }
}
