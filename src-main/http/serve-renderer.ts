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
