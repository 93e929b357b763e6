import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Command } from 'commander'
import { z } from 'zod'
import { messageOf } from '#main/lib/file-system.ts'
import { contract } from '#shared/contract/index.ts'
import { ServiceError } from '#shared/errors.ts'
import {
  KnowledgeEncoding,
  KnowledgeFile,
  type KnowledgePlace,
  KnowledgeSeparator,
  maxKnowledgeFileBytes,
} from '#shared/model/platform/knowledge.ts'
import { type AgentOptions, ofAgent, withAgentOptions } from './agent-options.ts'
import { type CommonOptions, type OptionsOf, runsWith } from './options.ts'
import { CommandFailed, plural, print, printable, printLine, say } from './output.ts'
import { askService, callService, type ServiceClient } from './service-client.ts'

const separatorWords = { comma: ',', semicolon: ';', tab: '\t', bar: '|' } as const
const SeparatorOption = z
  .union([
    KnowledgeSeparator,
    z.enum(['comma', 'semicolon', 'tab', 'bar']).transform(word => separatorWords[word]),
  ])
  .optional()
const reading = { encoding: KnowledgeEncoding.optional(), separator: SeparatorOption }
/** For a file that is read again: `auto` lets the service guess. */
const auto = z.literal('auto').transform(() => null)
const toRead = {
  encoding: z.union([KnowledgeEncoding, auto]).optional(),
  separator: z.union([SeparatorOption, auto]).optional(),
}
const toAdd = { ...ofAgent, ...reading }
const toSearch = { ...ofAgent, limit: z.coerce.number().int().min(1).max(50).default(10) }

export function addKnowledge(program: Command): void {
  const knowledge = program.command('knowledge').description('Add, read and search the files of an agent.')
  const add = (name: string, description: string) => knowledge.command(name).description(description)
  const addOfFile = (name: string, description: string) =>
    add(name, description).argument('<fileId>', 'as "list" prints it')
  const addOfAgent = (name: string, description: string) => withAgentOptions(add(name, description))
  runsWith(addOfAgent('list', 'List the files.'), ofAgent, listFiles)
  const adds = addOfAgent('add', 'Add PDF, DOCX, TXT or CSV files.').argument('<file...>')
  runsWith(withReading(adds, 'recognized'), toAdd, addFiles)
  const searches = addOfAgent('search', 'Find passages.')
    .argument('<words...>')
    .option('--limit <n>', 'at most this many passages (default: 10)')
  runsWith(searches, toSearch, search)
  runsWith(addOfFile('show', 'Print what is known about a file, as JSON.'), {}, showFile)
  runsWith(addOfFile('text', 'Print the text that was read from a file.'), {}, printText)
  const reads = addOfFile('read', 'Read a TXT or CSV again, in another encoding or with another separator.')
  runsWith(withReading(reads, 'as before; auto: recognized'), toRead, readAgain)
  runsWith(addOfFile('delete', 'Delete a file.'), {}, deleteFile)
}

const withReading = (command: Command, usual: string) =>
  command
    .option('--encoding <label>', `of a TXT or CSV, such as windows-1250 (default: ${usual})`)
    .option('--separator <word>', `of a CSV: comma, semicolon, tab or bar (default: ${usual})`)

async function listFiles(options: AgentOptions): Promise<void> {
  const { agent: agentId, workspace: workspaceId, data, json } = options
  const files = await callService(data, contract.platform.knowledge.list, { workspaceId, agentId })
  if (json) return printLine(files)
  if (files.length === 0) say('The agent has no files.')
  for (const file of files) print(lineOf(file))
}

/** Adds all files that can be added, and fails if one cannot. */
async function addFiles(options: OptionsOf<typeof toAdd>, ...paths: string[]): Promise<void> {
  const { agent: agentId, workspace: workspaceId, data, json, encoding, separator } = options
  const added: KnowledgeFile[] = []
  await askService(data, async service => {
    for (const path of paths) {
      const asked = { agentId, workspaceId, encoding, separator }
      const file = await addFile(service, path, asked).catch(error => {
        if (!(error instanceof ServiceError) || error.code === 'service_not_running') throw error
        say(printable(`${path}: ${error.message} (${error.code})`))
        return null
      })
      if (file === null) continue
      added.push(file)
      if (!json) print(lineOf(file))
    }
  })
  if (json) printLine(added)
  if (added.length < paths.length) throw new CommandFailed()
}

