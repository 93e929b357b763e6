import type { DatabaseSync } from 'node:sqlite'

/** Runs `work` as one write transaction: all of it, or (when it throws) nothing. */
export type Transaction = <Result>(work: () => Result) => Result

export function transactionsOn(database: DatabaseSync): Transaction {
  // IMMEDIATE, so that a lock held elsewhere is waited for here and not met in the middle of the work.
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  return work => {
    begin.run()
    try {
      const result = work()
      commit.run()
      return result
    } catch (error) {
      // A full disk or an I/O error may have rolled back already.
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
  }
}
