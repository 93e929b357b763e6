import { type Connection, isOutdatedPlan, type Row, type Statement, sqlStateOf } from './connect.ts'

const mostRepeats = 3

/**
 * Runs one statement, once more if the server has ended it in favour of others, or a table has changed since it was prepared.
 */
export async function queryOn(
  connection: Connection,
  statement: Statement | string,
  values?: readonly unknown[],
): Promise<Row[]> {
  try {
    return await connection.query(statement, values)
  } catch (error) {
    const isAgain = isEndedForOthers(error) || isOutdatedPlan(error)
    if (!isAgain || connection.isBroken) throw error
    return connection.query(statement, values)
  }
}

/** Runs statements in one transaction. @throws the error of `work`. */
export async function transactionOn<Result>(
  connection: Connection,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  await connection.query('BEGIN')
  try {
    const result = await work(connection)
    await connection.query('COMMIT')
    return result
  } catch (error) {
    if (!connection.isBroken) await connection.query('ROLLBACK').catch(() => connection.end())
    throw error
  }
}

/** Does the same with `work` that may run again, as it does if the server has ended it in favour of others. */
export async function repeatableOn<Result>(
  connection: Connection,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  for (let repeats = 0; ; repeats++) {
    try {
      return await transactionOn(connection, work)
    } catch (error) {
      if (!isEndedForOthers(error) || connection.isBroken || repeats === mostRepeats) throw error
    }
  }
}

/** Whether the server has ended a statement because it and others wait for each other, or cannot be put into an order. */
export function isEndedForOthers(error: unknown): boolean {
  return ['40P01', '40001'].includes(sqlStateOf(error) ?? '')
}