type Asked = {
  readonly agentId: string
  readonly workspaceId: string | undefined
  readonly encoding: string | undefined
  readonly separator: string | undefined
}

async function addFile(service: ServiceClient, path: string, asked: Asked): Promise<KnowledgeFile> {
  const found = await stat(path).catch(cause => {
    throw new ServiceError('invalid_input', { detail: messageOf(cause), cause })
  })
  if (!found.isFile()) throw new ServiceError('invalid_input', { detail: 'This is not a file.' })
  // The service would close the connection in the middle of the body.
  if (found.size > maxKnowledgeFileBytes) throw new ServiceError('file_too_large')
  const query = new URLSearchParams({ name: basename(path) })
  for (const [name, value] of Object.entries(asked)) if (value !== undefined) query.set(name, value)
  return KnowledgeFile.parse(await service.upload(`/platform/knowledge?${query}`, createReadStream(path)))
}

async function search(options: OptionsOf<typeof toSearch>, ...words: string[]): Promise<void> {
  const { agent: agentId, workspace: workspaceId, limit, data, json } = options
  const asked = { workspaceId, agentId, query: words.join(' '), limit }
  const matches = await callService(data, contract.platform.knowledge.search, asked)
  if (json) return printLine(matches)
  if (matches.length === 0) say('No passage has these words.')
  for (const { name, place, snippet } of matches) {
    const text = snippet.map(piece => piece.text).join('')
    print(printable(`${name}, ${placeOf(place)}: ${text.replaceAll(/\s+/g, ' ')}`))
  }
}

const placeOf = ({ unit, first, last }: KnowledgePlace) =>
  first === last ? `${unit} ${first}` : `${unit}s ${first} to ${last}`

async function showFile({ data, json }: CommonOptions, fileId: string): Promise<void> {
  const file = await callService(data, contract.platform.knowledge.get, { fileId })
  if (json) printLine(file)
  else print(JSON.stringify(file, null, 2))
}

async function printText({ data, json }: CommonOptions, fileId: string): Promise<void> {
  await askService(data, async service => {
    const passages = []
    for (let from: number | null = 0; from !== null; ) {
      const asked: { fileId: string; from: number; limit: number } = { fileId, from, limit: 200 }
      const part = await service.call(contract.platform.knowledge.text, asked)
      from = part.next
      if (json) passages.push(...part.passages)
      else for (const { text } of part.passages) print(`${text.split('\n').map(printable).join('\n')}\n`)
    }
    if (json) printLine(passages)
  })
}

async function readAgain(
  { data, json, encoding, separator }: OptionsOf<typeof toRead>,
  fileId: string,
): Promise<void> {
  const file = await callService(data, contract.platform.knowledge.read, { fileId, encoding, separator })
  if (json) printLine(file)
  else print(lineOf(file))
}

async function deleteFile({ data, json }: CommonOptions, fileId: string): Promise<void> {
  const result = await callService(data, contract.platform.knowledge.remove, { fileId })
  if (json) printLine(result)
  else print('Deleted.')
}

function lineOf({
  fileId,
  name,
  detail,
  nameFits,
  bytes,
  pages,
  rows,
  lines,
  warnings,
}: KnowledgeFile): string {
  const counts = [
    ...(pages === null ? [] : [plural(pages, 'page')]),
    ...(rows === null ? [] : [plural(rows, 'row')]),
    ...(lines === null ? [] : [plural(lines, 'line')]),
  ]
  const found = nameFits ? detail : `${detail}, unlike its name`
  const told = warnings.map(({ message }) => `warning: ${message}`)
  return printable([fileId, name, found, plural(bytes, 'byte'), ...counts, ...told].join('  '))
}
