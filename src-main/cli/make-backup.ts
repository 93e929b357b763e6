import type { Readable } from 'node:stream'
import { openBackups } from '#main/backup/backups.ts'
import { refuseExisting, type SavedBackup, type SaveOptions, saveBackup } from '#main/backup/save-backup.ts'
import { messageOf } from '#main/lib/file-system.ts'
import { openForBackup } from '#main/storage/local/local-storage.ts'
import { ServiceError } from '#shared/errors.ts'
import { CommandFailed } from './failures.ts'
import { say } from './output.ts'
import { connectToService } from './service-client.ts'

/**
 * Writes a backup of a data folder: made by the service that runs on it, or, where none does, by this process,
 * which holds the folder meanwhile.
 *
 * @throws ServiceError `file_exists`, `data_folder_in_use` when a service is there and does not answer,
 *   `invalid_input` when there is no data folder, `storage_unavailable`.
 */
export async function makeBackup(dataFolder: string, options: SaveOptions): Promise<SavedBackup> {
  await refuseExisting(options)
  return (await askService(dataFolder, options)) ?? (await makeAlone(dataFolder, options))
}

/** @returns null where no service runs. */
async function askService(dataFolder: string, options: SaveOptions): Promise<SavedBackup | null> {
  const service = await connectToService(dataFolder).catch(nullIfNotRunning)
  if (service === null) return null
  try {
    const stream = await service.download('/backup').catch(nullIfNotRunning)
    return stream === null ? null : await save(stream, options)
  } catch (cause) {
    if (cause instanceof ServiceError || cause instanceof CommandFailed) throw cause
    const detail = `The service broke off before the backup was whole (${messageOf(cause)}); nothing was written. Its log says why.`
    throw new ServiceError('service_not_running', { detail, cause })
  } finally {
    await service.close()
  }
}

async function makeAlone(dataFolder: string, options: SaveOptions): Promise<SavedBackup> {
  const folder = await openForBackup(dataFolder, process.env.CUSTOM_CONNECTION_KEY !== undefined)
  try {
    const backups = await openBackups(folder.sources, Date.now)
    const { stream } = await backups.create()
    return await save(stream, options)
  } finally {
    await folder.close()
  }
}

/** Removes what it has written when a signal ends the process. */
async function save(stream: Readable, options: SaveOptions): Promise<SavedBackup> {
  const stop = new AbortController()
  const onSignal = () => stop.abort()
  for (const signal of signals) process.once(signal, onSignal)
  try {
    return await saveBackup(stream, { ...options, signal: stop.signal })
  } catch (error) {
    if (!stop.signal.aborted) throw error
    say('Interrupted; nothing was written.')
    throw new CommandFailed()
  } finally {
    for (const signal of signals) process.off(signal, onSignal)
  }
}

const signals = ['SIGINT', 'SIGTERM'] as const

function nullIfNotRunning(error: unknown): null {
  if (error instanceof ServiceError && error.code === 'service_not_running') return null
  throw error
}
