import { existsSync } from 'node:fs'
import { join, sep } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

/** Scripts and data come from this server alone; the interface's components write styles of their own. */
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
 * Serves the built dashboard: its page at `/`, and what the page loads. There is no data in any of it, so it
 * is served to whoever asks; the page asks for the token.
 *
 * @param folder with `index.html`, and files under names made from their content below `assets`.
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
      // A page that has opened this one could go on leading it elsewhere, to another `#` for instance.
      reply.header('cross-origin-opener-policy', 'same-origin')
    },
  })
}

/** What a browser sees at the dashboard's address where the dashboard is not built. No data, no script. */
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
<p>Meanwhile connections are managed over REST at <code>/api/v1</code> with the admin token, described by
<code>/api/v1/openapi.json</code>, and with the command line: <code>npm run cli -- --help</code>.</p>
<p>Whether events can be accepted is at <code>/healthz</code>.</p>
</html>
`
}

/**
 * Where the built dashboard lies: beside the bundle's own folder (`out/main`, `out/renderer`), or, where the
 * source runs as it stands, in `out/renderer` of the checkout.
 *
 * @param moduleFolder of the module that asks: `out/main`, or a folder of `src-main`.
 * @returns null where it has not been built.
 */
export function rendererFolder(moduleFolder: string): string | null {
  const places = [join(moduleFolder, '..', 'renderer'), join(moduleFolder, '..', '..', 'out', 'renderer')]
  return places.find(place => existsSync(join(place, 'index.html'))) ?? null
}
