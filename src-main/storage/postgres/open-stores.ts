import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { stopAll } from '#main/lib/stop-all.ts'
import { version } from '#main/lib/version.ts'
import { ServiceError } from '#shared/errors.ts'
import type { StorageOutage } from '#shared/model/readiness.ts'
import { openCallLimits } from '../call-limits.ts'
import type { Sealer } from '../local/secrets.ts'
import { outageOf } from '../outage.ts'
import { createSessions } from '../sessions.ts'
import type { Storage, StorageOptions } from '../storage.ts'
import { openActivityRelay } from './activity-relay.ts'
import { createAlerts } from './alerts.ts'
import { callLimitRecords } from './call-limits.ts'
import { writeLimits } from './claims.ts'
import { openPostgresConfig, requireKey } from './config-store.ts'
import { createConfirmCurrent } from './confirm-current.ts'
import { type Connection, connectorTo, type LeftServer } from './connect.ts'
import { fewConnections, fewestConnections, fillAtStart, tooFewConnections } from './connection-limit.ts'
import { openConversations } from './conversations.ts'
import { createGauges } from './gauges.ts'
import { createHeldCalls } from './held-calls.ts'
import { createHourCounts } from './hour-counts.ts'
import { postgresHousekeeping } from './housekeeping.ts'
import { createSlotNumbers, msOf } from './ids.ts'
import { openKnowledge } from './knowledge.ts'
import { createLeftBehind } from './left-behind.ts'
import { migrate, migrateMs, storesTogether } from './migrate.ts'
import { joinNodes } from './node.ts'
import { silentAfterMs } from './node-list.ts'
import { openOccurrences } from './occurrences.ts'
import { raiseOldestProgram, raiseStep } from './oldest-program.ts'
import { createOnceStore } from './once-store.ts'
import { openPostgresEvents } from './open-events.ts'
import { Pool } from './pool.ts'
import { createPresence } from './presence.ts'
import { isLocked, lockHolder } from './refusals.ts'
import { relayRuns } from './run-signals.ts'
import { sessionRecords } from './sessions.ts'
import { openSignals } from './signals.ts'
import { createStatistics } from './statistics.ts'
import { createTokenUses } from './token-uses.ts'

/**
 * Connections by which a node lives and its runs go on, and those for all but these, what is accepted and the signals.
 * Others wait for reads that take long, a node cannot: without its heartbeat it may not accept anything.
 */
const ownConnections = 2
const otherConnections = 2
/** Milliseconds for one statement that deletes or counts what may be much, all of which share one connection. */
const slowMs = 60_000
/** Milliseconds for which a node that stops waits for such statements. Another node does again what is given up. */
const slowStopMs = 3000
const giveUpEveryMs = 200
/** Milliseconds between two looks at all hosts of the URL: one of them may have become the primary. */
const lookEveryMs = 10_000
/** Milliseconds between two looks for pauses of connections. */
const pausesEveryMs = 1000
/** A node that the database has not confirmed for so long should get no requests. */
const unreadyAfterMs = 2000
/** Milliseconds by which a number may be ahead of the clock: the next node with the slot must not make it again. */
const mostAheadMs = 1000

export type PostgresStoresOptions = Pick<
  StorageOptions,
  | 'clock'
  | 'aheadMs'
  | 'historyBounds'
  | 'lanesOf'
  | 'mostRunsWaiting'
  | 'searchBounds'
  | 'nodeName'
  | 'callArrivesWithinMs'
> & {
  /** `postgres://user@host,host/name`. */
  readonly url: string
  readonly sealer: Sealer
  /** A folder of this process alone, for files on their way to the database; emptied now. */
  readonly uploadsFolder: string
  readonly onError: (error: unknown) => void
  /** Receives what an operator should know of the database, in words. */
  readonly onWarning?: (text: string) => void
  /** See `joinNodes`. */
  readonly adminTokenMark?: string | null
  /** Called at the start if there are fewer connections than there should be, with a text for the operator. */
  readonly onFewConnections?: (text: string) => void
  /** See `joinNodes`. */
  readonly onClockDifference?: (ms: number) => void
}

/** The stores that the nodes on a database share. */
export type PostgresStores = Omit<Storage, 'backupSources'>

/**
 * Opens the stores in a database, and makes or migrates its schema.
 *
 * @throws ServiceError `invalid_database_url`, `unsupported_database`, `unsafe_database`, `newer_database`, `wrong_key`,
 *   `too_few_connections`, `storage_unavailable`.
 */
