import { setTimeout as delay } from 'node:timers/promises'
import type { Client as PgClient } from 'pg'
import { messageOf } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import { outageOf, UnusableServer } from '../outage.ts'
import { bestFirst, createPrimary, isNewer, OtherData, type ServerFacts } from './primary.ts'
import { prepareSession } from './session.ts'
import { hostUrls, readUrl } from './url.ts'

/** Milliseconds without an answer after which a connection is given up, as a rule. */
const answerMs = 5000
/** Milliseconds to reach one server. */
const connectMs = 3000
/** Milliseconds for which a connection waits for what the other hosts are. */
const othersMs = 1000
/** Milliseconds of silence after which the system asks whether the other side is still there. */
const keepAliveMs = 10_000

/** An SQL statement, and the name under which a connection keeps it prepared; those that are rare have none. */
export type Statement = { readonly text: string; readonly name?: string }
export type Row = Readonly<Record<string, unknown>>

/** One connection to the server that takes writes. */
export type Connection = {
  /** @throws the server's error; any error of the connection itself, which is then broken. */
  query(statement: Statement | string, values?: readonly unknown[]): Promise<Row[]>
  readonly isBroken: boolean
  /** See `Connector.server`. */
  readonly server: number
  /** Calls `listener` with each notification, and once without one when the connection ends. */
  onNotification(listener: (payload: string | null) => void): void
  end(): void
}

/** Connects to the server that takes writes, whichever of the hosts it is. */
export type Connector = {
  /**
   * Opens a connection.
   *
   * @param silentMs milliseconds without an answer after which it is given up; those of the connector by default.
   * @throws ServiceError `storage_unavailable`, `invalid_database_url`, `unsupported_database`, and `unsafe_database` for a
   *   server that may lose what it has confirmed.
   */
  (silentMs?: number): Promise<Connection>
  /** Returns a number that is higher after each change of the server that is used. */
  server(): number
  /** Looks at all hosts, if there are several, and leaves the server for one with a higher timeline. */
  look(): Promise<void>
}

/** A server that was left for one that was promoted later. */
export type LeftServer = {
  /** The host and the port of it, and of the one that is used now. */
  readonly host: string
  readonly next: string
  /** Runs one statement there. @throws Error if it cannot be asked, or has begun to follow another one. */
  query(statement: Statement, values: readonly unknown[]): Promise<Row[]>
}

export type ConnectorOptions = {
  /** Milliseconds without an answer after which a connection is given up, unless it is opened with others. */
  readonly silentMs?: number
  /**
   * Called with the number of each other server than the first one, when its connections can be opened, and the server that
   * was left if it may have accepted what the other one has missed.
   */
  readonly onServer?: (number: number, left: LeftServer | null) => void
  /** Receives what an operator should know, in words. */
  readonly onWarning?: ((text: string) => void) | undefined
}

type Found = { readonly url: string; readonly facts: ServerFacts }
/** The servers that take writes, and why others cannot be used, by their URLs. */
type Look = { readonly failures: Map<string, unknown>; readonly found: readonly Found[] }

/**
 * Returns a function that connects to the server that takes writes. All connections are to one server: the first that sees
 * a higher timeline, or a server that was restarted, closes the others. It never uses one with a lower timeline than it has
 * seen: that is a former primary, which has missed a promotion.
 *
 * @param source the URL, or `@` and a file, which is read for each connection.
 * @throws ServiceError `invalid_database_url`.
 */
