import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { ListenerStatus } from '#shared/model/service.ts'
import { type Backups, openBackups } from './backup/backups.ts'
import { snapshotOfService } from './backup/snapshot-of-service.ts'
import { createEnvironment } from './connections/environment.ts'
import { createHeldConnections, undoMs } from './connections/held-connections.ts'
import type { RandomBytes } from './connections/identifiers.ts'
import { createActivity } from './history/activity.ts'
import { createAttemptHistory } from './history/attempts.ts'
import { createCallHistory } from './history/calls.ts'
import { followOutcomes, recallActivity } from './history/follow-outcomes.ts'
import { createHistory, type History, idOf } from './history/history.ts'
import { kinds } from './history/kinds.ts'
import { logCalls, logOutcomes } from './history/log-outcomes.ts'
import { createStatistics } from './history/statistics/statistics.ts'
import { keepStatistics, readSavedStatistics } from './history/statistics/statistics-file.ts'
import { createImporter } from './importing/importer.ts'
import { createDiagnoser } from './inbound/diagnoser.ts'
import { createInbound } from './inbound/inbound.ts'
import { type ListenerTimeouts, listenerTimeouts } from './inbound/listener.ts'
import { type AskedAddress, createListenerControl, firstAddress } from './inbound/listener-control.ts'
import { type Bus, createBus } from './lib/bus.ts'
import { descriptorLimit } from './lib/descriptor-limit.ts'
import type { Logger } from './lib/logger.ts'
import { stopAll } from './lib/stop-all.ts'
import type { TlsFiles } from './lib/tls-files.ts'
import { version } from './lib/version.ts'
import { createCaller } from './outbound/call.ts'
import { createCalls, type FinishedCall } from './outbound/calls.ts'
import { createTrust, readAuthorities } from './outbound/trust.ts'
import { createRouter, type Router } from './rpc/router.ts'
import { createSamples } from './sample/samples.ts'
import type { ConfigStore } from './storage/config-store.ts'
import type { EventLog } from './storage/event-log.ts'
import { type DataFolder, openDataFolder } from './storage/local/data-folder.ts'
import { type DataKey, keepDataKey, loadDataKey } from './storage/local/data-key.ts'
import type { Keychain } from './storage/local/keychain.ts'
import { openConfigStore } from './storage/local/lowdb-config-store.ts'
import { openReserve, type Reserve } from './storage/local/reserve.ts'
import { createSealer } from './storage/local/secrets.ts'
import { EventLogNotice, openSqliteEventLog } from './storage/local/sqlite/sqlite-event-log.ts'
import { openSqliteHistory } from './storage/local/sqlite/sqlite-history.ts'
import { watchLock } from './storage/local/watch-lock.ts'

export type ServiceOptions = {
  /** The data folder; created if need be, and held by this process alone. */
  readonly dataFolder: string
  /** The inbound listener's address, where the configuration keeps no other; port 0 takes a free one. */
  readonly host: string
  readonly port: number
  /** Which of the two the configuration cannot change. */
  readonly given?: AskedAddress['given']
  /** Shown instead of the listener's own address for workspaces without a public one; null for none. */
  readonly publicUrl: string | null
  readonly tls: TlsFiles | null
  readonly env: NodeJS.ProcessEnv
  readonly logger: Logger
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly random: RandomBytes
  readonly timeouts?: ListenerTimeouts
  /** Milliseconds for which a discarded connection can be restored. */
  readonly undoMs?: number
  /** Bytes of the data folder's reserve; 0 for none. */
  readonly reserveBytes?: number
  /** What wraps the data key; the desktop app has one. */
  readonly keychain?: Keychain
  /** Called when another process has taken the data folder: end at once, since both would write to it. */
  readonly onFolderLost: () => void
}

