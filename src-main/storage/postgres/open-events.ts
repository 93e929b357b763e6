import { dayMs } from '#shared/durations.ts'
import type { StorageOutage } from '#shared/model/readiness.ts'
import type { EventLog } from '../event-log.ts'
import type { LeftOut, NewKey } from '../rows/run-rows.ts'
import type { SearchBounds } from '../rows/search-budget.ts'
import type { LaneLimits, RunBounds, RunStore } from '../runs.ts'
import { WriteHealth } from '../write-health.ts'
import { type Accepted, acceptStatement } from './accept-batch.ts'
import { AcceptQueue, type Entry, unavailable, type Waiting } from './accept-queue.ts'
import { Claims } from './claims.ts'
import type { Connection } from './connect.ts'
import { fillAtStart } from './connection-limit.ts'
import { keepNewKeys } from './deduplication-keys.ts'
import { PostgresEventLog } from './event-log.ts'
import { FanOuts } from './fan-outs.ts'
import { fencedOff } from './fence.ts'
import { createSlotNumbers, endInSql, spanOf } from './ids.ts'
import { PerServer } from './per-server.ts'
import { Pool } from './pool.ts'
import { queryOn, repeatableOn } from './repeats.ts'
import { EventRetention } from './retention.ts'
import { RunHousekeeping } from './run-housekeeping.ts'
import { type RunList, RunLists } from './run-lists.ts'
import { RunQuota } from './run-quota.ts'
import { RunReader } from './run-reader.ts'
import { handedBack } from './run-row.ts'
import { PostgresRuns } from './run-store.ts'
import { RunWrites } from './run-writes.ts'
import { toStored } from './stored-text.ts'
import { TextIndex } from './text-index.ts'
import { mostTogether, sortRuns, workflowsOf } from './together.ts'
import { tryAccept } from './try-accept.ts'

type PostgresEventsOptions = {
  readonly connect: (silentMs?: number) => Promise<Connection>
  /** The database, for runs that this process claims. Its schema exists. */
  readonly pool: Pool
  /** The database, for what is shown. The same, by default. */
  readonly readPool?: Pool
  /** The database, for statements that may take long: deletions. The same, by default. */
  readonly slowPool?: Pool
  /** Returns the slot of this node. */
  readonly slot: () => number
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Whether this process may accept, with this as the largest number, and claim; always, by default. */
  readonly mayWork?: (number?: number) => boolean
  /** Returns the version of the configuration by which this process decides; the newest, by default. */
  readonly version?: () => number
  /** Whether all programs that use the database know runs that are stored together; always, by default. */
  readonly mayStoreTogether?: () => boolean
  readonly mostRunsWaiting?: number | undefined
  readonly runBounds?: RunBounds | undefined
  readonly mostKeys?: number | undefined
  readonly searchBounds?: Partial<SearchBounds> | undefined
  /** Receives errors that no caller waits for. */
  readonly onError: (error: unknown) => void
}

/** Batches that are stored at once each have a connection of their own. */
const acceptingConnections = 4
/** Milliseconds after which a batch is given up, so that its senders have their answer within 5 seconds. */
const acceptMs = 4000
/** Longer than events of other nodes with the same key take, and shorter than `acceptMs`: then the reason is known. */
const lockTimeout = '3s'
const defaultSearchBounds: SearchBounds = { rows: 200_000, text: 64 * 1024 * 1024, ms: 200 }
const defaultMostRunsWaiting = 1_000_000
const defaultMostKeys = 1_000_000
const defaultRunBounds: RunBounds = { mostPerWorkflow: 10_000, maxAgeMs: 30 * dayMs }

/** Opens the log of events and the runs in a database. Closing the log closes both, but not the database. */
export async function openPostgresEvents(options: PostgresEventsOptions): Promise<
  EventLog & {
    readonly runs: RunStore
    readonly textIndex: TextIndex
    nextEvent(): number
    /** Resolves when no run is claimed by earlier limits any more. */
    setLanes(limits: LaneLimits): Promise<void>
    /** Returns why events cannot be stored; null if they can, as far as is known. */
    outage(): StorageOutage | null
    /** Returns how many events wait to become durable. */
    waiting(): number
    /** The connections that events are accepted by. */
    readonly accepting: Pick<Pool, 'gauges'>
    /** Takes note of limits that were written by `writeLimits`, on this node or another one. */
    noteLanes(limits: LaneLimits): void
  }
