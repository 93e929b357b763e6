import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'vite'
import type { TestProject } from 'vitest/node'
import config from '../../../electron.vite.config.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The dashboard as `npm run build` makes it. */
    rendererFolder: string
  }
}

/** Builds the dashboard once, for all tests that open it in a browser. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'cc-renderer-'))
  const { renderer } = config
  // As at `npm run build`: the tests' own value would have React built for development.
  const before = process.env.NODE_ENV
  process.env.NODE_ENV = 'production'
  await build({
    ...renderer,
    configFile: false,
    logLevel: 'warn',
    base: './',
    build: { ...renderer?.build, outDir: folder },
  })
  process.env.NODE_ENV = before
  project.provide('rendererFolder', folder)
  return () => rm(folder, { recursive: true, force: true })
}
