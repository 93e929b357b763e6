import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { afterAll, beforeAll } from 'vitest'
import { z } from 'zod'
import { type CliOptions, type CliProcess, launchCli, startCli } from './cli-process.ts'
import { atEnd } from './early.ts'

export const ServeLine = z.strictObject({
  listenerUrl: z.string(),
  dashboardUrl: z.string(),
  mcpUrl: z.string(),
  pid: z.int(),
})

const CreatedConnection = z.object({
  connectionId: z.string(),
  credentials: z.object({ inboundUrl: z.string(), inboundToken: z.string(), signingSecret: z.string() }),
})
const Connections = z.array(z.object({ connectionId: z.string() }))
const Workflows = z.array(z.object({ workflowId: z.string() }))
const Events = z.object({ events: z.array(z.object({ eventName: z.string(), dataText: z.string() })) })

export type CliService = z.infer<typeof ServeLine> & {
  readonly process: CliProcess
  readonly data: string
}

/** An empty folder that goes with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'custom-connection-cli-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Starts `serve --json` on free ports and waits for its line. */
export async function serve(
  data: string,
  args: readonly string[] = [],
  options: CliOptions = {},
): Promise<CliService> {
  return served(startCli(serveArgs(data, args), options), data)
}

/**
 * Starts one service before the tests of this file, for those that need none of their own, and ends it after
 * them. @returns a function that gives it with the connections that it has, or with none.
 */
export function sharedService(): { (): CliService; empty(): Promise<CliService> } {
  const data = mkdtempSync(join(tmpdir(), 'custom-connection-cli-'))
  let process: CliProcess | undefined
  let service: CliService
  beforeAll(async () => {
    process = launchCli(serveArgs(data, []))
    service = await served(process, data)
  })
  afterAll(async () => {
    process?.signal('SIGTERM')
    await process?.ended
    rmSync(data, { recursive: true, force: true })
  })
  const empty = async () => {
    const { body } = await rest(service, 'GET', '/connections')
    for (const { connectionId } of Connections.parse(body))
      await rest(service, 'DELETE', `/connections/${connectionId}`)
    const workflows = await rest(service, 'GET', '/workflows')
    for (const { workflowId } of Workflows.parse(workflows.body))
      await rest(service, 'DELETE', `/workflows/${workflowId}`)
    return service
  }
  return Object.assign(() => service, { empty })
}

const serveArgs = (data: string, args: readonly string[]) => [
  ...['serve', '--data', data, '--port', '0', '--dashboard-port', '0', '--json'],
  ...args,
]

async function served(process: CliProcess, data: string): Promise<CliService> {
  const line = await process.line('stdout')
  const facts = ServeLine.safeParse(JSON.parse(line))
  if (!facts.success) throw new Error(`It does not serve: ${line}`)
  return { ...facts.data, process, data }
}

/** Stops a service as a supervisor does. @returns its exit status. */
export async function stop(service: CliService): Promise<number | null> {
  service.process.signal('SIGTERM')
  return (await service.process.ended).code
}

export function keptToken(data: string): string {
  return readFileSync(join(data, 'admin-token'), 'utf8').trim()
}

const anyCertificate = new Agent({ connect: { rejectUnauthorized: false } })

/** Asks REST of the dashboard. */
export async function rest(
  service: CliService,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  { body, token = keptToken(service.data) }: { body?: object; token?: string } = {},
): Promise<{ status: number; body: unknown }> {
  const response = await request(`${service.dashboardUrl}/api/v1${path}`, {
    method,
    dispatcher: anyCertificate,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  })
  return { status: response.statusCode, body: await response.body.json() }
}

/** A connection that stores its events. */
export async function createConnection(service: CliService, name: string, token?: string) {
  const options = { body: { name, persistEvents: true }, ...(token === undefined ? {} : { token }) }
  return CreatedConnection.parse((await rest(service, 'POST', '/connections', options)).body)
}

export async function storedEvents(service: CliService, connectionId: string) {
  return Events.parse((await rest(service, 'GET', `/connections/${connectionId}/events?limit=200`)).body)
    .events
}
