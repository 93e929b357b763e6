import { rm } from 'node:fs/promises'
import type { TestProject } from 'vitest/node'
import config from '../../../electron.vite.config.ts'
import { buildPage } from '../../support/build-page.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The dashboard as `npm run build` makes it. */
    rendererFolder: string
  }
}

/** Builds the dashboard once, for all tests that open it in a browser. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const folder = await buildPage(config.renderer ?? {})
  project.provide('rendererFolder', folder)
  return () => rm(folder, { recursive: true, force: true })
}
