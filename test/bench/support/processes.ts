import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { Agent, fetch } from 'undici'
import { z } from 'zod'
import { cliEntry, compileCache } from '../../support/cli-entry.ts'

const root = resolve(import.meta.dirname, '../../..')

/** A program of this project in a process of its own, and the first line that it printed, as JSON. */
export type Program<Line> = { process: ChildProcess; line: Line; stop(): Promise<void> }

/**
 * How a program is started: further arguments and variables, the folder of its sources if it is another one, and who gets
 * what it logs instead of the output of this process.
 */
export type Setup = {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly sources?: string
  readonly onLog?: (text: string) => void
}

/** @param args a file of the project and its arguments. @param channels to the program, besides its output. */
export async function startProgram<Line>(
  args: readonly string[],
  schema: z.ZodType<Line>,
  channels: readonly 'ipc'[] = [],
  { env = {}, sources = root, onLog }: Omit<Setup, 'args'> = {},
): Promise<Program<Line>> {
  const child = spawn(process.execPath, args, {
    cwd: sources,
    env: {
      ...{ ...process.env, NODE_COMPILE_CACHE: compileCache, CUSTOM_CONNECTION_ADMIN_TOKEN: adminToken },
      ...env,
    },
    stdio: ['ignore', 'pipe', onLog === undefined ? 'inherit' : 'pipe', ...channels],
  })
  if (onLog !== undefined) child.stderr?.setEncoding('utf8').on('data', onLog)
  if (child.stdout === null) throw new Error('The output of a program is piped.')
  const lines = createInterface({ input: child.stdout })
  const first = await Promise.race([
    once(lines, 'line').then(([text]) => String(text)),
    once(child, 'exit').then(() => Promise.reject(new Error(`${args.join(' ')} ended before it was ready.`))),
  ])
  const line = schema.safeParse(JSON.parse(first))
  if (!line.success) throw new Error(`${args.join(' ')} printed ${first}`)
  return {
    process: child,
    line: line.data,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

/** The line that `serve --json` prints once it accepts requests. */
export const Served = z.object({ listenerUrl: z.string(), dashboardUrl: z.string(), pid: z.int() })
const Connection = z.object({ connectionId: z.string() })
const Connections = z.array(Connection)
const Credentials = z.object({ inboundUrl: z.string(), signingSecret: z.string() })

export type RunningService = Program<z.infer<typeof Served>> & {
  readonly folder: string
  readonly connectionId: string
  readonly inboundUrl: string
  readonly secret: string
  /** Calls REST below /api/v1. */
  call(method: string, path: string, body?: object): Promise<unknown>
}

export const adminToken = 'admin-token-of-the-benchmarks'
const PackageJson = z.object({ scripts: z.object({ serve: z.string() }) })

/** Returns the arguments of node in `npm run serve`, with the built entry if this run of the tests builds it. */
function serveCommand(): string[] {
  const { scripts } = PackageJson.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))
  const words = scripts.serve.split(' ').slice(1)
  return words.map(word => (word === 'src-main/cli/main.ts' ? cliEntry : word))
}

export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'custom-connection-bench-'))
}

/** The headless service on a data folder, once it has printed where it is. */
export function startServe(folder: string, setup: Setup = {}): Promise<Program<z.infer<typeof Served>>> {
  const own = serveArguments(folder).map(word =>
    word === cliEntry && setup.sources !== undefined ? join(setup.sources, relative(root, word)) : word,
  )
  return startProgram([...own, ...(setup.args ?? [])], Served, [], setup)
}

/** Returns the arguments of node to serve a data folder on free ports. FAST_PATH=off switches the fast path off. */
export function serveArguments(folder: string): string[] {
  const serve = [...serveCommand(), '--json', '--data', folder, '--log-level', 'warn']
  const ports = ['--port', '0', '--dashboard-port', '0']
  const fastPath = process.env.FAST_PATH === 'off' ? ['--no-fast-path'] : []
  return [...serve, ...ports, ...fastPath]
}

/** The same, and its first connection, made if need be, which logs its events. */
export async function startService(folder = newFolder(), setup: Setup = {}): Promise<RunningService> {
  const program = await startServe(folder, setup)
  const { args = [] } = setup
  const certificate = args[args.indexOf('--tls-cert') + 1]
  const isTls = args.includes('--tls-cert') && certificate !== undefined
  const dispatcher = new Agent(isTls ? { connect: { ca: readFileSync(certificate) } } : {})
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${program.line.dashboardUrl}/api/v1${path}`, {
      method,
      dispatcher,
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  const known = Connections.parse(await call('GET', '/connections'))
  const { connectionId } =
    known[0] ?? Connection.parse(await call('POST', '/connections', { name: 'Bench', persistEvents: true }))
  const credentials = Credentials.parse(await call('GET', `/connections/${connectionId}/credentials`))
  return {
    ...program,
    folder,
    connectionId,
    inboundUrl: credentials.inboundUrl,
    secret: credentials.signingSecret,
    call,
  }
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}

const Load = z.object({
  perSecond: z.number(),
  p50: z.number(),
  p99: z.number(),
  max: z.number(),
  refused: z.int(),
})
export type Load = z.infer<typeof Load>

export type LoadOptions = {
  url: string
  secret: string
  connections: number
  requests: number
  warmup: number
  bodyBytes: number
  /** The scheme that signs the requests, by default the service's own. */
  scheme?: 'custom-connection' | 'github'
  /** The certificate's file, for a TLS server. */
  ca?: string
  /** Whether each request has a connection of its own. */
  fresh?: boolean
}

/** Runs the load generator to its end. */
export async function load(options: LoadOptions): Promise<Load> {
  const program = await startProgram(['test/bench/support/load.ts', JSON.stringify(options)], Load)
  if (program.process.exitCode === null) await once(program.process, 'exit')
  return program.line
}
