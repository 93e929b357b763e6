import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { onTestFinished } from 'vitest'
import { projectFolder } from './cli-process.ts'
import { hasProgram } from './has-program.ts'

/** The reverse proxies that have a configuration in `resources/on-prem`. */
export const proxies = ['nginx', 'Caddy', 'HAProxy'] as const
export type ProxyName = (typeof proxies)[number]

/** Debian keeps nginx and HAProxy out of the PATH of users. */
const programs = {
  nginx: ['nginx', '/usr/sbin/nginx'].find(hasProgram),
  Caddy: ['caddy'].find(hasProgram),
  HAProxy: ['haproxy', '/usr/sbin/haproxy'].find(hasProgram),
}

/** The title of a test that needs a proxy, which names a missing one. */
export function needsProxy(name: ProxyName): { readonly isMissing: boolean; readonly title: string } {
  const isMissing = programs[name] === undefined
  return { isMissing, title: isMissing ? `${name} (skipped: ${name} missing)` : name }
}

const files = { nginx: 'nginx.conf', Caddy: 'Caddyfile', HAProxy: 'haproxy.cfg' }

export function shippedConfiguration(name: ProxyName): string {
  return readFileSync(join(projectFolder, 'resources', 'on-prem', files[name]), 'utf8')
}

export type RunningProxy = {
  /** The paths of the Unix sockets on which it accepts. */
  readonly sockets: Sockets
  /** Requests a path of the dashboard. Returns the parts of the answer's body as they come. */
  follow(path: string): Promise<AsyncIterable<Buffer>>
  /** Sends a request to the public name, or to the dashboard's. */
  ask(
    path: string,
    options?: { headers?: Record<string, string>; body?: string; to?: 'public' | 'private' },
  ): Promise<{ status: number; retryAfter: string | undefined; text: string }>
  /** Stops it. Returns everything that it has logged. */
  stop(): Promise<string>
}

/**
 * Runs a proxy with its shipped configuration, which is gone with the test. Only the addresses differ: Unix sockets
 * instead of port 443 with certificates, and the ports of the service.
 *
 * @param change further changes of the configuration.
 */
export async function startProxy(
  name: ProxyName,
  ports: { readonly listener: number; readonly dashboard: number },
  change: (text: string) => string = text => text,
): Promise<RunningProxy> {
  const program = programs[name]
  if (program === undefined) throw new Error(`${name} is missing.`)
  // Paths of sockets are short.
  const folder = mkdtempSync(join(tmpdir(), 'cc-proxy-'))
  // nginx gives up the rights of root.
  chmodSync(folder, 0o777)
  const sockets = { public: join(folder, 'public.sock'), private: join(folder, 'private.sock') }
  const shipped = change(shippedConfiguration(name))
    .replaceAll(':8787', `:${ports.listener}`)
    .replaceAll(':8788', `:${ports.dashboard}`)
  const own = writers[name](folder, shipped, sockets)
  const child = spawn(program, own.args, {
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', text => (said += text))
  const dispatchers = {
    public: new Agent({ connect: { socketPath: sockets.public } }),
    private: new Agent({ connect: { socketPath: sockets.private } }),
  }
  const ended = once(child, 'close')
  onTestFinished(async () => {
    await Promise.all(Object.values(dispatchers).map(dispatcher => dispatcher.destroy()))
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  for (const path of Object.values(sockets)) await accepting(path, child, () => said)

  return {
    sockets,
    async follow(path) {
      const options = { method: 'GET', dispatcher: dispatchers.private } as const
      return (await request(`http://dashboard.example.com${path}`, options)).body
    },
    async ask(path, { headers = {}, body, to = 'public' } = {}) {
      const host = to === 'public' ? 'connect.example.com' : 'dashboard.example.com'
      const response = await request(`http://${host}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        dispatcher: dispatchers[to],
        headers,
        body: body ?? null,
      })
      const retryAfter = response.headers['retry-after']?.toString()
      return { status: response.statusCode, retryAfter, text: await response.body.text() }
    },
    async stop() {
      child.kill('SIGTERM')
      await ended
      const files = readdirSync(folder).filter(file => file.endsWith('.log'))
      return [said, ...files.map(file => readFileSync(join(folder, file), 'utf8'))].join('\n')
    },
  }
}

type Sockets = { readonly public: string; readonly private: string }

/** Writes the configuration of nginx around the shipped one, with every log that nginx has. */
function nginxIn(folder: string, shipped: string, sockets: Sockets) {
  const paths = [sockets.public, sockets.private]
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const included = shipped
    .replaceAll(/^ *listen 443 ssl;$/gm, () => `    listen unix:${paths.shift()};`)
    .replaceAll(/^ *(listen \[::\]:443 ssl|ssl_certificate(_key)? .*);$/gm, '')
    // Only this refuses a client without an address.
    .replace(/^ *deny all;$/m, '')
    .replaceAll('/var/log/nginx', folder)
  writeFileSync(join(folder, 'included.conf'), included)
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log info;
events { worker_connections 64; }
http {
  access_log ${folder}/access.log;
  ${temporary.map(part => `${part}_temp_path ${folder}/${part};`).join('\n  ')}
  include ${folder}/included.conf;
}
`,
  )
  return { args: ['-p', folder, '-e', `${folder}/error.log`, '-c', join(folder, 'nginx.conf')] }
}

/** Writes the configuration of Caddy, which logs to stderr. */
function caddyIn(folder: string, shipped: string, sockets: Sockets) {
  const options = 'admin off\n\tauto_https off'
  const text = /^\{$/m.test(shipped)
    ? shipped.replace(/^\{$/m, `{\n\t${options}`)
    : `{\n\t${options}\n}\n${shipped}`
  writeFileSync(
    join(folder, 'Caddyfile'),
    text
      // A client of a Unix socket has no address.
      .replace('not remote_ip private_ranges', 'path /outside')
      .replace(/^connect\.example\.com \{$/m, `http://connect.example.com {\n\tbind unix/${sockets.public}`)
      .replace(
        /^dashboard\.example\.com \{$/m,
        `http://dashboard.example.com {\n\tbind unix/${sockets.private}`,
      ),
  )
  return { args: ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')] }
}

/** Writes the configuration of HAProxy, which logs to stdout. Its nodes are on this computer. */
function haproxyIn(folder: string, shipped: string, sockets: Sockets) {
  const paths = [sockets.public, sockets.private]
  const file = join(folder, 'haproxy.cfg')
  const here = shipped
    .replaceAll(/^ *bind :\d+$/gm, () => `    bind unix@${paths.shift()}`)
    .replaceAll(/ node-\d:/g, ' 127.0.0.1:')
    // What stands for the service has no /readyz.
    .replace('check port 8788', '')
  writeFileSync(file, here)
  return { args: ['-f', file] }
}

const writers = { nginx: nginxIn, Caddy: caddyIn, HAProxy: haproxyIn }

/** Resolves when a server accepts on a socket. @throws if its process ends before. */
async function accepting(path: string, child: ReturnType<typeof spawn>, said: () => string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`It ended: ${said()}`)
    const socket = connect(path)
    const [outcome] = await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(error => [
      error,
    ])
    socket.destroy()
    if (outcome === undefined) return
  }
}