export function connectorTo(
  source: string,
  { silentMs = answerMs, onServer = () => {}, onWarning = () => {} }: ConnectorOptions = {},
): Connector {
  if (!source.startsWith('@')) hostUrls(source)
  const primary = createPrimary()
  const connections = new Set<ServerConnection>()
  const told = new Set<string>()
  let used: Found | null = null
  const isUsed = (url: string) => used !== null && hostOf(url) === hostOf(used.url)
  let looking: Promise<Look> | null = null

  function warn(text: string): void {
    if (told.has(text)) return
    told.add(text)
    onWarning(text)
  }

  function use(found: Found): void {
    const { url, facts } = found
    const before = primary.number()
    const left = used
    try {
      primary.use(facts)
    } catch (error) {
      if (error instanceof OtherData) warn(`${hostOf(url)}: ${error.message}`)
      throw error
    }
    used = found
    if (primary.number() === before) return
    if (facts.timeline === null) warn(noTimeline)
    for (const connection of connections) connection.leave()
    connections.clear()
    if (before > 0)
      onServer(primary.number(), left && isNewer(facts, left.facts) ? leftServer(left, found) : null)
  }

  /** Opens a connection that can be used, and is not yet among those of the server. */
  async function openTo(url: string, givenUpAfterMs: number) {
    const connection = await open(url, givenUpAfterMs)
    try {
      const facts = await prepareSession(connection, givenUpAfterMs)
      return { connection, url, facts }
    } catch (error) {
      connection.end()
      throw error
    }
  }

  function leftServer(left: Found, next: Found): LeftServer {
    return {
      host: hostOf(left.url),
      next: hostOf(next.url),
      async query(statement, values) {
        const { connection, facts } = await openTo(left.url, answerMs)
        try {
          if (facts.timeline !== left.facts.timeline) throw new Error('Another server has its address.')
          return await connection.query(statement, values)
        } finally {
          connection.end()
        }
      },
    }
  }

  async function connectTo(url: string, givenUpAfterMs: number): Promise<ServerConnection> {
    const { connection, ...found } = await openTo(url, givenUpAfterMs)
    try {
      use(found)
    } catch (error) {
      connection.end()
      throw error
    }
    connection.server = primary.number()
    for (const one of connections) if (one.isBroken) connections.delete(one)
    connections.add(connection)
    return connection
  }

  async function urlsNow(): Promise<readonly string[]> {
    try {
      return hostUrls(await readUrl(source))
    } catch (error) {
      throw primary.number() === 0 ? error : failureOf(messageOf(error))
    }
  }

  /**
   * Asks hosts at once, and uses one with a higher timeline than the server that is used, or the best if there is none. What
   * is returned goes on to be filled by hosts that answer late.
   */
  async function lookAt(urls: readonly string[]): Promise<Look> {
    const failures = new Map<string, unknown>()
    const found: Found[] = []
    const isFirst = primary.number() === 0
    /** Returns whether a server is used now. */
    function admit(one: Found): boolean {
      try {
        use(one)
        return true
      } catch (error) {
        failures.set(one.url, error)
        return false
      }
    }
    const asked = urls.map(async url => {
      try {
        const { connection, ...one } = await openTo(url, answerMs)
        connection.end()
        found.push(one)
        if (!isFirst && isNewer(one.facts, primary.current())) admit(one)
      } catch (error) {
        failures.set(url, error)
      }
    })
    // At the start, nothing is known that tells a former primary.
    if (isFirst) {
      await Promise.all(asked)
      bestFirst(found).some(admit)
    } else await Promise.race([Promise.all(asked), delay(othersMs, undefined, { ref: false })])
    return { failures, found }
  }

  /** Looks at the hosts besides the one that is used; at all while none is. */
  function lookAtOthers(urls: readonly string[]): Promise<Look> {
    looking ??= lookAt(urls.filter(url => !isUsed(url))).finally(() => {
      looking = null
    })
    return looking
  }

  async function connect(givenUpAfterMs = silentMs): Promise<Connection> {
    const urls = await urlsNow()
    const isSingle = urls.length === 1
    const { failures, found } = isSingle ? { failures: new Map(), found: [] } : await lookAtOthers(urls)
    const preferred = urls.find(url => isSingle || isUsed(url))
    if (preferred !== undefined) {
      try {
        return await connectTo(preferred, givenUpAfterMs)
      } catch (error) {
        failures.set(preferred, error)
      }
    }
    for (const { url } of bestFirst(found)) {
      if (failures.has(url)) continue
      try {
        return await connectTo(url, givenUpAfterMs)
      } catch (error) {
        failures.set(url, error)
      }
    }
    for (const error of failures.values()) if (error instanceof ServiceError) throw error
    const reasons = urls.flatMap(url =>
      failures.has(url) ? [`${hostOf(url)}: ${messageOf(failures.get(url))}`] : [],
    )
    const detail = `No server of the database can be used. ${reasons.join('; ')}`
    const causes = [...failures.values()]
    const cause = causes.findLast(error => outageOf(error) !== null) ?? causes.at(-1)
    throw new ServiceError('storage_unavailable', { detail, cause })
  }

  return Object.assign(connect, {
    server: primary.number,
    async look() {
      const urls = await urlsNow()
      if (urls.length > 1) await lookAtOthers(urls)
    },
  })
}

