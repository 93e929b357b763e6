import { isUtf8 } from 'node:buffer'
import { type Command, Option } from 'commander'
import { z } from 'zod'
import { contract } from '#shared/contract/index.ts'
import { type ErrorCode, type ErrorData, ServiceError } from '#shared/errors.ts'
import type { OfferedAuth } from '#shared/model/import-auth.ts'
import { maxImportBytes } from '#shared/model/import-document.ts'
import {
  type ImportIssue,
  type ImportPreview,
  type ImportResult,
  RequestedFormat,
} from '#shared/model/import-preview.ts'
import { type ImportServer, serverKey } from '#shared/model/import-server.ts'
import { SourceUrl } from '#shared/model/import-source.ts'
import { type Constants, constantOf } from '#shared/model/placeholders.ts'
import { type Source, undoUpdate, updateConnection, withText } from './import-update.ts'
import { readInput } from './input.ts'
import { type OptionsOf, repeatable, runsWith } from './options.ts'
import { CommandFailed, plural, print, printable, printLine, say } from './output.ts'
import { askService, type ServiceClient } from './service-client.ts'

const own = {
  connection: z.string().min(1).optional(),
  workspace: z.string().min(1).optional(),
  update: z.boolean().default(false),
  undo: z.boolean().default(false),
  dryRun: z.boolean().default(false),
  url: SourceUrl.optional(),
  header: z
    .string()
    .regex(/^[^:]+:/, 'A header is NAME: VALUE, for example --header "X-Api-Key: {{ACME_KEY}}".')
    .optional(),
  format: RequestedFormat.default('auto'),
  set: z
    .array(z.string().regex(/^[^=]+=/, 'A constant is NAME=VALUE, for example --set projectId=prj_42.'))
    .default([]),
  tag: z.array(z.string()).default([]),
  auth: z.string().optional(),
  server: z.array(z.string()).default([]),
}
type Options = OptionsOf<typeof own>

export function addImport(program: Command): void {
  const command = program
    .command('import')
    .description(
      'Import an OpenAPI or Swagger document, a Postman collection, a curl command or an import document into the running service.',
    )
    .argument('[file]', 'the file, or - for stdin')
    .option('--url <url>', 'fetch the document from this address instead of a file')
    .option('--header <name: value>', 'a header to fetch it with; the value may contain {{VARIABLE}}')
    .option('--connection <id-or-name>', 'import into this connection (default: a new one)')
    .option('--workspace <id>', 'the workspace of a new connection (default: the default workspace)')
    .option('--set <name=value>', 'a constant for a parameter of paths; repeatable', repeatable)
    .option('--tag <tag>', 'take only operations and webhooks with this tag; repeatable', repeatable)
    .option(
      '--auth <scheme>',
      'the security scheme of the document that the connection signs in with, or none',
    )
    .option('--server <url>', 'take only operations at this server of the document; repeatable', repeatable)
    .option('--update', 'take what the document of --connection has changed, except what you have edited')
    .option('--undo', 'take back the last update of --connection, if nothing has changed since')
    .option(
      '--dry-run',
      'show what the import would do, without doing it; with --update, 3 if it would do something',
    )
    .addOption(
      new Option('--format <format>', 'format of the file; auto recognizes it by its content').choices(
        RequestedFormat.options,
      ),
    )
  runsWith(command, own, runImport)
}

async function runImport(options: Options, file?: string): Promise<void> {
  if (options.undo) return runUndo(options, file)
  if (options.update) return runUpdate(options, file)
  const given = await givenSource(options, file)
  const { preview, result, error } = await askService(options.data, async service =>
    importText(service, await withText(service, given), options),
  )
  const ok = error === null && preview.valid
  if (options.json) printLine({ ok, ...(error ?? result ?? preview) })
  else {
    for (const issue of preview.issues)
      say(describeIssue(file === '-' ? 'stdin' : (file ?? options.url ?? ''), issue))
    print(...describePreview(preview, result !== null, constantsOf(options)))
    if (result !== null) print(...describeResult(result, preview))
    if (error !== null) say(`${error.code}: ${error.message}`)
    else if (!preview.valid) say('Correct these errors, then import again.')
  }
  if (!ok) throw new CommandFailed()
}

