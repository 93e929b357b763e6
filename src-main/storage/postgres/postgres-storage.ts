import { createHmac } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createFailureLog } from '#main/lib/failure-log.ts'
import { stopAll } from '#main/lib/stop-all.ts'
import { ServiceError } from '#shared/errors.ts'
import { isSeen } from '#shared/model/nodes.ts'
import { jsonFile } from '../document.ts'
import { openDataFolder } from '../local/data-folder.ts'
import { loadDataKey } from '../local/data-key.ts'
import { createSealer } from '../local/secrets.ts'
import { watchLock } from '../local/watch-lock.ts'
import type { Machine, OpenedStorage, Storage, StorageOptions } from '../storage.ts'
import { databaseSources } from './backup-sources.ts'
import { openPostgresStores } from './open-stores.ts'
import { databaseName, readUrl } from './url.ts'

/** Returns what tells whether two nodes have the same admin token. Only who has the key of the data can try tokens by it. */
const markOf = (token: string, key: Buffer) =>
  createHmac('sha256', key).update(`admin-token:${token}`).digest('base64url')

/**
 * Opens the storage in a database. The data folder is this process's own, and nothing in it lasts: the socket for the
 * command line, and files on their way to the database.
 *
 * @throws ServiceError `key_required`, `wrong_key`, `data_folder_in_use`, `invalid_database_url`, `unsupported_database`,
 *   `unsafe_database`, `too_few_connections`, `newer_database`, `storage_unavailable`; the database is then as it was, and everything is closed.
 */
export async function openPostgresStorage(url: string, options: StorageOptions): Promise<OpenedStorage> {
  /** Closes what was opened, the last first. */
  const opened: (() => unknown)[] = []
  try {
    return await open(url, options, opened)
  } catch (error) {
    await stopAll(opened).catch(err => options.logger.error({ err }, 'Not closed'))
    throw error
  }
}

async function open(url: string, options: StorageOptions, opened: (() => unknown)[]): Promise<OpenedStorage> {
  const { env, logger, random, onFolderLost } = options
  if (!env.CUSTOM_CONNECTION_KEY) throw new ServiceError('key_required')
  const folder = await openDataFolder(options.dataFolder)
  opened.unshift(folder.close)
  const { key } = await loadDataKey(folder, env, random)
  const serviceFacts = jsonFile(folder.serviceFile)
  opened.unshift(watchLock(folder, logger, onFolderLost), serviceFacts.remove)
  const notices = [...folder.notices]
  if (existsSync(folder.configFile))
    notices.push(`The data in ${folder.path} are not used, because the service uses a database.`)
  for (const notice of notices) logger.warn({}, notice)
  const told: string[] = []
  let outage: Storage['outage'] = () => null
  const failures = createFailureLog(logger, () => outage())
  opened.unshift(failures.stop)
  const stores = await openPostgresStores({
    ...options,
    url,
    sealer: createSealer(key),
    uploadsFolder: folder.uploadsFolder,
    adminTokenMark: options.adminToken === undefined ? null : markOf(options.adminToken, key),
    onWarning: text => logger.warn({}, text),
    onError: failures.failed,
    onFewConnections(text) {
      told.push(text)
      logger.warn({}, text)
    },
    onClockDifference: ms =>
      logger.warn(
        { clockOffsetMs: ms },
        'The clock of this computer differs from the database’s by more than 2 seconds. The service uses the database’s. Set the clock, for example by NTP.',
      ),
  })
  // First, because a storage that closes cannot be used.
  opened.unshift(failures.stop, stores.close)
  outage = stores.outage
  const others = (await stores.nodes.list()).filter(node => isSeen(node) && node.hasSameToken === false)
  if (others.length > 0)
    logger.warn(
      { nodes: others.map(({ name }) => name) },
      'Other nodes on this database have another admin token. They refuse this one, and the browsers that have signed in with it. Start all nodes with the same token.',
    )
  const backupSources = databaseSources(url, folder.path)
  opened.unshift(backupSources.stop)
  const storage: Storage = {
    ...stores,
    backupSources,
    close: () => stopAll(opened),
  }
  const machine: Machine = {
    database: databaseName(await readUrl(url)),
    sample: null,
    adminToken: {
      location: 'CUSTOM_CONNECTION_ADMIN_TOKEN',
      read: async () => {
        throw new ServiceError('admin_token_required')
      },
    },
    dataKey: { location: 'CUSTOM_CONNECTION_KEY', keptIn: () => 'environment', keep: async () => {} },
    folder: { path: folder.path, socketPath: folder.socketPath },
    serviceFacts,
    notices: told,
  }
  return { storage, machine }
}
