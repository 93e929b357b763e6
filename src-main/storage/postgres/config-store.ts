import { createBus } from '#main/lib/bus.ts'
import { dayMs } from '#shared/durations.ts'
import { ServiceError } from '#shared/errors.ts'
import { createCoalescedPoll } from '../coalesced-poll.ts'
import type { Config } from '../config.ts'
import { type ConfigDiff, diffConfig } from '../config-diff.ts'
import type { ConfigChange, ConfigStore } from '../config-store.ts'
import { freezeChanges, freezeConfig } from '../freeze-config.ts'
import { toFileChange } from '../local/config-change.ts'
import { type AppliedUpdate, applyWaiting, type WaitingUpdate, waitIn } from '../local/config-updates.ts'
import { newConfig } from '../local/lowdb-config-store.ts'
import { createSealedTexts } from '../local/sealed-texts.ts'
import type { Sealer } from '../local/secrets.ts'
import { isUnavailable } from '../unavailable.ts'
import { createConfigParts, type PartChanges, type PartRow } from './config-parts.ts'
import { type Connection, failureOf } from './connect.ts'
import type { Pool } from './pool.ts'
import { notify, type PostgresSignals } from './signals.ts'

/** Milliseconds between two polls of the version. */
const pollEvery = 1000
/** Rows that are read, and about how many characters are written, by one statement. */
const readRows = 500
const writtenCharacters = 4 * 1024 * 1024
/** Milliseconds for which a removed record is known as such. A node that has not polled for longer reads all records. */
const removedForMs = dayMs
const topic = 'config'

const keyContext = 'meta/keyCheck'

export type PostgresConfigOptions = {
  readonly pool: Pool
  readonly signals: Pick<PostgresSignals, 'on'>
  readonly sealer: Sealer
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Applies a change in its transaction. */
  readonly applyWith?: (connection: Connection, next: Config, diff: ConfigDiff) => Promise<void>
  /** Called with each change that is in the snapshot, of whatever node, before it is announced. */
  readonly onApplied?: (next: Config, diff: ConfigDiff) => void
  /** Resolves when nothing is decided by an older version any more. Throws if it cannot be told. */
  readonly confirmed?: (version: number) => Promise<void>
  /** Receives what a listener throws, and why the configuration cannot be read. */
  readonly onError: (error: unknown) => void
}

export type PostgresConfigStore = ConfigStore & {
  /**
   * Returns the version of the snapshot, and the last time (of `performance.now()`) at which it was the newest, and on which
   * server (see `Connector.server`).
   */
  known(): { readonly version: number; readonly at: number; readonly server: number }
  /** Resolves after a poll that begins after the call. @throws ServiceError `storage_unavailable` if it fails. */
  refresh(): Promise<void>
}

/**
 * Opens the configuration in a database, and creates it in a new one. Each node has a copy in memory, and applies what
 * others have changed to it.
 *
 * @throws ServiceError `wrong_key`, `storage_unavailable`; DamagedContent.
 */