const hostOf = (url: string) => new URL(url).host

const noTimeline =
  'The database does not tell its timeline. The service cannot tell a former primary from the current one: after a failover, make sure that no other server takes writes at the addresses in the URL.'

async function open(url: string, silentMs: number): Promise<ServerConnection> {
  const { Client, types } = await import('pg')
  const client = new Client({
    connectionString: url,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    connectionTimeoutMillis: connectMs,
    application_name: 'custom-connection',
    // All integers of ours are below 2^53.
    types: {
      getTypeParser: (id, format) => (id === types.builtins.INT8 ? Number : types.getTypeParser(id, format)),
    },
  })
  const connection = new ServerConnection(client, silentMs)
  try {
    await client.connect()
  } catch (error) {
    // The server would wait a minute for a password.
    client.connection.stream.destroy()
    if (client.password === null && messageOf(error).includes('password'))
      throw new UnusableServer('password', 'The server asks for a password, and the URL contains none.', {
        cause: error,
      })
    throw error
  }
  return connection
}

class ServerConnection implements Connection {
  isBroken = false
  server = 0
  readonly #client: PgClient
  readonly #silentMs: number
  /** A new program may add columns: what was prepared before is then prepared again, under another name. */
  #generation = 0
  /** Why the current statement is not as durable as it has to be. */
  #warning: string | null = null
  #listener: (payload: string | null) => void = () => {}

  constructor(client: PgClient, silentMs: number) {
    this.#client = client
    this.#silentMs = silentMs
    const onEnd = () => {
      if (this.isBroken) return
      this.isBroken = true
      this.#listener(null)
    }
    client.on('error', onEnd)
    client.on('end', onEnd)
    client.on('notification', ({ payload = '' }) => this.#listener(payload))
    // A commit whose wait for the standby was cancelled succeeds, with a warning. Servers write messages in any language.
    client.on('notice', ({ code, file = '', message = '' }) => {
      if (code === '01000' && (file.endsWith('syncrep.c') || message.includes('replication')))
        this.#warning = message
    })
  }

  /** @param silentMs milliseconds without an answer after which the connection is given up. */
  async query(
    statement: Statement | string,
    values: readonly unknown[] = [],
    silentMs = this.#silentMs,
  ): Promise<Row[]> {
    const { text, name } = typeof statement === 'string' ? { text: statement } : statement
    const config = { text, ...(name !== undefined && { name: `${name} ${this.#generation}` }) }
    // Cancelling would end the wait for a standby, and make the commit look as if it had succeeded.
    const timer = setTimeout(() => this.#break(), silentMs)
    try {
      const { rows } = await this.#client.query<Record<string, unknown>>({ ...config, values: [...values] })
      if (this.#warning !== null) throw new Error(this.#warning)
      return rows
    } catch (error) {
      if (this.#warning !== null || !isServerError(error)) this.#break()
      else if (isOutdatedPlan(error)) this.#generation++
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  onNotification(listener: (payload: string | null) => void): void {
    this.#listener = listener
  }

  end(): void {
    if (this.isBroken) return
    this.isBroken = true
    this.#client.end().catch(() => {})
  }

  /** Ends it at once, with what is under way. */
  leave(): void {
    if (this.isBroken) return
    this.#break()
    this.#listener(null)
  }

  #break(): void {
    this.isBroken = true
    this.#client.connection.stream.destroy()
  }
}

/** The codes of errors with which the server ends a connection. The severity is in the server's language. */
const endingCodes = /^(08|57P|25P0[34])/

/** Whether the server has answered with an error, so that the connection can be used again. */
export function isServerError(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && !endingCodes.test(sqlStateOf(error) ?? '')
}

/** Whether a statement was not carried out, because a table has changed since it was prepared. */
export function isOutdatedPlan(error: unknown): boolean {
  return error instanceof Error && 'routine' in error && error.routine === 'RevalidateCachedQuery'
}

/** Returns the code of the server's error, also of one that `failureOf` has wrapped; null for any other error. */
export function sqlStateOf(error: unknown): string | null {
  const own = error instanceof ServiceError ? error.cause : error
  return own instanceof Error && 'code' in own && typeof own.code === 'string' ? own.code : null
}

/** Returns the error for a statement that failed. */
export function failureOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  return new ServiceError('storage_unavailable', {
    detail: `The database cannot be used: ${messageOf(error)}`,
    cause: error,
  })
}