async function runUpdate(options: Options, file?: string): Promise<void> {
  const { connection, format, url } = options
  if (connection === undefined)
    throw new ServiceError('invalid_input', { detail: 'Give the connection to update: --connection.' })
  const source = file === undefined && url === undefined ? {} : await givenSource(options, file)
  await updateConnection(options, connection, source, { format, placeholders: constantsOf(options) })
}

async function runUndo(
  { connection, update, dryRun, url, data, json }: Options,
  file?: string,
): Promise<void> {
  if (connection === undefined || update || dryRun || file !== undefined || url !== undefined)
    throw new ServiceError('invalid_input', { detail: 'Give only --connection with --undo.' })
  await undoUpdate(data, connection)
  if (json) printLine({ ok: true })
  else print('The last update is taken back.')
}

async function givenSource({ url, header }: Options, file?: string): Promise<Source> {
  if (file !== undefined && url === undefined) return { text: await readText(file) }
  if (file !== undefined || url === undefined)
    throw new ServiceError('invalid_input', { detail: 'Give either a file or --url.' })
  if (header === undefined) return { url }
  const colon = header.indexOf(':')
  return { url, header: { name: header.slice(0, colon).trim(), value: header.slice(colon + 1).trim() } }
}

/** Reads the file. Keeps a byte order mark, so that the service can report it. */
async function readText(file: string): Promise<string> {
  const bytes = await readInput(file === '-' ? file : `@${file}`, 'the document')
  const tooLarge = `The file is larger than ${maxImportBytes / 1024 / 1024} MiB.`
  if (bytes.length > maxImportBytes) throw new ServiceError('invalid_input', { detail: tooLarge })
  if (!isUtf8(bytes)) throw new ServiceError('invalid_input', { detail: 'The file is not valid UTF-8.' })
  return bytes.toString('utf8')
}

type ImportOutcome = {
  readonly preview: ImportPreview
  /** Null if nothing was imported, because of --dry-run or an error. */
  readonly result: ImportResult | null
  readonly error: { readonly code: ErrorCode; readonly message: string; readonly data?: ErrorData } | null
}

/** Previews a text in the running service. Imports it, unless this is a dry run. */
async function importText(service: ServiceClient, source: Source, options: Options): Promise<ImportOutcome> {
  const { connection, workspace, format, dryRun, tag, auth, server } = options
  const request = {
    ...source,
    connectionId: connection === undefined ? null : (await service.findConnection(connection)).connectionId,
    workspaceId: workspace ?? null,
    format,
    placeholders: constantsOf(options),
    choose: tag.length === 0 ? null : { tags: tag },
    ...(auth !== undefined && { auth: auth === 'none' ? null : { scheme: auth } }),
  }
  const asked = Object.fromEntries(server.map(url => [url, true]))
  const offered = await service.call(contract.imports.preview, { ...request, servers: asked })
  const servers = { ...asked, ...othersOf(offered, server) }
  const preview =
    server.length === 0 ? offered : await service.call(contract.imports.preview, { ...request, servers })
  if (dryRun) return { preview, result: null, error: null }
  try {
    const result = await service.call(contract.imports.apply, { ...request, servers })
    return { preview, result, error: null }
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid_document') throw error
    const { code, message, data } = error
    return { preview, result: null, error: { code, message, ...(data === undefined ? {} : { data }) } }
  }
}

/** Leaves out the servers that are not among the chosen ones; none if there is no choice. */
function othersOf({ servers }: ImportPreview, chosen: readonly string[]): Record<string, boolean> {
  const keys = new Set(chosen.map(url => serverKey(url)))
  const others = servers.filter(one => one.chosen && keys.size > 0 && !keys.has(serverKey(one.url)))
  return Object.fromEntries(others.map(({ url }) => [url, false]))
}

function constantsOf({ set }: Options): Constants {
  const pairs = set.map(text => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)])
  return Object.fromEntries(pairs)
}

/** Names shown of each kind. The JSON output has all of them. */
const maxShown = 50

/** Returns a line for a problem in the format of compilers: `shop.json:3:12: sentence`. */
function describeIssue(file: string, { line, column, severity, message, path }: ImportIssue): string {
  const kind = severity === 'warning' ? 'warning: ' : ''
  return printable(`${file}:${line}:${column}: ${kind}${message}${path === '' ? '' : ` (${path})`}`)
}

