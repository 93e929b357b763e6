import type { Command } from 'commander'
import { z } from 'zod'
import { backupFacts } from './backup-facts.ts'
import { print, printLine, say } from './output.ts'
import { dataFolderOption, JsonFlag, jsonOption, parseOptions } from './parse-options.ts'
import { plural } from './plural.ts'

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
  const { makeBackup } = await import('./make-backup.ts')
  const { describeKey } = await import('./describe-key.ts')
  const { file: written, bytes, manifest } = await makeBackup(data, { file, force })
  const note = describeKey(manifest.dataKey)
  if (json) return printLine({ ok: true, file: written, bytes, ...backupFacts(manifest), note })
  print(`Written to ${written} and read back: ${plural(bytes, 'byte')}, as of ${manifest.createdAt}.`)
  say(note)
}
