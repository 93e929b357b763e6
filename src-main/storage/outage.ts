import { isDiskFull } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import type { StorageOutage } from '#shared/model/readiness.ts'

/** A database server that this process does not use, although it answers. */
export class UnusableServer extends Error {
  readonly outage: StorageOutage

  constructor(outage: StorageOutage, message: string, options?: ErrorOptions) {
    super(message, options)
    this.outage = outage
  }
}

/** The outage that an SQLSTATE, or a class of them, tells of. Those of data (22, 23, 42, 54) tell nothing of the server. */
const outagesByState: readonly (readonly [prefix: string, outage: StorageOutage])[] = [
  ['53100', 'database_full'],
  ['53300', 'no_connection'],
  ['25006', 'former_primary'],
  ['55P03', 'locked'],
  ['28', 'password'],
  ...['08', '25', '3D', '53', '55', '57', '58', 'XX'].map(prefix => [prefix, 'storage'] as const),
]
/** Errors have few causes; a chain that goes in circles must not be followed for ever. */
const mostCauses = 8

/**
 * Returns why the storage cannot store events, as far as an error of a write or of a connection tells; null if the error
 * says nothing about others, for example one that comes from the data, or a limit that is reached.
 */
export function outageOf(error: unknown): StorageOutage | null {
  let outage: StorageOutage | null = null
  for (let one = error, left = mostCauses; one instanceof Error && left > 0; one = one.cause, left--) {
    if (one instanceof UnusableServer) return one.outage
    if (isDiskFull(one)) return 'disk_full'
    // Errors of the server alone have a severity. The codes of the system may look like an SQLSTATE.
    if ('severity' in one && 'code' in one) return outageOfState(String(one.code))
    // A connection that broke, or was given up.
    if (one instanceof ServiceError && one.code === 'storage_unavailable' && one.cause !== undefined)
      outage = 'storage'
  }
  return outage
}

function outageOfState(state: string): StorageOutage | null {
  return outagesByState.find(([prefix]) => state.startsWith(prefix))?.[1] ?? null
}
