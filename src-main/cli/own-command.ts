import { join } from 'node:path'

/** The parts of `process` that tell how it was started. */
type Started = {
  readonly execPath: string
  readonly env: NodeJS.ProcessEnv
  readonly versions: { readonly electron?: string }
  /** Whether Electron itself was started, with the app's folder as its first argument. */
  readonly defaultApp?: boolean
}

/**
 * Returns the command that starts this program from any folder, to be followed by a subcommand. It does not come from
 * `process.argv`: there, `npm start` has another script, and a packaged app its subcommand. Pure.
 */
export function ownCommand({ execPath, env, versions, defaultApp }: Started): [string, ...string[]] {
  if (versions.electron === undefined) return [execPath, entry]
  // The binary of an AppImage is in a folder that disappears when the app ends.
  return defaultApp ? [execPath, root] : [env.APPIMAGE || execPath]
}

const isSource = import.meta.url.endsWith('.ts')
const entry = join(import.meta.dirname, isSource ? 'main.ts' : 'cli.js')
/** The folder of package.json: the bundle is in `out/main`, as far below it as this folder. */
const root = join(import.meta.dirname, '..', '..')