export async function openPostgresConfig(options: PostgresConfigOptions): Promise<PostgresConfigStore> {
  const { pool, signals, sealer, clock, onError } = options
  const texts = createSealedTexts(sealer)
  const parts = createConfigParts(texts)
  const changes = createBus<readonly [next: Config, previous: Config, diff: ConfigDiff]>(onError)
  const everywhere = createBus<void>(onError)
  /** Before the first poll it has no record, so that those that are read are added to nothing. */
  let snapshot: Config = { ...newConfig(0), workspaces: new Map() }
  let version = 0
  /** The highest one so far: a database that takes over, or was restored, may have missed it. */
  let highest = 0
  let server = 0
  let readAt = Number.NEGATIVE_INFINITY
  const waiting: WaitingUpdate[] = []
  let isPollDue = false
  let running: Promise<void> | null = null
  let isOpen = false
  let isClosed = false
  const tellEverywhere = createCoalescedPoll(async () => {
    if (everywhere.hasListeners()) await options.confirmed?.(version).catch(onError)
    everywhere.publish()
  })

  freezeConfig(snapshot)
  await pool.transaction(create)
  await pool.transaction(read)
  isOpen = true
  const poll = createCoalescedPoll(pollInTurn)
  const stopSignals = signals.on(topic, text => (Number(text) > version ? poll() : undefined))
  const timer = setInterval(poll, pollEvery).unref()

  /** Makes the first version of a new database; checks that the key of another one is this node's. */
  async function create(connection: Connection): Promise<void> {
    const [head] = await connection.query(lockHead)
    const [meta] = await connection.query('SELECT key_check FROM meta')
    const known = meta?.key_check ?? null
    const isNew = Number(head?.version) === 0
    if (known !== null) requireKey(sealer, String(known))
    else {
      // What was restored does not tell its key in another way.
      if (!isNew) await readNewer(connection)
      await connection.query('UPDATE meta SET key_check = $1', [sealer.seal('', keyContext)])
    }
    if (!isNew) return
    const first = newConfig(clock())
    const diff = { ...diffConfig(snapshot, first), settings: true }
    await write(connection, parts.rowsOf(first, [toFileChange(first, diff, texts)], diff), 1)
  }

  /** Reads what others have changed, without keeping them from changing more. */
  async function read(connection: Connection): Promise<void> {
    await connection.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
    await readNewer(connection)
  }

  /** Applies what others have changed, and announces it. In a transaction in which all versions are whole. */
  async function readNewer(connection: Connection): Promise<void> {
    const at = performance.now()
    const [head] = await connection.query(readHead)
    const newest = Number(head?.version)
    // The versions of another server may be of another history, whatever their numbers.
    const isOther = connection.server !== server || newest < version
    if (newest !== version || isOther) {
      if (isOther) parts.forgetDocuments()
      const isAll = isOther || version < Number(head?.kept_from)
      const found: PartRow[] = []
      let last: readonly unknown[] = [isAll ? 0 : version + 1, '', '']
      for (;;) {
        const rows = await connection.query(readParts, [...last, readRows])
        found.push(...rows.map(rowOf))
        const end = rows.at(-1)
        if (end === undefined || rows.length < readRows) break
        last = [end.version, end.kind, end.id]
      }
      if (isAll) found.push(...parts.missingFrom(found))
      const next = parts.withRows(snapshot, found)
      server = connection.server
      version = newest
      highest = Math.max(highest, newest)
      become(next, diffConfig(snapshot, next))
      if (isOpen) tellEverywhere()
    }
    readAt = at
  }

  function become(next: Config, diff: ConfigDiff): void {
    const previous = snapshot
    freezeChanges(next, diff)
    snapshot = next
    if (!isOpen) return
    options.onApplied?.(next, diff)
    changes.publish([next, previous, diff])
  }

  /** Makes updates durable, in one transaction for all that wait. */
  async function writeWaiting(): Promise<void> {
    const waited = waiting.length
    let applied: readonly AppliedUpdate[] | undefined
    let rows: PartChanges = { changed: [], moved: [] }
    const isChanged = () => rows.changed.length + rows.moved.length > 0
    try {
      applied = await pool.transaction(async connection => {
        await connection.query(lockHead)
        await readNewer(connection)
        const taken = applyWaiting(waiting, snapshot, texts)
        applied = taken.applied
        const next = applied.at(-1)?.next ?? snapshot
        const diff = diffConfig(snapshot, next)
        rows = parts.rowsOf(next, taken.lines, diff)
        if (isChanged()) {
          await write(connection, rows, highest + 1)
          await options.applyWith?.(connection, next, diff)
        }
        return applied
      })
    } catch (error) {
      for (const { reject } of applied ?? waiting.splice(0, waited)) reject(failureOf(error))
      return
    }
    if (isChanged()) {
      highest += 1
      version = highest
      parts.wrote(rows, version)
    }
    for (const { next, diff } of applied) if (diff !== null) become(next, diff)
    if (isChanged()) {
      try {
        await confirm()
      } catch (error) {
        // The change is durable, but some node may still decide by an older version.
        for (const { reject } of applied) reject(failureOf(error))
        return
      }
      everywhere.publish()
    }
    for (const { resolve } of applied) resolve()
  }

  /** Resolves when other nodes know this version. It goes on polling: a node that has not polled for long may not work. */
  async function confirm(): Promise<void> {
    let polling = Promise.resolve()
    const again = setInterval(() => {
      polling = polling.then(pollNow).catch(() => {})
    }, pollEvery)
    try {
      await options.confirmed?.(version)
    } finally {
      clearInterval(again)
    }
    await polling
  }

  async function write(connection: Connection, rows: PartChanges, next: number): Promise<void> {
    const now = clock()
    for (const some of inChunks(rows.changed)) {
      const columns = [some.map(row => row.kind), some.map(row => row.id), some.map(row => row.place)]
      await connection.query(putParts, [...columns, some.map(row => row.doc), next, now])
    }
    const { moved } = rows
    if (moved.length > 0)
      await connection.query(moveParts, [
        ...[moved.map(row => row.kind), moved.map(row => row.id), moved.map(row => row.place), next],
      ])
    await connection.query(forgetRemoved, [now - removedForMs])
    // Other nodes may know what was missed.
    const isAfterMissed = next > version + 1
    await connection.query(setVersion, [next, isAfterMissed])
    await notify(connection, topic, String(next))
  }

  /** Polls once between the updates. */
  async function pollInTurn(): Promise<void> {
    isPollDue = true
    running ??= run()
    await running
  }

  async function run(): Promise<void> {
    while (waiting.length > 0 || isPollDue) {
      if (isPollDue) {
        isPollDue = false
        await pollNow().catch(error => {
          if (!isUnavailable(error)) onError(error)
        })
      }
      if (waiting.length > 0) await writeWaiting()
    }
    running = null
  }

  async function pollNow(): Promise<void> {
    const at = performance.now()
    const isKnown = await pool.use(async connection => {
      const [head] = await connection.query(readHead)
      return Number(head?.version) === version && connection.server === server
    })
    if (isKnown) {
      readAt = at
      return
    }
    await pool.transaction(read)
  }

  return {
    snapshot: () => snapshot,
    update<Result>(change: (config: Config) => ConfigChange<Result>) {
      if (isClosed)
        return Promise.reject(new ServiceError('storage_unavailable', { detail: 'The service is stopping.' }))
      const result = waitIn(waiting, change)
      running ??= run()
      return result
    },
    onChange: listener => changes.subscribe(change => listener(...change)),
    ...{ changeCount: changes.count, everywhere },
    known: () => ({ version, at: readAt, server }),
    async refresh() {
      const since = performance.now()
      await pollInTurn()
      if (readAt < since)
        throw new ServiceError('storage_unavailable', { detail: 'The configuration cannot be read.' })
    },
    async close() {
      isClosed = true
      stopSignals()
      clearInterval(timer)
      await running
    },
  }
}

