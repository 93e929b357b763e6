import { ServiceError } from '#shared/errors.ts'
import type { Logger } from './logger.ts'

/** Milliseconds between two checks, and how many must find nothing wrong before an outage counts as over. */
const checkEvery = 1000
const checksUntilOver = 3

/**
 * Returns a function that logs failures. Those of a storage that is away are many, and all say the same: it logs the first,
 * and the end of the outage.
 *
 * @param isReady whether the storage can be used now.
 */
export function createFailureLog(logger: Logger, isReady: () => boolean): (error: unknown) => void {
  let timer: NodeJS.Timeout | undefined
  let failures = 0
  let goodChecks = 0

  function check(): void {
    goodChecks = isReady() ? goodChecks + 1 : 0
    if (goodChecks < checksUntilOver) return
    clearInterval(timer)
    timer = undefined
    logger.info({ failures }, 'The storage can be used again')
  }

  return err => {
    const isOutage =
      err instanceof ServiceError && (err.code === 'storage_unavailable' || err.code === 'unavailable')
    goodChecks = isOutage ? 0 : goodChecks
    if (isOutage && timer !== undefined) {
      failures++
      return
    }
    logger.error({ err }, 'A part of the service failed')
    if (!isOutage) return
    failures = 1
    timer = setInterval(check, checkEvery).unref()
  }
}