> {
  const {
    connect,
    pool,
    readPool = pool,
    slowPool = pool,
    slot,
    clock,
    mayWork = () => true,
    version = () => Number.MAX_SAFE_INTEGER,
    mayStoreTogether = () => true,
    onError,
  } = options
  const [row] = await pool.query(newest)
  const accepting = new Pool(async () => {
    const connection = await connect(acceptMs)
    try {
      await connection.query(`SET lock_timeout = '${lockTimeout}'`)
      return connection
    } catch (error) {
      connection.end()
      throw error
    }
  }, acceptingConnections)
  const health = new WriteHealth({ tryWrite: () => tryAccept(accepting, slot()), onError })
  try {
    await fillAtStart(accepting)
  } catch (error) {
    accepting.close()
    health.close()
    throw error
  }
  accepting.keepFull(error => health.failed(error))
  const searchBounds = { ...defaultSearchBounds, ...options.searchBounds }
  const newestEvent = Number(row?.event)
  const claims = new Claims(pool, slot, clock, mayWork, version)
  const retention = new EventRetention(slowPool, clock, onError)
  const lists = new RunLists(clock)
  const store = createStore(accepting, claims, lists, mayStoreTogether, retention)
  const queue = new AcceptQueue(batch => health.watch(() => store(batch)), newestEvent, mayWork)
  const writes = new RunWrites(pool, slot)
  const bounds = { ...defaultRunBounds, ...options.runBounds, mostKeys: options.mostKeys ?? defaultMostKeys }
  const housekeeping = new RunHousekeeping(slowPool, bounds, clock, onError)
  const textIndex = new TextIndex(slowPool, clock, onError)
  const runs = new PostgresRuns({
    ...{ slowPool, queue, claims, writes, clock, version, mayWork, onError },
    fanOuts: new FanOuts({ pool, slot, clock, claims, lists, version }),
    reader: new RunReader(readPool, lists, searchBounds),
    quota: new RunQuota(
      { query: statement => health.watch(() => pool.query(statement)) },
      options.mostRunsWaiting ?? defaultMostRunsWaiting,
    ),
    nextId: createSlotNumbers(clock, slot, Math.max(0, newestEvent, Number(row?.run))),
  })
  const log = new PostgresEventLog({
    ...{ pool: readPool, slowPool, retention, searchBounds },
    append: async (event, started, eventKey) => {
      if (started.length > 0 || eventKey !== undefined)
        return runs.append(event, started, event.eventId, eventKey)
      queue.note(event)
      await queue.append(event, [], null, false, version())
      return null
    },
    appendAll: (events, persists, eventKey) => runs.appendAll(events, persists, eventKey),
    flush: () => queue.flush(),
    close: async () => {
      await queue.close()
      health.close()
      accepting.close()
      await Promise.all([
        retention.close(),
        housekeeping.close(),
        textIndex.close(),
        writes.flush(),
        claims.flush().catch(onError),
      ])
      // Another process need not wait for the leases to end.
      if (!mayWork()) return
      const handed = await pool.query(handBack, [slot()]).catch(onError)
      if (handed && handed.length > 0) runs.changes.publish(null)
    },
  })
  return Object.assign(log, {
    ...{ runs, textIndex },
    nextEvent: createSlotNumbers(clock, slot, Math.max(0, newestEvent)),
    setLanes: (limits: LaneLimits) => claims.setLimits(new Map(limits)),
    noteLanes: (limits: LaneLimits) => claims.note(limits),
    outage: () => health.outage(),
    waiting: () => queue.size,
    accepting,
  })
}

