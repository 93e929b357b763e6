import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { listenOn, urlOf } from '#main/lib/listen-on.ts'

/**
 * Opens an address that holds a token in the browser. Other users of the machine can read the arguments of a
 * program, so the browser is given an address of our own, which leads to the real one once and then ends.
 *
 * @param command as `browserCommand` has it. @returns once it has been started; what it cannot open is not told.
 */
export async function openInBrowser(command: readonly [string, ...string[]], url: string): Promise<void> {
  const [program, ...args] = command
  const child = spawn(program, [...args, await redirectOnce(url)], { stdio: 'ignore', detached: true })
  child.on('error', () => {}) // There is no such program: the address is on the terminal as well.
  child.unref()
}

/** @returns an address on this machine that answers once, with a redirection. */
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
  // Nobody may come.
  server.unref()
  return urlOf(await listenOn(server, '127.0.0.1', 0), 'http') + path
}

/**
 * The program that opens a page in the user's browser, where somebody sits in front of one. Pure.
 *
 * @param isTerminal whether a person reads along.
 * @returns the command, the address to be added; null where no browser can be opened.
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
