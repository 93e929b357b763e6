import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { chromiumPath } from '../../scripts/chromium.ts'
import { builtEntryVariable } from './cli-entry.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder `out/` of `npm run build`: `main`, `preload` and `renderer`. */
    builtFolder: string
    /** The dashboard of it. */
    rendererFolder: string
  }
}

const root = join(import.meta.dirname, '..', '..')

/** Returns the paths, relative to the checkout, that the container image copies for its build. */
export function copiedForImage(): string[] {
  const dockerfile = readFileSync(join(root, 'resources/on-prem/Dockerfile'), 'utf8')
  const [, buildStage = ''] = dockerfile.split(/^FROM /m)
  const copies = [...buildStage.matchAll(/^COPY (.+)$/gm)]
  return copies.flatMap(([, words = '']) => words.split(' ').slice(0, -1))
}

/**
 * Builds the product once, for all tests that open, run or package what is built. Tests of the command line that run
 * beside them use it as well: from its bundle a process starts in half the time. It is built from a copy of what the
 * container image copies, so that a source missing there fails here.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  // In a new checkout, each worker would unpack it for itself.
  chromiumPath()
  const folder = await mkdtemp(join(tmpdir(), 'cc-built-'))
  for (const source of copiedForImage()) cpSync(join(root, source), join(folder, source), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  const electronVite = join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
  const built = spawnSync(process.execPath, [electronVite, 'build', '--logLevel', 'warn'], {
    cwd: folder,
    encoding: 'utf8',
    // The tests' own value would have React built for development.
    env: { ...process.env, NODE_ENV: 'production' },
  })
  if (built.status !== 0) throw new Error(`The build failed:\n${built.stdout}${built.stderr}`)
  const out = join(folder, 'out')
  project.provide('builtFolder', out)
  project.provide('rendererFolder', join(out, 'renderer'))
  process.env[builtEntryVariable] = join(out, 'main', 'cli.js')
  return () => rm(folder, { recursive: true, force: true })
}
