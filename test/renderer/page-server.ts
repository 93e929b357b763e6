import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import fastify from 'fastify'
import { build } from 'vite'
import { serveRenderer } from '#main/dashboard/serve-renderer.ts'
import config from '../../electron.vite.config.ts'

/** Builds the page of the shared pieces as the dashboard is built, and serves it as the dashboard is served. */
export async function servePieces(): Promise<{ url: string; close: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'cc-pieces-'))
  // The tests' own value would have React built for development.
  const before = process.env.NODE_ENV
  process.env.NODE_ENV = 'production'
  await build({
    root: join(import.meta.dirname, 'page'),
    configFile: false,
    logLevel: 'warn',
    base: './',
    plugins: [react()],
    build: {
      ...config.renderer?.build,
      rolldownOptions: {},
      outDir: folder,
      chunkSizeWarningLimit: 2000,
    },
  })
  process.env.NODE_ENV = before
  const app = fastify({ forceCloseConnections: true })
  await serveRenderer(app, folder)
  return {
    url: await app.listen({ host: '127.0.0.1', port: 0 }),
    async close() {
      await app.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
