import { type ChildProcess, spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { cliEntry, compileCache } from './cli-entry.ts'
import { atEnd } from './early.ts'

export const projectFolder = resolve(import.meta.dirname, '../..')

export type CliOptions = {
  /** Added to an environment that has nothing of the service's own. */
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string | Uint8Array
  /** The executable's entry, if not that of `cli-entry.ts`. */
  readonly entry?: string
  readonly cwd?: string
}

export type CliResult = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

/** A run of the executable that has not ended. */
export type CliProcess = {
  readonly pid: number
  readonly ended: Promise<CliResult>
  /** Returns its output so far. */
  output(): { stdout: string; stderr: string }
  /** Resolves with the first line that it prints and `matches` accepts; rejects when it ends before. */
  line(stream: 'stdout' | 'stderr', matches?: (line: string) => boolean): Promise<string>
  signal(signal: NodeJS.Signals): void
}

/** Starts the executable as a process of its own, which ends with the test. */
export function startCli(args: readonly string[], options: CliOptions = {}): CliProcess {
  const started = launchCli(args, options)
  atEnd(() => started.signal('SIGKILL'))
  return started
}

/** Starts the executable as a process of its own, which the caller ends. */
export function launchCli(args: readonly string[], options: CliOptions = {}): CliProcess {
  const child = spawn(process.execPath, [options.entry ?? cliEntry, ...args], {
    cwd: options.cwd ?? projectFolder,
    env: { ...cleanEnvironment(), NODE_COMPILE_CACHE: compileCache, ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.on('error', () => {}) // Those that do not read it may be gone by now.
  child.stdin.end(options.stdin)
  const { pid } = child
  if (pid === undefined) throw new Error('The executable cannot be started.')

  const texts = { stdout: '', stderr: '' }
  const listeners = new Set<() => void>()
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      texts[stream] += text
      for (const listener of listeners) listener()
    })
  const ended = endOf(child).then(code => ({ code, ...texts }))
  return {
    pid,
    ended,
    output: () => ({ ...texts }),
    signal: signal => void child.kill(signal),
    line: (stream, matches = () => true) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = texts[stream].split('\n').slice(0, -1).find(matches)
          if (found === undefined) return
          listeners.delete(look)
          resolve(found)
        }
        listeners.add(look)
        look()
        ended.then(result => reject(new Error(`It ended first: ${JSON.stringify(result)}`)), reject)
      }),
  }
}

/** Runs the executable to its end. */
export function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return startCli(args, options).ended
}

/** The one JSON value that `--json` prints; fails for anything but one line. */
export function jsonOf({ stdout }: { readonly stdout: string }): unknown {
  if (!/^[^\n]+\n$/.test(stdout)) throw new Error(`Not one line: ${JSON.stringify(stdout)}`)
  return JSON.parse(stdout)
}

function endOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', code => resolve(code))
  })
}

function cleanEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(
    ([name]) => !/^(CUSTOM_CONNECTION_|NODE_OPTIONS|VITEST)/.test(name),
  )
  return Object.fromEntries(entries)
}
