import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { builtEntryVariable } from './cli-entry.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** What `npm run build` puts into `out/`: `main`, `preload` and `renderer`. */
    builtFolder: string
    /** The dashboard of it. */
    rendererFolder: string
  }
}

/**
 * Builds the product once, for all tests that open, run or package what is built. Tests of the command line that run
 * beside them use it as well: from its bundle a process starts in half the time.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const temporary = await mkdtemp(join(tmpdir(), 'cc-built-'))
  const folder = join(temporary, 'product')
  const root = join(import.meta.dirname, '..', '..')
  const electronVite = join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
  const built = spawnSync(
    process.execPath,
    [electronVite, 'build', '--outDir', folder, '--logLevel', 'warn'],
    {
      cwd: root,
      encoding: 'utf8',
      // The tests' own value would have React built for development.
      env: { ...process.env, NODE_ENV: 'production' },
    },
  )
  if (built.status !== 0) throw new Error(`The build failed:\n${built.stdout}${built.stderr}`)
  project.provide('builtFolder', folder)
  project.provide('rendererFolder', join(folder, 'renderer'))
  process.env[builtEntryVariable] = join(folder, 'main', 'cli.js')
  return () => rm(temporary, { recursive: true, force: true })
}
