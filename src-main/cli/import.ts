import { isUtf8 } from 'node:buffer'
import { type Command, Option } from 'commander'
import { z } from 'zod'
import { ServiceError } from '#shared/errors.ts'
import { ImportFormat } from '#shared/model/import-preview.ts'
import { CommandFailed } from './failures.ts'
import { print, printLine, say } from './output.ts'
import { dataFolderOption, JsonFlag, jsonOption, parseOptions } from './parse-options.ts'
import { readInput } from './read-input.ts'

const ImportOptions = z.object({
  connection: z.string().min(1).optional(),
  workspace: z.string().min(1).optional(),
  dryRun: z.boolean().default(false),
  format: ImportFormat.optional(),
  data: z.string().min(1),
  json: JsonFlag,
})

export function addImport(program: Command): void {
  program
    .command('import')
    .description('Import a document, an OpenAPI document or a curl command into the running service.')
    .argument('<file>', 'the file, or - for stdin')
    .option('--connection <id-or-name>', 'add to this connection; otherwise a new one is created')
    .option('--workspace <id>', 'the workspace of a new connection (default: the default one)')
    .option('--dry-run', 'only show what would be done')
    .addOption(
      new Option('--format <format>', 'what the file is (default: by its content)').choices(
        ImportFormat.options,
      ),
    )
    .addOption(dataFolderOption('--data <dir>'))
    .addOption(jsonOption)
    .action(runImport)
}

async function runImport(file: string, _options: unknown, command: Command): Promise<void> {
  const { connection, workspace, dryRun, json, ...options } = parseOptions(command, ImportOptions)
  const text = await readText(file)
  const { importText } = await import('./import-text.ts')
  const { preview, result, error } = await importText(options.data, {
    text,
    format: options.format ?? null,
    connection: connection ?? null,
    workspaceId: workspace ?? null,
    dryRun,
  })
  const ok = error === null && preview.valid
  if (json) printLine({ ok, ...(error ?? result ?? preview) })
  else {
    const { describeIssues, describePreview, describeResult } = await import('./import-report.ts')
    for (const line of describeIssues(file === '-' ? 'stdin' : file, preview.issues)) say(line)
    print(...describePreview(preview, result !== null), ...(result === null ? [] : describeResult(result)))
    if (error !== null) say(`${error.code}: ${error.message}`)
    else if (!preview.valid) say('This cannot be imported as it is.')
  }
  if (!ok) throw new CommandFailed()
}

/** A byte order mark stays, for the service to name it. */
async function readText(file: string): Promise<string> {
  const bytes = await readInput(file === '-' ? file : `@${file}`, 'the document')
  const { maxImportBytes } = await import('#shared/model/import-document.ts')
  const tooLarge = `The file has more than ${maxImportBytes / 1024 / 1024} MiB.`
  if (bytes.length > maxImportBytes) throw new ServiceError('invalid_input', { detail: tooLarge })
  if (!isUtf8(bytes)) throw new ServiceError('invalid_input', { detail: 'The file is not valid UTF-8.' })
  return bytes.toString('utf8')
}
