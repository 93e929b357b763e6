import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { z } from 'zod'
import { errnoOf, messageOf } from '#main/lib/file-system.ts'
import { contract } from '#shared/contract/index.ts'
import { ServiceError } from '#shared/errors.ts'
import { exportWarning } from '#shared/model/import-document.ts'
import { type OptionsOf, runsWith } from './options.ts'
import { print, printLine, say } from './output.ts'
import { askService } from './service-client.ts'

const own = { output: z.string().min(1).optional(), force: z.boolean().default(false) }

export function addExport(program: Command): void {
  const command = program
    .command('export')
    .description('Write a connection of the running service as an import document, without its credentials.')
    .argument('<connection>', 'id or name of a connection')
    .option('--output <file>', 'the output file (default: stdout)')
    .option('--force', 'replace an existing file')
  runsWith(command, own, runExport)
}

async function runExport(options: OptionsOf<typeof own>, idOrName: string): Promise<void> {
  const { output, force, data, json } = options
  const { connectionId, document } = await askService(data, async service => {
    const { connectionId } = await service.findConnection(idOrName)
    return { connectionId, document: await service.call(contract.imports.export, { connectionId }) }
  })
  const warning = exportWarning(document)
  if (warning !== null) say(`warning: ${warning}`)
  const text = JSON.stringify(document, null, 2)
  if (output !== undefined) await write(output, `${text}\n`, force)
  if (json) printLine(output === undefined ? document : { ok: true, connectionId, output })
  else if (output === undefined) print(text)
  else say(`Written to ${output}.`)
}

async function write(file: string, text: string, force: boolean): Promise<void> {
  try {
    await writeFile(file, text, { flag: force ? 'w' : 'wx' })
  } catch (cause) {
    if (errnoOf(cause) === 'EEXIST') {
      const detail = `The file ${file} already exists. Choose another one, or replace it with --force.`
      throw new ServiceError('file_exists', { detail, cause })
    }
    const detail = `The file ${file} cannot be written: ${messageOf(cause)}`
    throw new ServiceError('invalid_input', { detail, cause })
  }
}
