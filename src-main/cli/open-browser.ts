import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { listenOn, urlOf } from '#main/lib/listen-on.ts'

/**
 * Opens an address with a token in the browser. Other users of the machine can read a program's arguments, so the browser
 * gets a local address, which redirects to the real one once.
 *
 * @param command from `browserCommand`.
 * @param onFailure called if the program starts, but then fails to open a browser.
 * @returns whether the program started; it may not exist.
 */
export async function openInBrowser(
  command: readonly [string, ...string[]],
  url: string,
  onFailure: () => void,
): Promise<boolean> {
  const [program, ...args] = command
  const child = spawn(program, [...args, await redirectOnce(url)], { stdio: 'ignore', detached: true })
  child.unref()
  return new Promise(resolve => {
    child.once('spawn', () => resolve(true))
    child.once('error', () => resolve(false))
    child.once('exit', code => {
      if (code !== null && code !== 0) onFailure()
    })
  })
}

/** Returns an address on this machine that redirects once. */
export async function redirectOnce(url: string): Promise<string> {
  const path = `/${randomBytes(32).toString('base64url')}`
  const server = createServer((request, response) => {
    response.setHeader('cache-control', 'no-store').setHeader('connection', 'close')
    if (request.method !== 'GET' || request.url !== path || !server.listening) {
      response.writeHead(404).end()
      return
    }
    server.close()
    response.writeHead(302, { location: url, 'referrer-policy': 'no-referrer' }).end()
  })
  // The browser may never request it.
  server.unref()
  return urlOf(await listenOn(server, '127.0.0.1', 0), 'http') + path
}

/**
 * Returns the command that opens a page in the user's browser, without the address; null if there is no browser or
 * no person at the terminal. Pure.
 */
export function browserCommand(
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
  isTerminal: boolean,
): readonly [string, ...string[]] | null {
  if (!isTerminal || env.CI) return null
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : null
}
