import { ServiceError } from '#shared/errors.ts'
import type { Logger } from './logger.ts'

/** Milliseconds between two looks, and how many must find nothing wrong before an outage counts as over. */
const lookEvery = 1000
const looksUntilOver = 3

/**
 * Returns a function that logs failures. Those of a storage that is away are many, and all say the same: it logs the first,
 * and the end of the outage.
 *
 * @param isReady whether the storage can be used now.
 */
export function createFailureLog(logger: Logger, isReady: () => boolean): (error: unknown) => void {
  let timer: NodeJS.Timeout | undefined
  let failures = 0
  let goodLooks = 0

  function look(): void {
    goodLooks = isReady() ? goodLooks + 1 : 0
    if (goodLooks < looksUntilOver) return
    clearInterval(timer)
    timer = undefined
    logger.info({ failures }, 'The storage can be used again')
  }

  return err => {
    const isOutage =
      err instanceof ServiceError && (err.code === 'storage_unavailable' || err.code === 'unavailable')
    goodLooks = isOutage ? 0 : goodLooks
    if (isOutage && timer !== undefined) {
      failures++
      return
    }
    logger.error({ err }, 'A part of the service failed')
    if (!isOutage) return
    failures = 1
    timer = setInterval(look, lookEvery).unref()
  }
}
