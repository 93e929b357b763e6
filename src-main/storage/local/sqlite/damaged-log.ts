import { messageOf } from '#main/lib/file-system.ts'
import { isDamage } from './own-database.ts'
import { StoredValueError } from './stored-text.ts'

const sqliteCorrupt = 11

/** The log itself is damaged, not the index that is derived from it. */
export class DamagedLogError extends Error {
  /** SQLite's code, so that it counts as damage across threads too. */
  readonly errcode = sqliteCorrupt
}

/** Returns whether reading the log failed because of its content: SQLite found damage, or a value has a wrong type. */
export function isDamageOfLog(error: unknown): boolean {
  return isDamage(error) || error instanceof StoredValueError || isTooLarge(error)
}

/** Runs a read of the log. @throws DamagedLogError if the log is damaged. */
export function reading<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (!isDamageOfLog(error)) throw error
    throw new DamagedLogError(messageOf(error), { cause: error })
  }
}

/** Runs a read of one row. Returns `damaged` if the row cannot be read. */
export function readableOrDamaged<Result>(read: () => Result): Result | 'damaged' {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof DamagedLogError)) throw error
    return 'damaged'
  }
}

/** Node refuses to read integers beyond 2^53, and none is ever stored. */
const isTooLarge = (error: unknown) =>
  error instanceof RangeError && 'code' in error && error.code === 'ERR_OUT_OF_RANGE'
