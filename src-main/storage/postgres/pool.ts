import { ServiceError } from '#shared/errors.ts'
import type { DatabaseConnections } from '../gauges.ts'
import { outageOf } from '../outage.ts'
import { type Connection, failureOf, isServerError, type Row, type Statement } from './connect.ts'
import { queryOn, repeatableOn, transactionOn } from './repeats.ts'

type Waiting = { resolve(connection: Connection): void; reject(error: unknown): void }

/** A few connections that take turns. The caller that has waited longest is next. */
export class Pool {
  readonly #connect: () => Promise<Connection>
  readonly #most: number
  readonly #fallback: Pool | null
  readonly #idle: Connection[] = []
  readonly #used = new Set<Connection>()
  readonly #waiting: Waiting[] = []
  #open = 0
  #isClosed = false
  #timer: NodeJS.Timeout | undefined
  #filling: Promise<void> | null = null
  #refusal: { readonly error: unknown; readonly until: number } | null = null

  /** @param fallback serves the callers while the server gives this pool no connection. */
  constructor(connect: () => Promise<Connection>, most: number, fallback: Pool | null = null) {
    this.#connect = connect
    this.#most = most
    this.#fallback = fallback
  }

  /** How many connections are open. */
  get size(): number {
    return this.#idle.length + this.#used.size
  }

  /** How many connections are used and idle, and how many callers wait for one. */
  get gauges(): DatabaseConnections {
    return { used: this.#used.size, idle: this.#idle.length, waiting: this.#waiting.length }
  }

  /** Opens all connections that are missing. @throws the error of one that cannot be opened. */
  fill(): Promise<void> {
    this.#filling ??= this.#fill().finally(() => {
      this.#filling = null
    })
    return this.#filling
  }

  /** Opens each connection again that breaks. @param onFailed receives why none is open. */
  keepFull(onFailed: (error: unknown) => void): void {
    this.#timer ??= setInterval(() => {
      this.fill().catch(error => {
        if (this.#open === 0 && !this.#isClosed) onFailed(error)
      })
    }, fillEveryMs).unref()
  }

  async #fill(): Promise<void> {
    this.#dropBroken()
    const missing = this.#isClosed ? 0 : this.#most - this.#open
    const opening = Array.from({ length: missing }, async () => this.#give(await this.#openOne()))
    for (const opened of await Promise.allSettled(opening))
      if (opened.status === 'rejected') throw opened.reason
  }

  #dropBroken(): void {
    const idle = this.#idle.splice(0)
    this.#idle.push(...idle.filter(({ isBroken }) => !isBroken))
    this.#open -= idle.length - this.#idle.length
  }

  /**
   * Runs one statement, once more if the server has ended it in favour of others, or a table has changed since it was
   * prepared.
   *
   * @param values also as a function of the connection's server.
   * @throws ServiceError `storage_unavailable`.
   */
  async query(
    statement: Statement | string,
    values?: readonly unknown[] | ((server: number) => readonly unknown[]),
  ): Promise<Row[]> {
    return this.use(connection => {
      const given = typeof values === 'function' ? values(connection.server) : values
      return queryOn(connection, statement, given)
    })
  }

  /** Runs statements in one transaction. @throws ServiceError `storage_unavailable`, or the error of `work`. */
  transaction<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    return this.use(connection => transactionOn(connection, work))
  }

  /** Does the same with `work` that may run again, as it does if the server has ended it in favour of others. */
  repeatable<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    return this.use(connection => repeatableOn(connection, work))
  }

  /** Lends a connection to `work`. */
  async use<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    let connection: Connection
    try {
      connection = await this.#take()
    } catch (error) {
      if (this.#fallback !== null && outageOf(error) === 'no_connection') return this.#fallback.use(work)
      throw error
    }
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
    const idle = this.#takeIdle()
    if (idle !== undefined) return idle
    if (this.#open < this.#most) {
      try {
        return await this.#openOne()
      } catch (error) {
        const other = this.#takeIdle()
        if (other !== undefined) return other
        if (!this.#hasOthers(error)) throw error
      }
    }
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  #takeIdle(): Connection | undefined {
    this.#dropBroken()
    return this.#idle.pop()
  }

  async #openOne(): Promise<Connection> {
    const refusal = this.#refusal
    if (refusal !== null && performance.now() < refusal.until) throw refusal.error
    this.#open++
    try {
      const connection = await this.#connect()
      this.#refusal = null
      return connection
    } catch (error) {
      this.#open--
      // Its log should not fill with what it refuses.
      if (isRefusal(error)) this.#refusal = { error, until: performance.now() + fillEveryMs / 2 }
      // Each of those who wait would find the same, one after another.
      if (!this.#hasOthers(error)) for (const { reject } of this.#waiting.splice(0)) reject(error)
      throw error
    }
  }

  /** Whether those who wait may get another connection, although one could not be opened. */
  #hasOthers(error: unknown): boolean {
    return this.#open > 0 && !this.#isClosed && isRefusal(error)
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
    if (next !== undefined) this.#take().then(next.resolve, next.reject)
  }

  /** Ends the idle connections now, and each other one when its work ends. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
    for (const connection of this.#idle.splice(0)) connection.end()
    for (const { reject } of this.#waiting.splice(0)) reject(closed())
  }

  /** Closes it, and gives up what is under way. */
  abort(): void {
    this.close()
    for (const connection of this.#used) connection.end()
  }
}

/** Milliseconds between two checks for connections that are missing. */
const fillEveryMs = 1000
/** Whether the server can be reached, but gives no connection: those that are open may still work. */
const isRefusal = (error: unknown) => !['storage', null].includes(outageOf(error))

const closed = () => new ServiceError('storage_unavailable', { detail: 'The database is closed.' })
