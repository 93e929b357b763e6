import { existsSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { hostname } from 'node:os'
import { stopAll } from '#main/lib/stop-all.ts'
import { ServiceError } from '#shared/errors.ts'
import { openCallLimits } from '../call-limits.ts'
import { jsonFile } from '../document.ts'
import { createSessions } from '../sessions.ts'
import type { OfflineData, OpenedStorage, StorageOptions } from '../storage.ts'
import { createActivityRelay } from './activity-relay.ts'
import { keptAdminToken } from './admin-token.ts'
import { backupSources, snapshotOfFolder, snapshotOfService } from './backup-sources.ts'
import { openCallLimitRecords } from './call-limits.ts'
import { openDataFolder } from './data-folder.ts'
import { dataFolderPaths } from './data-folder-paths.ts'
import { keepDataKey, loadDataKey } from './data-key.ts'
import { createGauges } from './gauges.ts'
import { createHeldCalls } from './held-calls.ts'
import { localHousekeeping } from './housekeeping.ts'
import { removeLeftovers } from './leftovers.ts'
import { createLocalSignals } from './local-signals.ts'
import { openConfigStore } from './lowdb-config-store.ts'
import { createSingleNode } from './nodes.ts'
import { offlineHistory } from './offline-history.ts'
import { createOnceStore } from './once-store.ts'
import { finishRestore } from './pending-restore.ts'
import { createPresence } from './presence.ts'
import { openReserve } from './reserve.ts'
import { createSealer } from './secrets.ts'
import { openSessionRecords } from './sessions.ts'
import { openSqliteEventLog } from './sqlite/sqlite-event-log.ts'
import { openSqliteHistory } from './sqlite/sqlite-history.ts'
import { openSqliteKnowledge } from './sqlite/sqlite-knowledge.ts'
import { createStatisticsStore } from './statistics.ts'
import { createTokenUses } from './token-uses.ts'
import { watchLock } from './watch-lock.ts'

/**
 * Opens the storage in a data folder: the configuration in a JSON file, events and history in SQLite.
 *
 * @throws ServiceError `data_folder_in_use`, `damaged_configuration`, `newer_configuration`, `wrong_key`,
 *   `key_in_keychain`, `storage_unavailable`; everything is closed then.
 */
export async function openLocalStorage(options: StorageOptions): Promise<OpenedStorage> {
  const { logger } = options
  /** Closes what was opened, the last first. */
  const opened: (() => unknown)[] = []
  try {
    return await open(options, opened)
  } catch (error) {
    await stopAll(opened).catch(err => logger.error({ err }, 'Not closed'))
    throw error
  }
}

async function open(options: StorageOptions, opened: (() => unknown)[]): Promise<OpenedStorage> {
  const { env, logger, clock, random, keychain, lanesOf } = options
  const folder = await openDataFolder(options.dataFolder)
  opened.unshift(folder.close)
  const serviceFacts = jsonFile(folder.serviceFile)
  opened.unshift(watchLock(folder, logger, options.onFolderLost), serviceFacts.remove)
  const warn = (notice: string) => logger.warn({}, notice)
  const onError = (err: unknown) => logger.error({ err }, 'A part of the service failed')
  const reserve = await openReserve(folder.reserveFile, warn, options.reserveBytes)
  opened.unshift(reserve.stop)
  const isDiskFull = reserve.isFullAtStart()
  const isKnownFolder = existsSync(folder.configFile)
  const dataKey = await loadDataKey(folder, env, random, keychain)
  const sealer = createSealer(dataKey.key)
  const config = await openConfigStore({
    file: folder.configFile,
    sealer,
    clock,
    onApplied: (next, diff) => events.setLanes(lanesOf(next, diff)),
    onError,
    makeRoom: reserve.release,
  })
  opened.unshift(config.close)
  // A new folder may be one that a running restore is about to replace.
  if (isKnownFolder) await removeLeftovers(folder)
  for (const notice of [...folder.notices, ...dataKey.notices, ...config.notices]) warn(notice)
  const notices: string[] = []
  const onNotice = (notice: string) => {
    notices.push(notice)
    logger.error({ code: 'damaged_data' }, notice)
  }
  for (const loss of config.losses) onNotice(loss)
  // Starts in parallel with the event log, because starting threads takes a while. Never rejects.
  const historyOpens = openSqliteHistory({
    file: folder.historyFile,
    bounds: options.historyBounds,
    searchBounds: options.searchBounds,
    isDiskFull,
    clock,
    onProblem: ({ message }) => warn(message),
    onNotice,
  })
  opened.unshift(async () => (await historyOpens).close())
  const knowledgeOpens = openSqliteKnowledge({
    file: folder.knowledgeFile,
    uploadsFolder: folder.uploadsFolder,
    isDiskFull,
    clock,
    onProblem: ({ message }) => warn(message),
    onNotice,
  })
  opened.unshift(async () => (await knowledgeOpens).close())
  const events = await openSqliteEventLog({
    file: folder.eventLogFile,
    clock,
    isExpected: isKnownFolder,
    onError,
    onNotice,
    startsFull: isDiskFull || reserve.isReleased(),
    ...(options.mostRunsWaiting !== undefined && { mostRunsWaiting: options.mostRunsWaiting }),
    searchBounds: options.searchBounds,
    makeRoom: reserve.release,
  })
  opened.unshift(() => events.close())
  const withRuns = (await events.runs.laneCounts()).map(({ lane }) => lane)
  await events.setLanes(lanesOf(config.snapshot(), null, withRuns))
  const sessionRecords = await openSessionRecords(jsonFile(folder.sessionsFile), clock(), err =>
    logger.warn({ err }, 'Sessions cannot be saved; everybody must sign in again after a restart'),
  )
  const signals = createLocalSignals(onError)
  const sessions = createSessions(sessionRecords, signals, clock, onError)
  opened.unshift(sessions.close)
  const limitRecords = await openCallLimitRecords(jsonFile(folder.callLimitsFile), clock, err =>
    logger.warn({ err }, 'Pauses of connections cannot be saved; they end at a restart'),
  )
  opened.unshift(limitRecords.close)
  const callLimits = await openCallLimits({
    ...{ records: limitRecords, signals, clock, pollMs: null, onError },
    arrivesWithinMs: options.callArrivesWithinMs,
  })
  opened.unshift(callLimits.close)
  const history = await historyOpens
  const knowledge = await knowledgeOpens
  const snapshot = snapshotOfService({ config, events, history, knowledge })
  let { keptIn } = dataKey
  const storage = {
    isShared: false,
    config,
    events,
    runs: events.runs,
    history,
    conversations: history.conversations,
    knowledge,
    heldCalls: createHeldCalls(onError),
    ids: { event: events.nextEvent, number: history.nextNumber },
    clock,
    outage: events.outage,
    isCurrent: () => true,
    confirmCurrent: null,
    decidesBy: () => 0,
    onError,
    statistics: createStatisticsStore(jsonFile(folder.statisticsFile), warn, onError),
    hourCounts: history.hourCounts,
    alerts: history.alerts,
    sessions,
    tokenUses: createTokenUses(config, onError),
    callLimits,
    activityRelay: createActivityRelay(onError),
    presence: createPresence(onError),
    once: createOnceStore(clock),
    signals,
    housekeeping: localHousekeeping(onError),
    sealing: sealer,
    gauges: createGauges(folder, () => events.waiting()),
    nodes: createSingleNode(options.nodeName ?? hostname(), clock, config.changeCount),
    backupSources: backupSources(folder, snapshot, dataKey.keptIn === 'environment'),
    close: () => stopAll(opened),
  }
  const machine = {
    database: null,
    sample: jsonFile(folder.sampleFile),
    adminToken: {
      location: folder.adminTokenFile,
      read: (minLength?: number) => keptAdminToken(folder.adminTokenFile, random, minLength),
    },
    dataKey: {
      location: folder.keyFile,
      keptIn: () => keptIn,
      async keep() {
        if (keptIn === 'environment') return
        const kept = await keepDataKey(folder.keyFile, keychain ?? null)
        keptIn = kept?.keptIn ?? keptIn
      },
    },
    folder: { path: folder.path, socketPath: folder.socketPath },
    serviceFacts,
    notices,
  }
  return { storage, machine }
}

/**
 * Holds a data folder that no service runs on, to back it up.
 *
 * @throws ServiceError `data_folder_in_use`, `invalid_input` if there is no data folder, `storage_unavailable`.
 */
export async function openFolderForBackup(dataFolder: string, keyIsGiven: boolean): Promise<OfflineData> {
  await finishRestore(dataFolder)
  await requireDataFolder(dataFolder)
  const folder = await openDataFolder(dataFolder)
  return {
    sources: backupSources(folder, snapshotOfFolder(folder), keyIsGiven),
    openHistory: offlineHistory(folder.historyFile),
    close: folder.close,
  }
}

/** @throws ServiceError `invalid_input`. Opening the folder would create it. */
async function requireDataFolder(dataFolder: string): Promise<void> {
  const { path, configFile } = dataFolderPaths(dataFolder)
  try {
    await access(configFile)
  } catch (cause) {
    const detail = `${path} is not a data folder: it has no config.json. Name the right folder with --data, or a database with --database.`
    throw new ServiceError('invalid_input', { detail, cause })
  }
}
