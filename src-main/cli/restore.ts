import type { Command } from 'commander'
import { restoreBackup } from '#main/backup/restore.ts'
import { backupFacts, placeOptions } from './backup.ts'
import { databaseInsteadOfFolder, databaseOption } from './database-option.ts'
import { type OptionsOf, runsWith } from './options.ts'
import { print, printLine, say } from './output.ts'

export function addRestore(program: Command): void {
  const command = program
    .command('restore')
    .description('Replace the data folder with a backup, or fill an empty database. Stop the service first.')
    .argument('<file>', 'the backup')
    .option('--force', 'move a non-empty data folder aside')
    .addOption(databaseOption('restore to an empty PostgreSQL database'))
  runsWith(command, placeOptions, (options, file) => runRestore(command, options, file))
}

async function runRestore(
  command: Command,
  { data: dataFolder, force, json, ...given }: OptionsOf<typeof placeOptions>,
  file: string,
): Promise<void> {
  const database = await databaseInsteadOfFolder(command, given.database)
  const restored = await restoreBackup({ ...{ file, dataFolder, database, force }, clock: Date.now })
  const { path, setAside, notices, manifest } = restored
  const { createdAt, productVersion, dataKey } = manifest
  const note = database === undefined ? keyNotes[dataKey] : databaseNote
  for (const notice of notices) say(notice)
  if (json) {
    const where = database === undefined ? { dataFolder: path } : { database: path }
    return printLine({ ok: true, ...where, setAside, ...backupFacts(manifest), note })
  }
  print(`Restored to ${path}: the backup of ${createdAt}, made by version ${productVersion}.`)
  if (setAside !== null) print(`The previous data folder is kept as ${setAside}.`)
  if (note !== null) say(note)
}

const databaseNote =
  'The database contains neither the key nor the admin token. Start the service with the same CUSTOM_CONNECTION_KEY, and with CUSTOM_CONNECTION_ADMIN_TOKEN.'

/** Further steps before the service starts with the restored folder. */
const keyNotes = {
  file: null,
  environment:
    'The backup does not contain the key. Start the service with the same CUSTOM_CONNECTION_KEY as before.',
  keychain:
    "A user's keychain protects the key. Only the desktop app of that user, on the computer of the backup, can open it.",
} as const