export type Service = {
  readonly router: Router
  readonly folder: DataFolder
  readonly backups: Backups
  /** Whether an event could be accepted and made durable now. */
  isHealthy(): Promise<boolean>
  /** The inbound listener as it is now. */
  listenerStatus(): ListenerStatus
  /** Announces that status whenever it has changed. */
  readonly listenerChanges: Bus<ListenerStatus>
  /**
   * Begins to accept events.
   *
   * @returns the listener's base URL.
   * @throws ServiceError `port_in_use`, `address_unavailable`.
   */
  start(): Promise<string>
  /**
   * Wraps the data key or puts it back as it was, as the keychain has it now; not one from the environment.
   *
   * @throws ServiceError `storage_unavailable`, `key_in_keychain`; the key file is then as it was.
   */
  keepKey(): Promise<void>
  /** Stops accepting, finishes what is under way, makes it durable, lets go of the data folder. */
  stop(): Promise<void>
}

/**
 * The composition root: opens the data folder and puts the parts together.
 *
 * @throws ServiceError `data_folder_in_use`, `damaged_configuration`, `newer_configuration`, `wrong_key`,
 *   `storage_unavailable`.
 */
export async function createService(options: ServiceOptions): Promise<Service> {
  const { clock, random, logger } = options
  const folder = await openDataFolder(options.dataFolder)
  /** Newest first, as they are to be closed. */
  const opened: { close(): unknown }[] = [folder]
  try {
    const warn = (notice: string) => logger.warn({}, notice)
    const reserve = await openReserve(folder.reserveFile, warn, options.reserveBytes)
    opened.unshift({ close: reserve.stop })
    const isKnownFolder = existsSync(folder.configFile)
    const dataKey = await loadDataKey(folder, options.env, random, options.keychain)
    const onError = (err: unknown) => logger.error({ err }, 'A part of the service failed')
    const sealer = createSealer(dataKey.key)
    const store = await openConfigStore({
      file: folder.configFile,
      sealer,
      clock,
      onError,
      makeRoom: reserve.release,
    })
    opened.unshift(store)
    for (const notice of [...folder.notices, ...dataKey.notices, ...store.notices]) logger.warn({}, notice)
    // Both start threads, which takes a while; the history opens whatever is wrong with its file.
    const historyOpens = openSqliteHistory({
      file: folder.historyFile,
      bounds: kinds,
      clock,
      onProblem: ({ message }) => warn(message),
    })
    opened.unshift({ close: async () => (await historyOpens).close() })
    const notices: string[] = []
    const log = await openSqliteEventLog({
      file: folder.eventLogFile,
      clock,
      isExpected: isKnownFolder,
      onError(error) {
        if (error instanceof EventLogNotice) notices.push(error.message)
        onError(error)
      },
      startsFull: reserve.isReleased(),
      makeRoom: reserve.release,
    })
    opened.unshift(log)
    const storage = await historyOpens
    const history = createHistory({ storage, store, clock, onProblem: warn })
    const backups = await openBackups({
      folder,
      takeSnapshot: snapshotOfService({ store, log, history: storage, sealer }),
      keyIsGiven: dataKey.keptIn === 'environment',
      clock,
    })
    return {
      backups,
      ...(await assemble(options, folder, dataKey, store, log, history, reserve, notices, onError)),
    }
  } catch (error) {
    await stopAll(opened.map(part => () => part.close())).catch(err => logger.error({ err }, 'Not closed'))
    throw error
  }
}

