import { messageOf } from '#main/lib/file-system.ts'
import { sqliteCorrupt } from '../../rows/stored-text.ts'
import { isDamage } from './own-database.ts'

/** The log itself is damaged, not the index that is derived from it. */
export class DamagedLogError extends Error {
  /** SQLite's code, so that it counts as damage across threads too. */
  readonly errcode = sqliteCorrupt
}

/** Runs a read of the log. @throws DamagedLogError if the log is damaged. */
export function reading<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (!isDamage(error)) throw error
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
