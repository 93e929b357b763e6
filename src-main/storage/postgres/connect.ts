import type { Client as PgClient } from 'pg'
import { messageOf } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import { prepareSession } from './session.ts'

/** Milliseconds without an answer after which a connection is given up, as a rule. */
const answerMs = 5000
/** Milliseconds to reach one server. */
const connectMs = 3000
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
  /** Calls `listener` with each notification, and once without one when the connection ends. */
  onNotification(listener: (payload: string | null) => void): void
  end(): void
}

/**
 * Returns one URL a host: the driver knows a single one. It checks the certificate in all of the first three modes of
 * TLS too, but warns of that in its own way.
 *
 * @throws ServiceError `invalid_database_url`.
 */
export function hostUrls(url: string): string[] {
  const [, scheme = '', hosts = '', rest = ''] =
    /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^/?#]+)(.*)$/.exec(url) ?? []
  const verified = /[?&]uselibpqcompat=true/.test(rest)
    ? rest
    : rest.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full')
  const urls = hosts.split(',').map(host => `${scheme}${host}${verified}`)
  if (hosts === '' || !urls.every(one => URL.canParse(one))) throw new ServiceError('invalid_database_url')
  const { searchParams } = new URL(urls[0] ?? '')
  for (const [name, values] of Object.entries(knownValues))
    for (const value of searchParams.getAll(name))
      if (!values.includes(value)) {
        const detail = `${name} in the URL of the database must be one of: ${values.join(', ')}.`
        throw new ServiceError('invalid_database_url', { detail })
      }
  return urls
}

/** Parameters of which a wrong value would be ignored. A node always needs the server that takes writes. */
const knownValues: Readonly<Record<string, readonly string[]>> = {
  sslmode: ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'],
  target_session_attrs: ['any', 'read-write', 'primary'],
}

/** Returns the hosts of a URL and the name of the database, without the user and the password. */
export function databaseName(url: string): string {
  const urls = hostUrls(url).map(one => new URL(one))
  return `${urls.map(({ host }) => host).join(',')}${urls[0]?.pathname}`
}

/**
 * Returns a function that connects to the server that takes writes, whichever of the hosts it is. It never uses one with
 * a lower timeline than it has seen: that is a former primary, which has missed a promotion. The first time, it looks at
 * all hosts, and uses the one with the highest.
 *
 * @throws ServiceError `invalid_database_url`. The function throws `storage_unavailable`, `unsupported_database`,
 * and `unsafe_database` for a server that may lose what it has confirmed.
 * @param silentMs milliseconds without an answer after which a connection is given up, unless it is opened with others.
 */
export function connectorTo(url: string, silentMs = answerMs): (silentMs?: number) => Promise<Connection> {
  let urls = hostUrls(url)
  let newestTimeline = 0
  let hasLookedAtAll = false

  async function connectTo(one: string, givenUpAfterMs: number): Promise<Connection> {
    const connection = await open(one, givenUpAfterMs)
    try {
      const timeline = await prepareSession(
        (statement, values) => connection.query(statement, values, answerMs),
        givenUpAfterMs,
      )
      if (timeline < newestTimeline) throw new Error('The server is a former primary.')
      newestTimeline = timeline
      // The next connection begins with the host that was right.
      urls = [one, ...urls.filter(other => other !== one)]
      return connection
    } catch (error) {
      connection.end()
      throw error
    }
  }

  return async (givenUpAfterMs = silentMs) => {
    const failures: string[] = []
    let cause: unknown
    let found: Connection | null = null
    for (const one of urls) {
      try {
        const connection = await connectTo(one, givenUpAfterMs)
        found?.end()
        found = connection
        if (hasLookedAtAll) break
      } catch (error) {
        if (error instanceof ServiceError && found === null) throw error
        failures.push(`${new URL(one).host}: ${messageOf(error)}`)
        cause = error
      }
    }
    if (found !== null) {
      hasLookedAtAll = true
      return found
    }
    const detail = `No server of the database can be used. ${failures.join('; ')}`
    throw new ServiceError('storage_unavailable', { detail, cause })
  }
}

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
      throw new Error('The server asks for a password, and the URL contains none.', { cause: error })
    throw error
  }
  return connection
}

class ServerConnection implements Connection {
  isBroken = false
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