/** @throws ServiceError `wrong_key` if a text was not sealed with this key. */
export function requireKey(sealer: Sealer, sealed: string): void {
  try {
    sealer.open(sealed, keyContext)
  } catch (cause) {
    const detail =
      'CUSTOM_CONNECTION_KEY is not the key with which the database was set up. All services on a database need the same key.'
    throw new ServiceError('wrong_key', { detail, cause })
  }
}

function rowOf({ kind, id, place, doc_version: docVersion, doc }: Record<string, unknown>): PartRow {
  return {
    ...{ kind: String(kind), id: String(id), place: Number(place), docVersion: Number(docVersion) },
    doc: doc === null ? null : String(doc),
  }
}

/** Divides rows into chunks that one statement can write. */
function* inChunks<One extends { readonly doc: string | null }>(rows: readonly One[]): Generator<One[]> {
  let chunk: One[] = []
  let characters = 0
  for (const row of rows) {
    chunk.push(row)
    characters += row.doc?.length ?? 0
    if (characters < writtenCharacters && chunk.length < readRows) continue
    yield chunk
    chunk = []
    characters = 0
  }
  if (chunk.length > 0) yield chunk
}

const lockHead = { name: 'lock_config', text: 'SELECT version FROM config_head FOR UPDATE' }
const readHead = {
  name: 'config_version',
  text: 'SELECT version, kept_from FROM config_head',
}
const readParts = {
  name: 'config_parts',
  text: `SELECT kind, id, place, version, doc_version, doc FROM config_part
    WHERE (version, kind, id) > ($1, $2, $3) ORDER BY version, kind, id LIMIT $4`,
}
const putParts = {
  name: 'put_config_parts',
  text: `INSERT INTO config_part (kind, id, place, doc, version, doc_version, changed_at)
    SELECT *, $5::bigint, $5::bigint, $6::bigint FROM unnest($1::text[], $2::text[], $3::float8[], $4::text[])
    ON CONFLICT (kind, id) DO UPDATE SET place = excluded.place, doc = excluded.doc, version = excluded.version,
      doc_version = excluded.doc_version, changed_at = excluded.changed_at`,
}
const moveParts = {
  name: 'move_config_parts',
  text: `UPDATE config_part AS p SET place = u.place, version = $4
    FROM unnest($1::text[], $2::text[], $3::float8[]) AS u(kind, id, place) WHERE p.kind = u.kind AND p.id = u.id`,
}
const forgetRemoved = {
  name: 'forget_removed_config_parts',
  text: `WITH d AS (DELETE FROM config_part WHERE doc IS NULL AND changed_at < $1 RETURNING version)
    UPDATE config_head SET kept_from = greatest(kept_from, (SELECT max(version) FROM d)) WHERE EXISTS (SELECT FROM d)`,
}
const setVersion = {
  name: 'set_config_version',
  text: 'UPDATE config_head SET version = $1, kept_from = CASE WHEN $2 THEN $1 ELSE kept_from END',
}
