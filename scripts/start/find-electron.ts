import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const Package = z.object({ version: z.string() })

/**
 * Returns the Electron binary of its npm package; null if there is none, or one of another version. The package does not
 * contain the binary: its installer downloads it, and writes its version and path to files.
 *
 * @param folder the folder of the package.
 */
export function findElectron(folder: string, env: NodeJS.ProcessEnv): string | null {
  try {
    const executable = readFileSync(join(folder, 'path.txt'), 'utf8').trim()
    const own = env.ELECTRON_OVERRIDE_DIST_PATH
    const dist = own || join(folder, 'dist')
    const wanted = Package.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).version
    if (!own && readFileSync(join(dist, 'version'), 'utf8').trim().replace(/^v/, '') !== wanted) return null
    const path = join(dist, executable)
    return existsSync(path) ? path : null
  } catch {
    return null
  }
}