/** Returns the function that makes batches durable. */
function createStore(
  pool: Pool,
  claims: Claims,
  lists: RunLists,
  mayStoreTogether: () => boolean,
  retention: EventRetention,
) {
  const numbers = new PerServer(() => new Map<string, number>())

  /** Makes the connections of events known on a server. Returns their numbers there. */
  async function know(connection: Connection, connectionIds: Iterable<string>): Promise<Map<string, number>> {
    const known = numbers.of(connection.server)
    const unknown = Array.from(connectionIds).filter(id => !known.has(id))
    if (unknown.length === 0) return known
    const keys = new Map(unknown.map(id => [toStored(id), id]))
    for (const { id, key } of await queryOn(connection, knowConnections, [[...keys.keys()].sort()]))
      known.set(keys.get(String(key)) ?? '', Number(id))
    return known
  }

  /** Decides how the runs of a batch are stored. */
  async function sort(connection: Connection, batch: readonly Waiting[]): Promise<Sorted[]> {
    const mayBeTogether = mayStoreTogether()
    const isOrdered = (lane: string) => claims.isOrdered(lane)
    const wanted: RunList[] = []
    const sorted = batch.flatMap(({ entries, key }) =>
      entries.map(({ seq, event, runs }) => {
        const { alone, together } = mayBeTogether ? sortRuns(runs, isOrdered) : { alone: runs, together: [] }
        for (const { list } of together) wanted.push(list)
        return { seq, event, key, alone, together }
      }),
    )
    const numberOf = wanted.length === 0 ? () => null : await lists.know(connection, wanted)
    return sorted.map(({ seq, event, key, alone, together }) => {
      const runs = [...alone]
      const numbered: Accepted['together'][number][] = []
      for (const one of together) {
        const listNumber = numberOf(one.list)
        runs.push(...(listNumber === null ? one.runs : one.beside))
        if (listNumber !== null) numbered.push({ ...one, listNumber })
      }
      return { seq, event, key, runs, together: numbered }
    })
  }

  return async function store(batch: readonly Waiting[]): Promise<LeftOut | null> {
    const counts = new Map<string, number>()
    const lanes = new Set<string>()
    for (const { event, runs } of batch.flatMap(({ entries }) => entries)) {
      if (event !== null) counts.set(event.connectionId, (counts.get(event.connectionId) ?? 0) + 1)
      for (const { lane, workflowId } of runs)
        if (lane !== null) lanes.add(lane)
        else for (const one of workflowsOf(workflowId)) lanes.add(one)
    }
    await retention.hasRoom(counts.keys())
    const version = Math.min(...batch.map(one => one.version))
    const keys = batch.flatMap(keysOf)
    const leftOut = await pool.use(async connection => {
      const known = await know(connection, counts.keys())
      await claims.know(connection, lanes)
      const sorted = await sort(connection, batch)
      const insert = async (leftOut: LeftOut | null) => {
        const { statement, values } = acceptStatement(
          sorted.flatMap(one => storedEntry(one, leftOut)),
          id => known.get(id) ?? 0,
          version,
        )
        const [row] = await queryOn(connection, statement, values)
        if (row?.ok !== true) throw unavailable(fencedOff)
        return leftOut
      }
      if (keys.length === 0) return insert(null)
      return repeatableOn(connection, async () => insert(await keepNewKeys(connection, keys)))
    })
    retention.stored(counts)
    return leftOut
  }
}

/** Returns the keys of events and their runs, that of the events first. */
function keysOf({ key, entries }: Waiting): NewKey[] {
  const ofRuns = entries
    .flatMap(({ runs }) => runs)
    .flatMap(({ id, event, deduplicationKey }) =>
      deduplicationKey === undefined
        ? []
        : { ...deduplicationKey, run: id, event: event ?? key?.event ?? null },
    )
  return key === null ? ofRuns : [key, ...ofRuns]
}

/** An entry, with the key of its events. */
type Sorted = Entry & Pick<Waiting, 'key'> & Pick<Accepted, 'together'>

/** Returns what is stored of an entry; nothing if its events have a key that is kept already. */
function storedEntry({ seq, event, runs, together, key }: Sorted, leftOut: LeftOut | null): Accepted[] {
  const number = seq ?? runs[0]?.event ?? together[0]?.shared.event ?? key?.event ?? null
  if (number !== null && leftOut?.events.has(number)) return []
  return [
    {
      ...{ seq, event, together },
      runs: leftOut === null ? runs : runs.filter(({ id }) => !leftOut.runs.has(id)),
      duplicateOf: (seq !== null && leftOut?.duplicates.get(seq)) || null,
    },
  ]
}

const newest = `SELECT greatest((SELECT newest_seq FROM event_log), (SELECT max(hidden_up_to) FROM connection),
    (SELECT max(seq) FROM event)) AS event,
  greatest((SELECT max(id) FROM run), (SELECT max(${endInSql('id', 'runs')}) FROM fan_out
    WHERE id > (SELECT max(id) FROM fan_out) - ${spanOf(mostTogether)}), 0) AS run`
const knowConnections = {
  name: 'know_connections',
  text: `INSERT INTO connection (key) SELECT unnest($1::text[]) ON CONFLICT (key) DO UPDATE SET key = excluded.key RETURNING id, key`,
}
/** A run of a fan-out that has not stored anything was not begun. */
const handBack = `
  WITH f AS (UPDATE fan_out SET due_at = 0, node = NULL WHERE ended_at IS NULL AND node = $1)
  UPDATE run SET state = u.is_new::int # 1, due_at = CASE WHEN u.is_new THEN ${handedBack} ELSE 0 END,
    attempt = CASE WHEN u.is_new THEN 0 ELSE attempt END, started_at = CASE WHEN u.is_new THEN NULL ELSE started_at END
  FROM (SELECT id, is_fanned AND attempt = 1 AND NOT EXISTS (SELECT FROM run_step WHERE run_step.run = run.id) AS is_new
    FROM run WHERE state = 2 AND node = $1) AS u
  WHERE run.id = u.id RETURNING run.id`
