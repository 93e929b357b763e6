import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { Duplex, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Command, Option } from 'commander'
import { z } from 'zod'
import { readWhole } from '#main/lib/growing-buffer.ts'
import { readServiceFacts } from '#main/storage/service-facts.ts'
import { mcpPath } from '#shared/contract/base.ts'
import { ServiceError } from '#shared/errors.ts'
import { readableByOthers, readCredential, standardInput } from './input.ts'
import { DataFolder, dataFolderOption, parseOptions, refuseUsage, TextOption } from './options.ts'
import { CommandFailed, say } from './output.ts'
import { errorOf, parseJson } from './service-client.ts'

const Id = z.string().regex(/^[\w-]{1,100}$/, 'Write an id.')
const McpOptions = z.object({
  connection: Id.optional(),
  workspace: Id.optional(),
  token: TextOption,
  data: DataFolder,
})

export function addMcp(program: Command): void {
  program
    .command('mcp')
    .description('Serve the tools of the running service to an MCP client, on stdin and stdout.')
    .option('--connection <id>', 'only the tools of this connection, under their own names')
    .option('--workspace <id>', 'the tools of this workspace; by default those of the default workspace')
    .addOption(
      new Option(
        '--token <token>',
        `client token, or better @file: ${readableByOthers}; limits the tools that the client can call`,
      ).env('CUSTOM_CONNECTION_MCP_TOKEN'),
    )
    .addOption(dataFolderOption('--data <dir>'))
    .action(runMcp)
}

async function runMcp(_options: unknown, command: Command): Promise<void> {
  const { connection, workspace, token, data } = parseOptions(command, McpOptions)
  if (connection !== undefined && workspace !== undefined)
    refuseUsage(command, 'Give --connection or --workspace, not both.')
  const place = connection ?? (workspace === undefined ? null : `workspaces/${workspace}`)
  const path = place === null ? mcpPath : `${mcpPath}/${place}`
  const stream = await openStream(data, path, token === undefined ? null : await readCredential(token))
  await passOn(stream, standardInput(process.platform, process.versions), process.stdout)
}

/**
 * Opens a stream of MCP messages, one a line, to the service of a data folder.
 *
 * @param token null for the admin's rights.
 * @throws ServiceError `service_not_running`, `connection_not_found`, `workspace_not_found`, `unauthorized`.
 */
async function openStream(dataFolder: string, path: string, token: string | null): Promise<Duplex> {
  const { folder, facts } = await readServiceFacts(dataFolder)
  const asked = request({
    socketPath: facts.socketPath,
    path,
    headers: {
      authorization: `Bearer ${token ?? facts.token}`,
      connection: 'upgrade',
      upgrade: 'mcp',
    },
  })
  asked.end()
  return new Promise<Duplex>((resolve, reject) => {
    asked.once('upgrade', (_response: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (head.length > 0) socket.unshift(head)
      resolve(socket)
    })
    asked.once('response', response => {
      readWhole(response, maxErrorBytes).then(
        body => reject(errorOf(parseJson(body.toString('utf8')))),
        reject,
      )
    })
    asked.once('error', cause => {
      const detail = `No service is running on the data folder ${folder}: its last process, ${facts.pid}, does not answer. Start one with "custom-connection serve".`
      reject(new ServiceError('service_not_running', { detail, cause }))
    })
  })
}

const maxErrorBytes = 64 * 1024

/**
 * Passes messages on until the client closes its side and all its requests are answered.
 *
 * @throws CommandFailed if the service ends first, for example because it stops or the token was revoked.
 */
async function passOn(stream: Duplex, input: Readable, output: NodeJS.WritableStream): Promise<void> {
  let hasInputEnded = false
  input.once('end', () => {
    hasInputEnded = true
  })
  input.pipe(stream)
  // A reader that is gone ends the command, like the end of its input.
  output.once('error', () => stream.destroy())
  stream.on('error', () => {})
  const closed = once(stream, 'close')
  await pipeline(stream, output, { end: false }).catch(() => {})
  stream.destroy()
  await closed
  input.unpipe(stream)
  input.destroy()
  if (hasInputEnded) return
  say('The service ended the connection: it stopped, or the token was revoked.')
  throw new CommandFailed()
}