/** Describes what an import would do or has done. */
function describePreview(preview: ImportPreview, isDone: boolean, constants: Constants): string[] {
  const { connection, actions, eventTypes, environmentVariables } = preview
  const servers = preview.servers.filter(({ chosen }) => chosen)
  const lines =
    servers.length > 1
      ? servers.map(serverLine)
      : [
          ...(connection === null ? [] : [connectionLine(connection)]),
          ...preview.auth.filter(({ chosen }) => chosen).map(signInLine),
        ]
  return [
    ...lines,
    ...describeNames('action', actions.create, actions.skip, isDone),
    ...describeNames('event type', eventTypes.create, eventTypes.skip, isDone),
    ...describePlaceholders(preview.placeholders, constants),
    ...(environmentVariables.length === 0 ? [] : ['Environment variables, and where they would be sent:']),
    ...environmentVariables.map(({ name, host }) => `  ${name} → ${host ?? 'no base URL yet'}`),
  ].map(printable)
}

/** Lists the placeholders without a constant. */
function describePlaceholders(placeholders: ImportPreview['placeholders'], constants: Constants): string[] {
  const missing = placeholders.filter(({ name }) => constantOf(constants, name) === undefined)
  const lines = missing.map(({ name, operations, example }) => {
    const such = example === undefined ? '' : `, for example ${example}`
    return `{${name}} in ${plural(operations, 'operation')}${such}`
  })
  return lines.length === 0
    ? []
    : ['Parameters of paths, which --set NAME=VALUE makes constants:', ...shown(lines)]
}

function describeResult(
  { connectionId, connectionIds, created, skipped }: ImportResult,
  { servers }: ImportPreview,
): string[] {
  const chosen = servers.filter(one => one.chosen)
  const several = connectionIds.length > 1
  const counts = `${plural(created.actions.length, 'action')} and ${plural(created.eventTypes.length, 'event type')} created, ${plural(skipped.actions.length, 'action')} and ${plural(skipped.eventTypes.length, 'event type')} skipped.`
  if (!several) return [`Imported into ${connectionId}: ${counts}`]
  return [
    `Imported into ${connectionIds.length} connections: ${counts}`,
    ...connectionIds.map((id, index) => printable(`  ${id} ${chosen[index]?.name ?? ''}`)),
  ]
}

function serverLine({ connectionId, name, url, operations, auth }: ImportServer): string {
  const signIn = auth === null ? '' : `, signs in with ${auth.name}: ${auth.value}`
  return `${targetLine({ connectionId, name })}, for ${url}: ${plural(operations, 'operation')}${signIn}`
}

function signInLine({ scheme, in: place, name, value }: OfferedAuth): string {
  return `Signs in with ${scheme}: the ${place === 'header' ? 'header' : 'query parameter'} ${name}, ${value}`
}

type Target = Pick<NonNullable<ImportPreview['connection']>, 'connectionId' | 'name' | 'baseUrl'>

function connectionLine({ baseUrl, ...target }: Target): string {
  return `${targetLine(target)}, ${baseUrl === null ? 'without a base URL' : `at ${baseUrl}`}`
}

function targetLine({ connectionId, name }: Pick<Target, 'connectionId' | 'name'>): string {
  return `${connectionId === null ? 'A new connection' : `The connection ${connectionId}`}, "${name}"`
}

function describeNames(
  noun: string,
  create: readonly string[],
  skip: readonly string[],
  isDone: boolean,
): string[] {
  const creates = isDone ? 'Created' : 'Would create'
  const skips = isDone ? 'Skipped' : 'Would skip'
  const because = skip.length === 1 ? 'already exists or is repeated' : 'already exist or are repeated'
  return [
    ...(create.length === 0 ? [] : [`${creates} ${plural(create.length, noun)}:`, ...shown(create)]),
    ...(skip.length === 0 ? [] : [`${skips} ${plural(skip.length, noun)} that ${because}:`]),
    ...shown(skip),
  ]
}

function shown(names: readonly string[]): string[] {
  const more = names.length - maxShown
  return [...names.slice(0, maxShown).map(name => `  ${name}`), ...(more > 0 ? [`  … and ${more} more`] : [])]
}
