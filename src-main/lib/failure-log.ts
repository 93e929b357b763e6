import { ServiceError } from '#shared/errors.ts'
import type { StorageOutage } from '#shared/model/readiness.ts'
import type { Logger } from './logger.ts'

/** Milliseconds between two checks, and how many must find nothing wrong before an outage counts as over. */
const checkEvery = 1000
const checksUntilOver = 3
/** Checks between two lines that say that an outage lasts. */
const checksBetweenLines = 60

type Outage = {
  reason: StorageOutage | null
  failures: number
  checks: number
  reasonSince: number
  goodChecks: number
}

export type FailureLog = {
  failed(error: unknown): void
  stop(): void
}

/**
 * Logs failures, and outages of the storage. The failures of an outage are many, and all say the same: it logs the first of
 * them, the reason when it is known and when it changes, one line each minute, and the end.
 *
 * @param reasonNow returns why the storage cannot be used now; null if it can.
 */
export function createFailureLog(logger: Logger, reasonNow: () => StorageOutage | null): FailureLog {
  let outage: Outage | null = null
  const begin = (): Outage => ({ reason: null, failures: 0, checks: 0, reasonSince: 0, goodChecks: 0 })

  function check(): void {
    const reason = reasonNow()
    if (reason !== null) outage ??= begin()
    if (outage === null) return
    outage.checks++
    const { failures, checks } = outage
    const facts = { failures, seconds: (checks * checkEvery) / 1000 }
    if (reason === null) {
      if (++outage.goodChecks < checksUntilOver) return
      outage = null
      logger.info(facts, 'The storage can be used again')
      return
    }
    outage.goodChecks = 0
    if (reason === outage.reason && checks < outage.reasonSince + checksBetweenLines) return
    const isSame = reason === outage.reason
    Object.assign(outage, { reason, reasonSince: checks })
    logger.error(
      { reason, ...facts },
      isSame ? 'The storage still cannot be used' : 'The storage cannot be used',
    )
  }

  const timer = setInterval(check, checkEvery).unref()
  return {
    failed(err) {
      const isOutage =
        err instanceof ServiceError && (err.code === 'storage_unavailable' || err.code === 'unavailable')
      if (!isOutage || outage === null) logger.error({ err }, 'A part of the service failed')
      if (!isOutage) return
      outage ??= begin()
      outage.failures++
      outage.goodChecks = 0
    },
    stop: () => clearInterval(timer),
  }
}
