import type { Command } from 'commander'
import { restoreBackup } from '#main/backup/restore.ts'
import { backupFacts, forceOption } from './backup.ts'
import { type OptionsOf, runsWith } from './options.ts'
import { print, printLine, say } from './output.ts'

export function addRestore(program: Command): void {
  const command = program
    .command('restore')
    .description('Replace the data folder with a backup. Stop the service first.')
    .argument('<file>', 'the backup')
    .option('--force', 'move a non-empty data folder aside')
  runsWith(command, forceOption, runRestore)
}

async function runRestore(options: OptionsOf<typeof forceOption>, file: string): Promise<void> {
  const { data, force, json } = options
  const restored = await restoreBackup({ file, dataFolder: data, force, clock: Date.now })
  const { dataFolder, setAside, notices, manifest } = restored
  const { createdAt, productVersion, dataKey } = manifest
  for (const notice of notices) say(notice)
  if (json)
    return printLine({ ok: true, dataFolder, setAside, ...backupFacts(manifest), note: keyNotes[dataKey] })
  print(`Restored to ${dataFolder}: the backup of ${createdAt}, made by version ${productVersion}.`)
  if (setAside !== null) print(`The previous data folder is kept as ${setAside}.`)
  if (keyNotes[dataKey] !== null) say(keyNotes[dataKey])
}

/** Further steps before the service starts with the restored folder. */
const keyNotes = {
  file: null,
  environment:
    'The backup does not contain the key. Start the service with the same CUSTOM_CONNECTION_KEY as before.',
  keychain:
    "A user's keychain protects the key. Only the desktop app of that user, on the computer of the backup, can open it.",
} as const
