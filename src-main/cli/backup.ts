import type { Readable } from 'node:stream'
import type { Command } from 'commander'
import { z } from 'zod'
import { openBackups } from '#main/backup/backups.ts'
import type { Manifest } from '#main/backup/manifest.ts'
import { refuseExisting, type SavedBackup, type SaveOptions, saveBackup } from '#main/backup/save-backup.ts'
import { messageOf } from '#main/lib/file-system.ts'
import { openForBackup } from '#main/storage/open-storage.ts'
import { ServiceError } from '#shared/errors.ts'
import { dataFolderOption, JsonFlag, jsonOption, parseOptions } from './options.ts'
import { CommandFailed, plural, print, printLine, say } from './output.ts'
import { connectToService } from './service-client.ts'

const BackupOptions = z.object({
  data: z.string().min(1),
  force: z.boolean().default(false),
  json: JsonFlag,
})

export function addBackup(program: Command): void {
  program
    .command('backup')
    .description('Write the whole data folder to one file, while the service runs or not.')
    .argument('<file>', 'the file, best called something.tar.gz')
    .option('--force', 'replace a file that is there')
    .addOption(dataFolderOption('--data <dir>'))
    .addOption(jsonOption)
    .action(runBackup)
}

async function runBackup(file: string, _options: unknown, command: Command): Promise<void> {
  const { data, force, json } = parseOptions(command, BackupOptions)
  const { file: written, bytes, manifest } = await makeBackup(data, { file, force })
  const note = keyNotes[manifest.dataKey]
  if (json) return printLine({ ok: true, file: written, bytes, ...backupFacts(manifest), note })
  print(`Written to ${written} and read back: ${plural(bytes, 'byte')}, as of ${manifest.createdAt}.`)
  say(note)
}

/**
 * Writes a backup of a data folder: made by the service that runs on it, or, where none does, by this process,
 * which holds the folder meanwhile.
 *
 * @throws ServiceError `file_exists`, `data_folder_in_use` when a service is there and does not answer,
 *   `invalid_input` when there is no data folder, `storage_unavailable`.
 */
async function makeBackup(dataFolder: string, options: SaveOptions): Promise<SavedBackup> {
  await refuseExisting(options)
  return (await askRunningService(dataFolder, options)) ?? (await makeAlone(dataFolder, options))
}

/** @returns null where no service runs. */
async function askRunningService(dataFolder: string, options: SaveOptions): Promise<SavedBackup | null> {
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

/** Returns what `--json` says of a backup. */
export function backupFacts({ createdAt, productVersion, dataKey, files }: Manifest) {
  return { createdAt, productVersion, dataKey, files: files.map(({ name, bytes }) => ({ name, bytes })) }
}

/** What somebody who keeps a backup has to know of the key that opens its secrets. */
const keyNotes = {
  file: 'The key is in it, and with the key every secret: keep it as safe as the secrets themselves.',
  environment:
    'The key is not in it: it is given as CUSTOM_CONNECTION_KEY. Keep that apart; without it, the secrets in the backup cannot be opened.',
  keychain:
    "The key in it is wrapped by this user's keychain: the desktop app of the same user on the same computer can open it, nobody else. To restore it elsewhere, switch the protection off in the app's settings first and make another backup.",
} as const
