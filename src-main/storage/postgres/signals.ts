import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createBus } from '#main/lib/bus.ts'
import { ServiceError } from '#shared/errors.ts'
import { requireShort, type Signals } from '../signals.ts'
import type { Connection } from './connect.ts'
import type { Pool } from './pool.ts'

const channel = 'custom_connection'
/** Milliseconds between two statements that send: each makes all commits of the server wait for a moment. */
const sendEvery = 50
/** The server takes no longer ones. */
const mostBytes = 7900
/** Milliseconds before the next attempt to listen. */
const listenAgainAfter = 500
/** How often, and after how many milliseconds, a process that starts sends itself a signal until it hears one. */
const [checks, checkEvery] = [10, 1000]
const notHeard =
  'Notifications of the database (NOTIFY) do not arrive. Connect to the server itself, or through a pooler in session mode: for PgBouncer, pool_mode = session.'

export type PostgresSignals = Signals & { close(): Promise<void> }

/** Sends a signal when a transaction commits. */
export async function notify(connection: Connection, topic: string, text: string): Promise<void> {
  await connection.query('SELECT pg_notify($1, $2)', [channel, JSON.stringify([topic, text])])
}

/**
 * Opens the signals between the nodes on a database. It listens on a connection of its own.
 *
 * @param atStart sends the signal that tells whether they arrive; the same pool by default.
 * @throws ServiceError `storage_unavailable`; `unsupported_database` if a pooler between keeps no sessions.
 */
export async function openSignals(
  connect: () => Promise<Connection>,
  pool: Pool,
  onError: (error: unknown) => void,
  atStart = pool,
): Promise<PostgresSignals> {
  const bus = createBus<readonly [topic: string, text: string]>(onError)
  let waiting: string[] = []
  let sending: Promise<void> | null = null
  let listening: Connection | null = null
  let isClosed = false

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const texts = waiting
      waiting = []
      await pool
        .query({ name: 'signal', text: 'SELECT pg_notify($1, one) FROM unnest($2::text[]) AS one' }, [
          channel,
          texts,
        ])
        .catch(() => {})
      if (!isClosed) await delay(sendEvery)
    }
    sending = null
  }

  async function listen(): Promise<void> {
    const connection = await connect()
    try {
      await connection.query(`LISTEN ${channel}`)
      if (connection.isBroken) throw new Error('The connection has ended.')
    } catch (error) {
      connection.end()
      throw error
    }
    listening = connection
    // Not before: if a connection ends while it begins to listen, only the error tells.
    connection.onNotification(payload => {
      if (payload !== null) return hear(payload)
      if (!isClosed) void listenAgain()
    })
    if (isClosed) connection.end()
  }

  async function listenAgain(): Promise<void> {
    for (let isHeard = false; !isHeard && !isClosed; ) {
      await delay(listenAgainAfter)
      isHeard = await listen().then(
        () => true,
        () => false,
      )
    }
  }

  /** Publishes a signal. Any user of the database can send on the channel. */
  function hear(payload: string): void {
    const parsed = parsedOrNull(payload)
    if (!Array.isArray(parsed)) return
    const [topic, text]: unknown[] = parsed
    if (typeof topic === 'string' && typeof text === 'string') bus.publish([topic, text])
  }

  /** @throws ServiceError `unsupported_database` if what this process sends does not reach it. */
  async function requireHeard(): Promise<void> {
    const own = randomUUID()
    const heard = Promise.withResolvers<true>()
    const stop = bus.subscribe(([topic, text]) => {
      if (topic === 'check' && text === own) heard.resolve(true)
    })
    try {
      for (let attempt = 0; attempt < checks; attempt++) {
        await atStart.use(connection => notify(connection, 'check', own))
        if (await Promise.race([heard.promise, delay(checkEvery)])) return
      }
    } finally {
      stop()
    }
    throw new ServiceError('unsupported_database', { detail: notHeard })
  }

  await listen()
  await requireHeard().catch(error => {
    isClosed = true
    listening?.end()
    throw error
  })
  return {
    send(topic, text) {
      requireShort(text)
      const payload = JSON.stringify([topic, text])
      if (isClosed || Buffer.byteLength(payload) > mostBytes) return
      waiting.push(payload)
      sending ??= sendAll()
    },
    on: (topic, listener) => bus.subscribe(([one, text]) => (one === topic ? listener(text) : undefined)),
    async close() {
      isClosed = true
      await sending
      listening?.end()
    },
  }
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
