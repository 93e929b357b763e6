import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import fastify from 'fastify'
import { serveRenderer } from '#main/http/page.ts'
import config from '../../electron.vite.config.ts'
import { buildPage } from '../support/build-page.ts'

/** Builds and serves the page of the shared components like the dashboard. */
export async function servePieces(): Promise<{ url: string; close: () => Promise<void> }> {
  const folder = await buildPage({
    root: join(import.meta.dirname, 'page'),
    plugins: [react()],
    build: { ...config.renderer?.build, rolldownOptions: {}, chunkSizeWarningLimit: 2000 },
  })
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
