import type { Command } from 'commander'
import { z } from 'zod'
import { restoreBackup } from '#main/backup/restore.ts'
import { backupFacts } from './backup.ts'
import { dataFolderOption, JsonFlag, jsonOption, parseOptions } from './options.ts'
import { print, printLine, say } from './output.ts'

const RestoreOptions = z.object({
  data: z.string().min(1),
  force: z.boolean().default(false),
  json: JsonFlag,
})

export function addRestore(program: Command): void {
  program
    .command('restore')
    .description('Put a backup in the place of the data folder, while no service runs on it.')
    .argument('<file>', 'the backup')
    .option('--force', 'move a data folder that holds something aside')
    .addOption(dataFolderOption('--data <dir>'))
    .addOption(jsonOption)
    .action(runRestore)
}

async function runRestore(file: string, _options: unknown, command: Command): Promise<void> {
  const { data, force, json } = parseOptions(command, RestoreOptions)
  const restored = await restoreBackup({ file, dataFolder: data, force, clock: Date.now })
  const { dataFolder, setAside, notices, manifest } = restored
  const { createdAt, productVersion, dataKey } = manifest
  for (const notice of notices) say(notice)
  if (json)
    return printLine({ ok: true, dataFolder, setAside, ...backupFacts(manifest), note: keyNotes[dataKey] })
  print(`Restored to ${dataFolder}: the backup of ${createdAt}, made by version ${productVersion}.`)
  if (setAside !== null) print(`What was there before is kept as ${setAside}.`)
  if (keyNotes[dataKey] !== null) say(keyNotes[dataKey])
}

/** What else it takes to start on what was restored. */
const keyNotes = {
  file: null,
  environment:
    'Its key is not in the backup: start the service with the CUSTOM_CONNECTION_KEY that it was given before.',
  keychain:
    "Its key is wrapped by a user's keychain: only the desktop app of that user, on the computer that the backup comes from, can open it.",
} as const
