import type { Readable } from 'node:stream'
import type { Command } from 'commander'
import { z } from 'zod'
import { backupBounds, createBackupList, savedEntry } from '#main/backup/backup-list.ts'
import { openBackups } from '#main/backup/backups.ts'
import type { Manifest } from '#main/backup/manifest.ts'
import { refuseExisting, type SavedBackup, type SaveOptions, saveBackup } from '#main/backup/save-backup.ts'
import { messageOf } from '#main/lib/file-system.ts'
import { openForBackup, type StoragePlace } from '#main/storage/open-storage.ts'
import { contract } from '#shared/contract/index.ts'
import { ServiceError } from '#shared/errors.ts'
import { databaseInsteadOfFolder, databaseOption } from './database-option.ts'
import { type OptionsOf, runsWith, TextOption } from './options.ts'
import { CommandFailed, plural, print, printLine, say } from './output.ts'
import { connectToService } from './service-client.ts'

/** The options of `backup` and `restore`. */
export const placeOptions = { force: z.boolean().default(false), database: TextOption }

export function addBackup(program: Command): void {
  const command = program
    .command('backup')
    .description('Write all data to one file, whether or not the service is running.')
    .argument('<file>', 'the output file, for example backup.tar.gz')
    .option('--force', 'replace an existing file')
    .addOption(databaseOption('back up a PostgreSQL database instead of the data folder'))
  runsWith(command, placeOptions, (options, file) => runBackup(command, options, file))
}

async function runBackup(
  command: Command,
  { data: dataFolder, force, json, ...given }: OptionsOf<typeof placeOptions>,
  file: string,
): Promise<void> {
  const database = await databaseInsteadOfFolder(command, given.database)
  const { file: written, bytes, manifest } = await makeBackup({ dataFolder, database }, { file, force })
  const note = keyNotes[manifest.dataKey]
  if (json) return printLine({ ok: true, file: written, bytes, ...backupFacts(manifest), note })
  print(`Written to ${written} and verified: ${plural(bytes, 'byte')}, as of ${manifest.createdAt}.`)
  say(note)
}

/**
 * Writes a backup. That of a data folder is made by the running service; without one, this process does, and locks the
 * folder meanwhile. A database can be read while services use it.
 *
 * @throws ServiceError `file_exists`; `data_folder_in_use` if a service runs but does not answer; `invalid_input` if
 *   there are no data; `storage_unavailable`; those of a database.
 */
async function makeBackup(place: StoragePlace, options: SaveOptions): Promise<SavedBackup> {
  await refuseExisting(options)
  const made = place.database === undefined ? await askRunningService(place.dataFolder, options) : null
  return made ?? (await makeAlone(place, options))
}

/** Returns null if no service is running. */
async function askRunningService(dataFolder: string, options: SaveOptions): Promise<SavedBackup | null> {
  const service = await connectToService(dataFolder).catch(nullIfNotRunning)
  if (service === null) return null
  try {
    const stream = await service.download('/backup').catch(nullIfNotRunning)
    if (stream === null) return null
    const saved = await save(stream, options)
    const { at, bytes, label } = savedEntry(saved)
    await noted(() => service.call(contract.backups.note, { at, bytes, label, source: 'command' }))
    return saved
  } catch (cause) {
    if (cause instanceof ServiceError || cause instanceof CommandFailed) throw cause
    const detail = `The service stopped before the backup was complete (${messageOf(cause)}), so nothing was written. Its log says why.`
    throw new ServiceError('service_not_running', { detail, cause })
  } finally {
    await service.close()
  }
}

async function makeAlone(place: StoragePlace, options: SaveOptions): Promise<SavedBackup> {
  const { sources, openHistory, close } = await openForBackup(place)
  try {
    const backups = await openBackups(sources, Date.now)
    const { stream } = await backups.create()
    const saved = await save(stream, options)
    await noted(async () => {
      const { storage, nextNumber } = await openHistory(backupBounds, say)
      const list = createBackupList({ storage, nextNumber, clock: Date.now, onProblem: say })
      await list.note(savedEntry(saved)).finally(() => storage.close())
    })
    return saved
  } finally {
    await close()
  }
}

/** Adds a backup to the list of backups. It is complete, whether or not this succeeds. */
async function noted(note: () => Promise<unknown>): Promise<void> {
  await note().catch(error => say(`The backup is not in the list of backups: ${messageOf(error)}`))
}

/** Saves the backup. If a signal interrupts it, removes the incomplete file. */
async function save(stream: Readable, options: SaveOptions): Promise<SavedBackup> {
  const stop = new AbortController()
  const onSignal = () => stop.abort()
  for (const signal of signals) process.once(signal, onSignal)
  try {
    return await saveBackup(stream, { ...options, signal: stop.signal })
  } catch (error) {
    if (!stop.signal.aborted) throw error
    say('Interrupted. Nothing was written.')
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

/** Returns the fields of a backup for `--json`. */
export function backupFacts({ createdAt, productVersion, dataKey, files }: Manifest) {
  return { createdAt, productVersion, dataKey, files: files.map(({ name, bytes }) => ({ name, bytes })) }
}

/** Notes about the key that decrypts a backup's secrets. */
const keyNotes = {
  file: 'The backup contains the key and therefore every secret. Keep it as safe as the secrets themselves.',
  environment:
    'The backup does not contain the key, which is in CUSTOM_CONNECTION_KEY. Keep a copy of the key: without it, the secrets in the backup cannot be decrypted.',
  keychain:
    "This user's keychain protects the key in the backup. Only the desktop app of the same user on the same computer can open it. To restore it elsewhere, first turn off the protection in the app's settings and make another backup.",
} as const
