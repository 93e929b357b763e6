import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, type InlineConfig } from 'vite'

/** Builds a page as `npm run build` builds the dashboard. @returns the new folder it is in; the caller removes it. */
export async function buildPage(config: InlineConfig): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cc-page-'))
  // The tests' own value would have React built for development.
  const before = process.env.NODE_ENV
  process.env.NODE_ENV = 'production'
  try {
    await build({
      ...config,
      configFile: false,
      logLevel: 'warn',
      base: './',
      build: { ...config.build, outDir: folder },
    })
  } finally {
    process.env.NODE_ENV = before
  }
  return folder
}
