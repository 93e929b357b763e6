import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, inject, test } from 'vitest'
import { z } from 'zod'
import { ownCommand } from '#main/cli/own-command.ts'
import { configurationFor } from '#renderer/features/assistant/configurations.ts'
import { CreatedClientToken, McpAddress } from '#shared/model/assistant.ts'
import { launchApp, newFolder } from '../desktop/app-fixture.ts'
import { writeAppExecutable } from '../support/app-executable.ts'
import { copyBuiltCheckout, noDisplay, scriptArguments } from '../support/built-checkout.ts'
import { type CliOptions, projectFolder, startCli } from '../support/cli-process.ts'
import { type CliService, rest, ServeLine, temporaryFolder } from '../support/cli-service.ts'
import { missingOf, titled } from '../support/has-program.ts'
import { connectMcp } from '../support/mcp-client.ts'

const posix = process.platform !== 'win32'
const theSample = expect.arrayContaining([expect.stringMatching(/__look_up_order$/)])

const Server = z.object({
  command: z.string(),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
})
type Server = z.infer<typeof Server>
const Configuration = z.object({ mcpServers: z.object({ 'custom-connection': Server }) })

/** Starts a server as MCP clients do: in another folder, and without the variables of a shell. */
async function toolsOf({ command, args, env }: Server, cwd = temporaryFolder()): Promise<string[]> {
  const transport = new StdioClientTransport({ command, args, env, cwd, stderr: 'pipe' })
  const { client } = await connectMcp(transport, '2025-11-25')
  return (await client.listTools()).tools.map(({ name }) => name)
}

/** Starts the service by a program and its first arguments. */
async function serveBy([entry = '', ...args]: readonly string[], options: CliOptions): Promise<CliService> {
  const data = temporaryFolder()
  const ports = ['--data', data, '--port', '0', '--dashboard-port', '0', '--json']
  const started = startCli([...args, ...ports], { ...options, entry })
  const line = await started.line('stdout', text => text.startsWith('{'))
  return { ...ServeLine.parse(JSON.parse(line)), process: started, data }
}

const builtCli = () => join(inject('builtFolder'), 'main', 'cli.js')

/** The executable by the name that npm gives it. */
function installedCli(): string {
  const link = join(temporaryFolder(), 'custom-connection')
  symlinkSync(builtCli(), link)
  return link
}

const packagedApp = () => writeAppExecutable(temporaryFolder(), inject('builtFolder'))

const waysToServe: [string, () => Promise<CliService>][] = [
  [
    'npm start without a display',
    () => serveBy(scriptArguments('start'), { cwd: copyBuiltCheckout(temporaryFolder()), env: noDisplay }),
  ],
  ['npm run serve', () => serveBy(scriptArguments('serve'), { cwd: projectFolder })],
  ['the built executable', () => serveBy([builtCli(), 'serve'], { cwd: temporaryFolder() })],
  ['the installed executable', () => serveBy([installedCli(), 'serve'], { cwd: temporaryFolder() })],
  ['the packaged app, run as a command', () => serveBy([packagedApp(), 'serve'], { cwd: temporaryFolder() })],
]

test.runIf(posix).each(waysToServe)('%s shows an MCP command that serves the tools', async (_way, start) => {
  const service = await start()
  await rest(service, 'POST', '/samples', { body: {} })
  const address = McpAddress.parse((await rest(service, 'GET', '/assistant/address')).body)
  const created = await rest(service, 'POST', '/assistant/tokens', { body: { name: 'Claude' } })
  const { token } = CreatedClientToken.parse(created.body)
  // As the dashboard shows it.
  const access = { ...address, transport: 'stdio', token } as const
  const { json } = configurationFor('claude-desktop', access, 'custom-connection', 'linux')
  expect(await toolsOf(Configuration.parse(JSON.parse(json)).mcpServers['custom-connection'])).toEqual(
    theSample,
  )
})

test.runIf(posix)('the packaged app with a window shows an MCP command that serves the tools', async () => {
  const executable = packagedApp()
  const dataFolder = join(await newFolder(), 'data')
  const started = { execPath: executable, env: {}, versions: { electron: '45.4.1' } }
  // As the app does for a data folder that it was given.
  const command = [...ownCommand(started), `--data=${dataFolder}`] as const
  const app = await launchApp({ dataFolder, options: { command: [command[0], ...command.slice(1)] } })
  await app.started
  await app.client().samples.load({})
  const address = await app.client().assistant.address()
  expect(address.command).toBe(executable)
  expect(await toolsOf({ ...address, env: {} })).toEqual(theSample)
})

const missing = missingOf('npm')
test.skipIf(missing.length > 0)(
  titled('docs/assistant.md has a command for a checkout that serves the tools', missing),
  async () => {
    const service = await serveBy(scriptArguments('serve'), { cwd: projectFolder })
    await rest(service, 'POST', '/samples', { body: {} })
    const [, line = ''] = /`npm (run --silent cli -- mcp)`/.exec(page) ?? []
    const args = [...line.split(' '), '--data', service.data]
    const env = { PATH: process.env.PATH ?? '' }
    expect(await toolsOf({ command: 'npm', args, env }, projectFolder)).toEqual(theSample)
  },
)

const page = readFileSync(join(projectFolder, 'docs', 'assistant.md'), 'utf8')

test('docs/assistant.md configures Claude Desktop as the dashboard does', () => {
  const blocks = [...page.matchAll(/^```json\n(.*?)^```/gms)].map(([, json = '']) => JSON.parse(json))
  const [documented] = blocks.flatMap(block => Configuration.safeParse(block).data ?? [])
  const { command, args, env } = documented?.mcpServers['custom-connection'] ?? Server.parse({})
  const access = { transport: 'stdio', command, args, token: 'TOKEN' } as const
  const { json } = configurationFor('claude-desktop', access, 'custom-connection', 'linux')
  expect(documented).toEqual(JSON.parse(json))
  expect(Object.values(env)).toEqual(['TOKEN'])
  // The form of an address from a checkout, where the command alone is Node.
  expect(args.slice(1)).toEqual(['mcp', '--data', expect.stringMatching(/^\//)])
})

test.each([
  ['an AppImage', { APPIMAGE: '/home/you/cc.AppImage' }, false, ['/home/you/cc.AppImage']],
  ['an installed app', {}, false, ['/usr/bin/cc']],
  ['Electron on a checkout', {}, true, ['/usr/bin/cc', projectFolder]],
])('the command of %s is one that stays', (_name, env, defaultApp, expected) => {
  const versions = { electron: '45.4.1' }
  expect(ownCommand({ execPath: '/usr/bin/cc', env, versions, defaultApp })).toEqual(expected)
})
