import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Language, languages } from '#renderer/entities/snippet/snippet.ts'

type Probe = readonly [program: string, ...args: string[]]

/** The command that must work before a language's snippets can run; old versions fail it. */
const probes: Readonly<Record<Language, readonly Probe[]>> = {
  curl: [
    ['bash', '--version'],
    ['curl', '--version'],
    ['openssl', 'version'],
  ],
  node: [[process.execPath, '--version']],
  python: [['python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 8))']],
  php: [['php', '-r', 'exit(PHP_VERSION_ID < 80100 ? 1 : 0);']],
  go: [['go', 'version']],
  ruby: [['ruby', '-ropenssl', '-e', 'exit RUBY_VERSION.to_f >= 3']],
  java: [['javac', '--release', '17', '--version']],
}

function missingOf(language: Language): string[] {
  if (language === 'curl' && process.platform === 'win32') return ['bash']
  return probes[language]
    .filter(([program, ...args]) => spawnSync(program, args, { stdio: 'ignore' }).status !== 0)
    .map(([program]) => program)
}

/**
 * Returns the languages that can run here, and prints those that cannot with the reason. Tests that run nothing cover
 * every language.
 */
export function runnableLanguages(wanted: readonly Language[] = languages): Language[] {
  return wanted.filter(language => {
    const missing = missingOf(language)
    if (missing.length > 0)
      console.log(`Not run: snippets in ${language}, for want of ${missing.join(', ')}.`)
    return missing.length === 0
  })
}

/** Creates a folder with one file for this test. */
export async function folderWith(file: string, text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cc-snippet-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, file), text)
  return folder
}

type Run = {
  readonly folder: string
  readonly command: string
  /** Arguments in addition to those of the command. */
  readonly args?: readonly string[]
  readonly env?: NodeJS.Dict<string>
}

/** Starts a snippet's command in its folder, in the C locale, since snippets must not need another. */
export function start({ folder, command, args = [], env = {} }: Run) {
  const [program = '', ...words] = command.split(' ')
  const options = program === 'java' ? forShortRuns : []
  return spawn(program === 'node' ? process.execPath : program, [...options, ...words, ...args], {
    cwd: folder,
    env: { ...process.env, LC_ALL: 'C', CC_SIGNING_SECRET: undefined, ...env },
    detached: hasGroups,
  })
}

/** Turns off Java's optimizing compilers and its parallel collector, which cost a short program more than they save. */
const forShortRuns = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC']
const hasGroups = process.platform !== 'win32'

/** Stops a process and its children: `go run` leaves its program running. */
export async function stop(child: ReturnType<typeof start>): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  process.kill(hasGroups ? -child.pid : child.pid)
  await exited
}

export type Finished = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

/** Waits for a process to end. */
export async function finish(
  child: ReturnType<typeof start>,
  input: string | Buffer = '',
): Promise<Finished> {
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', text => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', text => (stderr += text))
  // A script that refuses early may close its input before reading everything.
  child.stdin.on('error', () => {}).end(input)
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}
