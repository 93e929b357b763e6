import { existsSync } from 'node:fs'
import { join, sep } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

/** Allows scripts and data from this server only. The components need inline styles. */
export const pagePolicy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * Serves the built dashboard: its page at `/`, and the files that it loads. They contain no data, so they need no token.
 * The page asks for the token.
 *
 * @param folder with `index.html`, and `assets` with files named after their content.
 */
export async function serveRenderer(app: FastifyInstance, folder: string): Promise<void> {
  const assets = join(folder, 'assets') + sep
  await app.register(fastifyStatic, {
    root: folder,
    cacheControl: false,
    dotfiles: 'ignore',
    preCompressed: true,
    setHeaders(reply, path) {
      const isAsset = path.startsWith(assets)
      reply.header('cache-control', isAsset ? 'public, max-age=31536000, immutable' : 'no-cache')
      if (!/\.html(\.(br|gz))?$/.test(path)) return
      reply.header('content-security-policy', pagePolicy)
      // Otherwise a page that opened this one could navigate it, for example to another `#`.
      reply.header('cross-origin-opener-policy', 'same-origin')
    },
  })
}

/** Returns the page that is shown if the dashboard has not been built. It has no data and no script. */
export function plainPage(version: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Custom Connection</title>
<style>
  :root { color-scheme: light dark }
  body { font: 15px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1.25rem }
  h1 { font-size: 1.25rem } code { font-family: ui-monospace, monospace; font-size: 0.9em }
</style>
<h1>Custom Connection ${version} is running</h1>
<p>The dashboard has not been built yet: run <code>npm run build</code> in the project's folder, then start
the service again.</p>
<p>Meanwhile, use REST at <code>/api/v1</code> with the admin token (see <code>/api/v1/openapi.json</code>), or the
command line: <code>npm run cli -- --help</code>.</p>
<p><code>/healthz</code> says whether the service can accept events, and
<code>/readyz</code> whether a load balancer may send requests to it.</p>
</html>
`
}

/**
 * Returns the folder of the built dashboard: `out/renderer` beside the bundle's `out/main`, or in the checkout if the
 * source runs directly. Returns null if it has not been built.
 *
 * @param moduleFolder the folder of the calling module: `out/main`, or a folder of `src-main`.
 */
export function rendererFolder(moduleFolder: string): string | null {
  const places = [join(moduleFolder, '..', 'renderer'), join(moduleFolder, '..', '..', 'out', 'renderer')]
  return places.find(place => existsSync(join(place, 'index.html'))) ?? null
}