async function assemble(
  options: ServiceOptions,
  folder: DataFolder,
  dataKey: DataKey,
  store: ConfigStore,
  log: EventLog,
  history: History,
  reserve: Reserve,
  notices: readonly string[],
  onError: (error: unknown) => void,
): Promise<Omit<Service, 'backups'>> {
  const { tls, clock, random, logger, timeouts = listenerTimeouts } = options
  const startedAt = new Date(clock()).toISOString()
  let { keptIn } = dataKey
  const address = firstAddress(options, store.snapshot())
  const inbound = await createInbound({
    diagnoser: createDiagnoser(),
    store,
    log,
    listener: { ...address, tls, timeouts },
    clock,
    nextAttemptId: () => idOf('attempt', history.nextNumber()),
    maxDescriptors: descriptorLimit(),
    onError,
  })
  const scheme = tls === null ? 'http' : 'https'
  const listener = createListenerControl({
    listener: inbound.listener,
    asked: options,
    store,
    scheme,
    onError,
  })
  const environment = createEnvironment(store, options.env)
  const trust = createTrust()
  await readAuthorities(store.snapshot().settings.caFile).then(trust.use, err =>
    logger.error({ err }, 'The certificate authorities of the settings are not used'),
  )
  const caller = createCaller({ environment, clock, version, trust })
  const finishedCalls = createBus<FinishedCall>(onError)
  const activity = createActivity(inbound.declares, clock, history.nextNumber)
  await recallActivity(activity, history, store)
  const inMemory = async (connectionId: string | null) => {
    if (connectionId !== null) await inbound.diagnoseRest(connectionId)
    return inbound.attemptsOf(connectionId)
  }
  const attempts = createAttemptHistory({ history, store, inMemory, clock })
  const callHistory = createCallHistory(history, store, environment)
  followOutcomes(activity, attempts, { inbound, finishedCalls, clock })
  const warn = (notice: string) => logger.warn({}, notice)
  const saved = await readSavedStatistics(folder.statisticsFile, warn)
  const statistics = createStatistics({ store, diagnose: inbound.diagnoseLate, clock, onError, saved })
  inbound.outcomes.subscribe(statistics.add)
  inbound.diagnosed.subscribe(({ connectionId }) => {
    if (connectionId !== null) statistics.changes.publish(connectionId)
  })
  finishedCalls.subscribe(statistics.add)
  const stopSaving = keepStatistics(folder.statisticsFile, statistics, warn)
  const stopLogging = [logOutcomes(inbound.outcomes, logger), logCalls(finishedCalls, logger)]
  const stopRetention = followRetention(store, log)
  const held = createHeldConnections({ store, log, clock, holdMs: options.undoMs ?? undoMs, onError })
  const samples = createSamples({
    store,
    file: folder.sampleFile,
    clock,
    random,
    onProblem: warn,
    onError,
  })
  const importer = createImporter({ store, sourcesOf: environment.sourcesOf, clock, random })
  const router = createRouter({
    store,
    held,
    log,
    inbound,
    activity,
    statistics,
    attempts,
    callHistory,
    calls: createCalls({
      caller,
      history: callHistory,
      nextNumber: history.nextNumber,
      clock,
      finished: finishedCalls,
    }),
    environment,
    trust,
    importer,
    logger,
    clock,
    random,
    version,
    about: () => ({
      startedAt,
      platform: process.platform,
      dataFolder: folder.path,
      dataKey: keptIn,
      notices: [...notices],
    }),
    listenerUrl: listener.url,
    listenerStatus: listener.status,
    listenerChanges: listener.changes,
    moveListener: listener.move,
    loadSample: samples.load,
    publicUrl: () => options.publicUrl ?? listener.url(),
  })
  const stopWatching = watchLock(folder, logger, options.onFolderLost)
  return {
    router,
    folder,
    isHealthy: async () => inbound.listener.now() !== null && (await log.isWritable()),
    listenerStatus: listener.status,
    listenerChanges: listener.changes,
    async start() {
      // First, since it does not need the listener, whose address may be taken.
      await samples.start()
      await listener.start()
      return listener.url()
    },
    async keepKey() {
      if (keptIn === 'environment') return
      const kept = await keepDataKey(folder.keyFile, options.keychain ?? null)
      keptIn = kept?.keptIn ?? keptIn
    },
    stop: () =>
      stopAll([
        () => inbound.stop(),
        () => caller.close(),
        () => samples.stop(),
        () => importer.stop(),
        () => stopSaving(),
        () => history.stop(),
        () => reserve.stop(),
        ...[stopRetention, held.stop, statistics.stop, ...stopLogging],
        () => store.close(),
        () => log.close(),
        () => tls?.close(),
        () => rm(folder.serviceFile, { force: true }),
        stopWatching,
        () => folder.close(),
      ]),
  }
}

/** Tells the event log each connection's bounds, now and whenever they change. */
function followRetention(store: ConfigStore, log: EventLog): () => void {
  for (const { connectionId, retention } of store.snapshot().connections.values())
    log.setRetention(connectionId, retention)
  return store.onChange((next, previous) => {
    for (const [connectionId, { retention }] of next.connections)
      if (previous.connections.get(connectionId)?.retention !== retention)
        log.setRetention(connectionId, retention)
  })
}
