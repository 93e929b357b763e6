import { ServiceError } from '#shared/errors.ts'
import {
  type Connection,
  failureOf,
  isOutdatedPlan,
  isServerError,
  type Row,
  type Statement,
  sqlStateOf,
} from './connect.ts'

type Waiting = { resolve(connection: Connection): void; reject(error: unknown): void }

/** A few connections that take turns. The caller that has waited longest is next. */
export class Pool {
  readonly #connect: () => Promise<Connection>
  readonly #most: number
  readonly #idle: Connection[] = []
  readonly #used = new Set<Connection>()
  readonly #waiting: Waiting[] = []
  #open = 0
  #isClosed = false

  constructor(connect: () => Promise<Connection>, most: number) {
    this.#connect = connect
    this.#most = most
  }

  /**
   * Runs one statement, once more if the server has ended it in favour of others, or a table has changed since it was
   * prepared.
   *
   * @throws ServiceError `storage_unavailable`.
   */
  async query(statement: Statement | string, values?: readonly unknown[]): Promise<Row[]> {
    return this.use(connection =>
      connection.query(statement, values).catch(error => {
        const isAgain = isEndedForOthers(error) || isOutdatedPlan(error)
        if (isAgain && !connection.isBroken) return connection.query(statement, values)
        throw error
      }),
    )
  }

  /** Runs statements in one transaction. @throws ServiceError `storage_unavailable`, or the error of `work`. */
  transaction<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    return this.use(connection => transactionOn(connection, work))
  }

  /** Does the same with `work` that may run again, as it does if the server has ended it in favour of others. */
  repeatable<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    return this.use(async connection => {
      for (let repeats = 0; ; repeats++) {
        try {
          return await transactionOn(connection, work)
        } catch (error) {
          if (!isEndedForOthers(error) || connection.isBroken || repeats === mostRepeats) throw error
        }
      }
    })
  }

  /** Lends a connection to `work`. */
  async use<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    const connection = await this.#take()
    this.#used.add(connection)
    try {
      return await work(connection)
    } catch (error) {
      throw isServerError(error) || connection.isBroken ? failureOf(error) : error
    } finally {
      this.#used.delete(connection)
      this.#give(connection)
    }
  }

  async #take(): Promise<Connection> {
    if (this.#isClosed) throw closed()
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (!idle.isBroken) return idle
      this.#open--
    }
    if (this.#open < this.#most) return this.#openOne()
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  async #openOne(): Promise<Connection> {
    this.#open++
    try {
      return await this.#connect()
    } catch (error) {
      this.#open--
      // Each of those who wait would find the same, one after another.
      for (const { reject } of this.#waiting.splice(0)) reject(error)
      throw error
    }
  }

  #give(connection: Connection): void {
    if (this.#isClosed) connection.end()
    const next = this.#waiting.shift()
    if (!connection.isBroken) {
      if (next === undefined) this.#idle.push(connection)
      else next.resolve(connection)
      return
    }
    this.#open--
    if (next !== undefined) this.#openOne().then(next.resolve, next.reject)
  }

  /** Ends the idle connections now, and each other one when its work ends. */
  close(): void {
    this.#isClosed = true
    for (const connection of this.#idle.splice(0)) connection.end()
    for (const { reject } of this.#waiting.splice(0)) reject(closed())
  }

  /** Closes it, and gives up what is under way. */
  abort(): void {
    this.close()
    for (const connection of this.#used) connection.end()
  }
}

async function transactionOn<Result>(
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

/** Whether the server has ended a statement because it and others wait for each other, or cannot be put into an order. */
export function isEndedForOthers(error: unknown): boolean {
  return ['40P01', '40001'].includes(sqlStateOf(error) ?? '')
}

const mostRepeats = 3

const closed = () => new ServiceError('storage_unavailable', { detail: 'The database is closed.' })
