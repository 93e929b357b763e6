import type { Bus } from '#main/lib/bus.ts'
import type { Logger } from '#main/lib/logger.ts'
import { createThrottle } from '#main/lib/throttle.ts'
import { kindOf, type Occurrence } from './kinds.ts'

/** A full disk refuses thousands of events a second, and is seldom another one than that of the log. */
const errorsEveryMs = 1000

/**
 * Writes occurrences to the log: ids, names and codes, never a body, a header or a token. Errors, which are events
 * that could not be stored, it writes at most once a second, with their number and the last one's fields.
 */
export function logOccurrences(occurrences: Bus<Occurrence>, logger: Logger): () => void {
  // Asked once: thousands of events a second must not each make an object that nobody writes.
  const isVerbose = logger.isLevelEnabled('debug')
  let last: Occurrence | null = null
  let events = 0
  function tell(): void {
    if (last === null) return
    const { logFields, logMessage } = kindOf(last)
    logger.error({ ...logFields(last), events }, logMessage)
    events = 0
  }
  const throttle = createThrottle(errorsEveryMs, tell)
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
    if (events > 0) tell()
  }
}
