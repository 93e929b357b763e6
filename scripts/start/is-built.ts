import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** What the build writes last of each part, and what it is made from. */
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

/** Whether everything in `out/` is there and none of it older than what it was made from. */
export async function isBuilt(root: string): Promise<boolean> {
  const built = await Promise.all(outputs.map(path => changedAt(join(root, path))))
  const changed = await Promise.all(sources.map(path => newestBelow(join(root, path))))
  return Math.min(...built) >= Math.max(...changed)
}

/** @returns milliseconds since 1970; 0 when it is not there. */
async function changedAt(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.mtimeMs ?? 0
}

async function newestBelow(path: string): Promise<number> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => [])
  // Folders too: a file that was removed changes them alone.
  const paths = [path, ...entries.map(entry => join(entry.parentPath, entry.name))]
  return Math.max(...(await Promise.all(paths.map(changedAt))))
}
