import { findElectron } from './find-electron.ts'
import { installElectron } from './install-electron.ts'
import { isBuilt } from './is-built.ts'
import { runElectron } from './run-electron.ts'

export type StartOptions = {
  /** The checkout. */
  readonly root: string
  /** The npm package of Electron. */
  readonly electronFolder: string
  /** The app accepts only `--data`. Without the app, `serve` gets all of them. */
  readonly args: readonly string[]
  readonly v8Flags: readonly string[]
  readonly platform: NodeJS.Platform
  readonly env: NodeJS.ProcessEnv
  /** Gives up fetching Electron after this many milliseconds without progress. */
  readonly stallMs: number
  /** Prints a line on stdout. */
  readonly say: (line: string) => void
  /** Builds the project. Returns whether it succeeded. */
  readonly build: () => Promise<boolean>
  /** Checks the options of `serve`. Returns 0, or an exit status after it has said what is wrong. */
  readonly check: (args: readonly string[]) => Promise<number>
  /** Runs `serve` until it ends. Returns its exit status. */
  readonly serve: (args: readonly string[]) => Promise<number>
}

const help = `Usage: npm start -- [options]

Opens the desktop app. If it cannot open, serves the same dashboard to a browser.

Options:
  --data <dir>  the data folder
  -h, --help    display this help

If the app cannot open, the options of serve work too: npm run serve -- --help`

/**
 * Implements `npm start`: builds if needed and opens the desktop app. If the app cannot open, serves the same dashboard,
 * which says why. Returns the exit status.
 */
export async function start(options: StartOptions): Promise<number> {
  const { root, args, env, say, build, check, serve } = options
  if (args.includes('--help') || args.includes('-h')) {
    say(help)
    return 0
  }
  // Before anything that takes long.
  const foreign = firstForeignOption(args) ?? (env.CUSTOM_CONNECTION_DATABASE ? '--database' : null)
  const status = foreign === null ? 0 : await check(args)
  if (status !== 0) return status
  const binary = await makeSureOfElectron(options)
  if ('path' in binary && foreign !== null) {
    say(
      `The desktop app does not support ${foreign}, only --data DIR. To run the service without the app: npm run serve -- --help`,
    )
    return 2
  }
  if (!(await isBuilt(root))) {
    say('Building once, before the first start and after each change of the source:')
    if (!(await build())) return 1
  }
  const ended = 'path' in binary ? await runElectron({ ...options, binary: binary.path }) : binary
  return 'status' in ended ? ended.status : serve(['--open', '--app-problem', ended.neverReady, ...args])
}

/** Returns the first argument that the app would ignore, or null. */
function firstForeignOption(args: readonly string[]): string | null {
  const isOwn = (arg: string, index: number) => /^--data(=|$)/.test(arg) || args[index - 1] === '--data'
  return args.find((arg, index) => !isOwn(arg, index)) ?? null
}

type Binary = { readonly path: string } | { readonly neverReady: string }

async function makeSureOfElectron(options: StartOptions): Promise<Binary> {
  const { electronFolder, platform, env, stallMs, say } = options
  if (platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY)
    return { neverReady: 'there is no display' }
  const there = findElectron(electronFolder, env)
  if (there !== null) return { path: there }
  say('Fetching Electron, once…')
  let told = 0
  const problem = await installElectron({
    folder: electronFolder,
    env,
    stallMs,
    onProgress(bytes) {
      const megabytes = Math.floor(bytes / 1_000_000)
      if (megabytes < told + 10) return
      told = megabytes
      say(`Fetching Electron: ${megabytes} MB`)
    },
  })
  if (problem !== null) return { neverReady: `Electron cannot be downloaded: ${problem}` }
  const path = findElectron(electronFolder, env)
  return path === null ? { neverReady: 'the downloaded Electron is missing' } : { path }
}
