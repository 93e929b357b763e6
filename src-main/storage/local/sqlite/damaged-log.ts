import { failureOf } from './protocol.ts'
import { isDamage } from './schema.ts'
import { StoredValueError } from './stored-text.ts'

const sqliteCorrupt = 11

/** The log itself is damaged, as against the index that is derived from it. */
export class DamagedLogError extends Error {
  /** As SQLite's own, so that it counts as damage across threads too. */
  readonly errcode = sqliteCorrupt
}

/** Returns whether reading the log failed because of its content: SQLite found damage, or a value is of a wrong kind. */
export function isDamageOfLog(error: unknown): boolean {
  return isDamage(error) || error instanceof StoredValueError || isTooLarge(error)
}

/** Runs a read of the log. @throws DamagedLogError where the log is damaged. */
export function reading<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (!isDamageOfLog(error)) throw error
    throw new DamagedLogError(failureOf(error).message, { cause: error })
  }
}

/** Node does not read integers beyond 2^53, and none is ever stored. */
const isTooLarge = (error: unknown) =>
  error instanceof RangeError && 'code' in error && error.code === 'ERR_OUT_OF_RANGE'
