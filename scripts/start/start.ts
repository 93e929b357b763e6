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
  /** Runs `serve` until it ends. Returns its exit status. */
  readonly serve: (args: readonly string[]) => Promise<number>
}

/**
 * Implements `npm start`: builds if needed and opens the desktop app. If Electron is not available, prints one line and
 * serves the same dashboard in the browser. Returns the exit status.
 */
export async function start(options: StartOptions): Promise<number> {
  const { root, args, say, build, serve } = options
  if (!(await isBuilt(root))) {
    say('Building…')
    if (!(await build())) return 1
  }
  const binary = await makeSureOfElectron(options)
  const foreign = firstForeignOption(args)
  if ('path' in binary && foreign !== null) {
    say(
      `The desktop app does not support ${foreign}, only --data DIR. To run the service without the app: npm run serve -- --help`,
    )
    return 2
  }
  const ended = 'path' in binary ? await runElectron({ ...options, binary: binary.path }) : binary
  if ('status' in ended) return ended.status
  say(`The desktop app cannot open (${ended.neverReady}). The dashboard opens in your browser instead.`)
  return serve(['--open', ...args])
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
