import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** The last file that the build writes for each part, and the sources. */
const outputs = ['out/main/index.js', 'out/preload/index.cjs', 'out/renderer/index.html']
const sources = [
  'src-main',
  'src-preload',
  'src-renderer',
  'src-shared',
  'resources/samples',
  'electron.vite.config.ts',
  'scripts/third-party-licenses.ts',
  'package-lock.json',
]

/** Returns whether everything in `out/` exists and is newer than its sources. */
export async function isBuilt(root: string): Promise<boolean> {
  const built = await Promise.all(outputs.map(path => changedAt(join(root, path))))
  const changed = await Promise.all(sources.map(path => newestBelow(join(root, path))))
  return Math.min(...built) >= Math.max(...changed)
}

/** Returns the time of the last change in milliseconds since 1970; 0 if the file does not exist. */
async function changedAt(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.mtimeMs ?? 0
}

async function newestBelow(path: string): Promise<number> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => [])
  // Includes folders, because removing a file changes only its folder.
  const paths = [path, ...entries.map(entry => join(entry.parentPath, entry.name))]
  return Math.max(...(await Promise.all(paths.map(changedAt))))
}
