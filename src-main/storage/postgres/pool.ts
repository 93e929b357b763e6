import { ServiceError } from '#shared/errors.ts'
import { type Connection, failureOf, isServerError, type Row, type Statement } from './connect.ts'

/** A few connections that take turns. */
export class Pool {
  readonly #connect: () => Promise<Connection>
  readonly #most: number
  readonly #idle: Connection[] = []
  readonly #waiting: (() => void)[] = []
  #open = 0
  #isClosed = false

  constructor(connect: () => Promise<Connection>, most: number) {
    this.#connect = connect
    this.#most = most
  }

  /** Runs one statement. @throws ServiceError `storage_unavailable`. */
  async query(statement: Statement | string, values?: readonly unknown[]): Promise<Row[]> {
    return this.use(connection => connection.query(statement, values))
  }

  /** Runs statements in one transaction. @throws ServiceError `storage_unavailable`, or the error of `work`. */
  transaction<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    return this.use(async connection => {
      await connection.query('BEGIN')
      try {
        const result = await work(connection)
        await connection.query('COMMIT')
        return result
      } catch (error) {
        if (!connection.isBroken) await connection.query('ROLLBACK').catch(() => connection.end())
        throw error
      }
    })
  }

  /** Lends a connection to `work`. */
  async use<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    const connection = await this.#take()
    try {
      return await work(connection)
    } catch (error) {
      throw isServerError(error) || connection.isBroken ? failureOf(error) : error
    } finally {
      this.#give(connection)
    }
  }

  async #take(): Promise<Connection> {
    for (;;) {
      if (this.#isClosed) throw new ServiceError('storage_unavailable', { detail: 'The database is closed.' })
      const idle = this.#idle.pop()
      if (idle?.isBroken) this.#open--
      else if (idle !== undefined) return idle
      else if (this.#open < this.#most) break
      else await new Promise<void>(resolve => this.#waiting.push(resolve))
    }
    this.#open++
    try {
      return await this.#connect()
    } catch (error) {
      this.#open--
      this.#waiting.shift()?.()
      throw error
    }
  }

  #give(connection: Connection): void {
    if (this.#isClosed) connection.end()
    if (connection.isBroken) this.#open--
    else this.#idle.push(connection)
    this.#waiting.shift()?.()
  }

  /** Ends the idle connections now, and each other one when its work ends. */
  close(): void {
    this.#isClosed = true
    for (const connection of this.#idle.splice(0)) connection.end()
    for (const wake of this.#waiting.splice(0)) wake()
  }
}
