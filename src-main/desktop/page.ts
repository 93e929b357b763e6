import { readFile } from 'node:fs/promises'
import { extname, isAbsolute, relative, resolve } from 'node:path'
import { pagePolicy } from '#main/http/page.ts'
import { errnoOf } from '#main/lib/file-system.ts'
import { windowOrigin } from '#shared/window-channel.ts'
import type { ProtocolPart } from './electron-parts.ts'

const own = new URL(windowOrigin)
const scheme = own.protocol.slice(0, -1)

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
}

/** Returns whether a URL is one of the app's own pages. */
export function isOwnPage(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, host } = new URL(url)
  return protocol === own.protocol && host === own.host
}

/** Gives `app://` an origin, as `https://` has. Must come before the app is ready. */
export function registerPageScheme(protocol: ProtocolPart): void {
  const privileges = { standard: true, secure: true, supportFetchAPI: true }
  protocol.registerSchemesAsPrivileged([{ scheme, privileges }])
}

/** Serves the built dashboard at `app://cc/`, and no file outside its folder. */
export function servePage(protocol: ProtocolPart, folder: string): void {
  protocol.handle(scheme, request => answer(request, folder))
}

async function answer({ method, url }: Request, folder: string): Promise<Response> {
  if (method !== 'GET' && method !== 'HEAD') return refusal(405)
  const file = isOwnPage(url) ? fileOf(new URL(url).pathname, folder) : null
  if (file === null) return refusal(404)
  try {
    const content = await readFile(file)
    return new Response(method === 'HEAD' ? null : new Uint8Array(content), {
      headers: { ...headers, 'content-type': types[extname(file)] ?? 'application/octet-stream' },
    })
  } catch (error) {
    if (!['ENOENT', 'EISDIR', 'ENOTDIR', 'ENAMETOOLONG'].includes(errnoOf(error) ?? '')) throw error
    return refusal(404)
  }
}

/** Returns null for a path that cannot be decoded or leaves the folder. */
function fileOf(pathname: string, folder: string): string | null {
  let path: string
  try {
    path = decodeURIComponent(pathname)
  } catch {
    return null
  }
  if (/[\0\\]/.test(path)) return null
  const file = resolve(folder, path === '/' ? 'index.html' : `.${path}`)
  const inside = relative(folder, file)
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? null : file
}

const headers = {
  'cache-control': 'no-store',
  'content-security-policy': pagePolicy,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

function refusal(status: 404 | 405): Response {
  return new Response(null, { status, headers })
}