export async function openPostgresStores(options: PostgresStoresOptions): Promise<PostgresStores> {
  const opened: (() => unknown)[] = []
  try {
    return await open(options, opened)
  } catch (error) {
    await stopAll(opened).catch(options.onError)
    if (isLocked(error)) throw await lockedBy(options.url, error)
    throw tooFewConnections(error) ?? error
  }
}

/** Returns the error with the session that holds the lock which was waited for. */
async function lockedBy(url: string, error: unknown): Promise<unknown> {
  const pool = new Pool(connectorTo(url), 1)
  const detail = await lockHolder(pool).catch(() => null)
  pool.close()
  return detail === null ? error : new ServiceError('storage_unavailable', { detail, cause: error })
}

async function open(options: PostgresStoresOptions, opened: (() => unknown)[]): Promise<PostgresStores> {
  const { url, sealer, uploadsFolder, historyBounds, lanesOf, aheadMs = 0, onError, onWarning } = options
  let onServer = (_left: LeftServer | null) => {}
  const connect = connectorTo(url, { onServer: (_number, left) => onServer(left), onWarning })
  const looking = setInterval(() => void connect.look().catch(() => {}), lookEveryMs).unref()
  opened.unshift(() => clearInterval(looking))
  const ownPool = new Pool(connect, ownConnections)
  opened.unshift(() => ownPool.close())
  const pool = new Pool(connect, otherConnections, ownPool)
  opened.unshift(() => pool.close())
  const slowPool = new Pool(() => connect(slowMs), 1, pool)
  opened.unshift(() => slowPool.abort())
  // The other pool has no connection before those that a service needs are open.
  const signals = await openSignals(connect, pool, onError, ownPool)
  opened.unshift(signals.close)
  const migrating = new Pool(() => connect(migrateMs), 1)
  opened.unshift(() => migrating.close())
  await migrate(migrating, sealed => requireKey(sealer, sealed), onWarning)
  migrating.close()
  await fillAtStart(ownPool)
  const node = await joinNodes(ownPool, {
    ...{ id: `node_${randomUUID()}`, name: options.nodeName ?? hostname(), version },
    clock: () => options.clock() - aheadMs,
    adminTokenMark: options.adminTokenMark,
    onClockDifference: options.onClockDifference,
    onError,
  })
  opened.unshift(node.leave)
  const clock = aheadMs === 0 ? node.clock : () => node.clock() + aheadMs
  const { mostRunsWaiting, searchBounds } = options
  let known = () => ({ version: 0, at: Number.NEGATIVE_INFINITY, server: 0 })
  // Others do not wait longer for this node to confirm a change. Another server may have missed some.
  const isCurrent = () =>
    node.silentMs() < silentAfterMs &&
    performance.now() - known().at < silentAfterMs &&
    known().server === connect.server()
  /** After a failover, the configuration may be older than what the database has known. */
  const decidesBy = () => Math.min(node.version(known().server), known().version)
  const mayWork = (number = 0) => msOf(number) <= clock() + mostAheadMs && isCurrent()
  const mayStoreTogether = () => node.oldestProgram(known().server) >= storesTogether
  /** Opens no connection to a server whose configuration was not read. */
  async function connectToAccept(silentMs?: number): Promise<Connection> {
    const connection = await connect(silentMs)
    if ([0, connection.server].includes(known().server)) return connection
    connection.end()
    throw new ServiceError('storage_unavailable', {
      detail: 'The configuration of the server that has taken over was not read yet.',
    })
  }
  const events = await openPostgresEvents({
    ...{ connect: connectToAccept, pool: ownPool, readPool: pool, slowPool, clock, mostRunsWaiting, onError },
    ...{ slot: node.slot, mayWork, mayStoreTogether, searchBounds, version: decidesBy },
  })
  // It tells the others which runs this node hands back.
  opened.unshift(relayRuns(events.runs, signals, node.slot).stop)
  opened.unshift(() => events.close())
  const config = await openPostgresConfig({
    ...{ pool: ownPool, signals, sealer, clock, onError },
    applyWith: (connection, next, diff) => writeLimits(connection, lanesOf(next, diff)),
    onApplied(next, diff) {
      events.noteLanes(lanesOf(next, diff))
      node.hasApplied(config.known().version, config.known().server)
    },
    async confirmed(version) {
      node.hasApplied(version, config.known().server)
      await node.allHaveApplied(version)
    },
  })
  opened.unshift(config.close)
  known = config.known
  const leftBehind = createLeftBehind({ pool: slowPool, clock, tell: text => onWarning?.(text) })
  opened.unshift(leftBehind.close)
  onServer = left => {
    void config.refresh().catch(() => {})
    if (left !== null) leftBehind.left(left)
  }
  node.hasApplied(config.known().version, config.known().server)
  await node.told()
  const housekeeping = postgresHousekeeping(ownPool, onError)
  if (!mayStoreTogether())
    opened.unshift(housekeeping.every(raiseStep, () => raiseOldestProgram(ownPool, clock)))
  const withRuns = (await events.runs.laneCounts()).map(({ lane }) => lane)
  await events.setLanes(lanesOf(config.snapshot(), null, withRuns))
  const history = await openOccurrences({
    ...{ pool, slowPool, clock, searchBounds },
    bounds: historyBounds,
    onProblem: onError,
  })
  const conversations = await openConversations(pool, signals, clock, onError, slowPool)
  const knowledge = await openKnowledge({ pool, signals, uploadsFolder, clock, onError })
  opened.unshift(knowledge.close)
  const heldCalls = createHeldCalls(ownPool, signals, clock, sealer, onError)
  const sessions = createSessions(sessionRecords(pool), signals, clock, onError)
  const statistics = createStatistics(pool, signals, clock)
  const activityRelay = await openActivityRelay(pool, signals, clock, onError)
  const presence = createPresence(pool, signals, clock, onError)
  const tokenUses = createTokenUses(pool)
  const callLimits = await openCallLimits({
    ...{ records: callLimitRecords(pool), signals, clock, pollMs: pausesEveryMs, onError },
    arrivesWithinMs: options.callArrivesWithinMs,
  })
  for (const store of [conversations, heldCalls, sessions, statistics, activityRelay, presence, callLimits])
    opened.unshift(() => store.close())
  opened.unshift(tokenUses.flush)
  const [row] = await pool.query(newestNumber)
  const others = await Promise.allSettled([fillAtStart(pool), fillAtStart(slowPool)])
  const refused = others.find(one => one.status === 'rejected')
  // Those that fail for another reason are opened when they are needed.
  if (refused !== undefined && outageOf(refused.reason) === 'no_connection')
    options.onFewConnections?.(fewConnections(fewestConnections + pool.size + slowPool.size, refused.reason))
  let closed: Promise<void> | null = null

  let givingUp: NodeJS.Timeout | undefined

  /** From now on, gives the database up if it is silent: all that is left would wait for it, one after another. */
  function giveUpIfSilent(): void {
    givingUp ??= setInterval(() => {
      if (!isCurrent()) for (const one of [pool, ownPool, slowPool]) one.abort()
    }, giveUpEveryMs)
  }

  function outage(): StorageOutage | null {
    const isSilent = node.silentMs() > unreadyAfterMs || !isCurrent()
    const found = [events.outage(), isSilent ? (outageOf(node.failure()) ?? 'storage') : null]
    return found.find(one => one !== null && one !== 'storage') ?? found.find(one => one !== null) ?? null
  }
  async function stop(): Promise<void> {
    giveUpIfSilent()
    const giveUp = setTimeout(() => slowPool.abort(), slowStopMs)
    await stopAll(opened).finally(() => {
      clearTimeout(giveUp)
      clearInterval(givingUp)
    })
  }
  return {
    ...{
      config,
      events,
      runs: events.runs,
      history,
      conversations,
      knowledge,
      heldCalls,
      sessions,
      statistics,
      hourCounts: createHourCounts(pool, slowPool),
      alerts: createAlerts(pool),
    },
    ...{ isShared: true, activityRelay, presence, tokenUses, callLimits, signals, clock },
    once: createOnceStore(pool, clock),
    housekeeping,
    nodes: {
      ...node,
      drain() {
        giveUpIfSilent()
        return node.drain()
      },
    },
    ids: {
      event: () => events.nextEvent(),
      number: createSlotNumbers(clock, node.slot, Number(row?.number)),
    },
    sealing: sealer,
    gauges: createGauges(pool, [ownPool, pool, slowPool, events.accepting], events.waiting),
    outage,
    isCurrent,
    decidesBy,
    confirmCurrent: createConfirmCurrent({ pool: ownPool, config, node, isCurrent, version: decidesBy }),
    onError,
    close() {
      closed ??= stop()
      return closed
    },
  }
}

const newestNumber = `SELECT greatest((SELECT max(number) FROM occurrence), (SELECT max(updated) FROM conversation), 0) AS number`
