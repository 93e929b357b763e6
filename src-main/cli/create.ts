import type { Command } from 'commander'
import { z } from 'zod'
import { contract } from '#shared/contract/index.ts'
import { type OptionsOf, runsWith } from './options.ts'
import { print, printable, printLine, say } from './output.ts'
import { callService } from './service-client.ts'

const connectionFields = {
  baseUrl: z.string().optional(),
  persistEvents: z.boolean().optional(),
  workspace: z.string().min(1).optional(),
}

export function addCreate(program: Command): void {
  const create = program.command('create').description('Create something in the running service.')
  const connection = create
    .command('connection')
    .description('Create a connection, and print its inbound URL and its signing secret.')
    .argument('<name>', 'name of the connection')
    .option('--base-url <url>', 'base URL of the external system, needed for actions')
    .option('--persist-events', 'store a copy of each inbound event')
    .option('--workspace <id>', 'the workspace; by default the default one')
  runsWith(connection, connectionFields, createConnection)
}

async function createConnection(options: OptionsOf<typeof connectionFields>, name: string): Promise<void> {
  const { data, json, baseUrl, persistEvents, workspace: workspaceId } = options
  const created = await callService(data, contract.connections.create, {
    name,
    baseUrl,
    persistEvents,
    workspaceId,
  })
  if (json) return printLine(created)
  const { connectionId, credentials, warnings = [] } = created
  print(
    `Created ${printable(created.name)}, ${connectionId}`,
    `Inbound URL: ${credentials.inboundUrl}`,
    `Signing secret: ${credentials.signingSecret}`,
  )
  for (const { message } of warnings) say(`Warning: ${message}`)
  say('The URL and the secret are credentials. Send them only to the author of the sender.')
}
