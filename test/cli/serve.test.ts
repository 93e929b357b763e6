import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { runCliHere } from '../support/cli-here.ts'
import { jsonOf, runCli, startCli } from '../support/cli-process.ts'
import {
  createConnection,
  keptToken,
  rest,
  ServeLine,
  serve,
  sharedService,
  stop,
  storedEvents,
  temporaryFolder,
} from '../support/cli-service.ts'
import { early } from '../support/early.ts'

const shared = sharedService()

/** Containers often have no IPv6, not even a loopback address. */
const hasIpv6 = Object.values(networkInterfaces()).some(addresses =>
  addresses?.some(({ address }) => address === '::1'),
)

/** A service whose folder another one has taken, which it notices within four seconds. */
const dispossessed = early(async () => {
  const data = temporaryFolder()
  const first = await serve(data)
  // Stopped, so that it cannot take the lock again before the second one does.
  first.process.signal('SIGSTOP')
  for (const file of ['lock.sqlite', 'service.sock']) rmSync(join(data, file))
  const second = await serve(data)
  first.process.signal('SIGCONT')
  return { data, first, second }
})

describe('serve: start', () => {
  it('prints one object, and then answers at the addresses in it', async () => {
    const service = await serve(temporaryFolder())
    expect(service.pid).toBe(service.process.pid)
    expect(service.listenerUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    const health = await fetch(`${service.dashboardUrl}/healthz`)
    expect(health.status).toBe(200)
    expect(await health.json()).toMatchObject({ ok: true })
    const event = await fetch(`${service.listenerUrl}/api/connect/nobody/events`, {
      method: 'POST',
      body: '{}',
    })
    expect(await event.json()).toMatchObject({ error: 'unknown_token' })
    expect(await stop(service)).toBe(0)
    expect(ServeLine.parse(jsonOf(service.process.output())).pid).toBe(service.pid)
  })

  it('prints a line for each listener for people, and how to sign in with the admin token', async () => {
    const data = temporaryFolder()
    const service = startCli(['serve', '--data', data, '--port', '0', '--dashboard-port', '0'])
    const file = join(data, 'admin-token')
    const hint = await service.line('stderr', line => line.includes(file) && !line.startsWith('{'))
    expect(hint).toMatch(/^To sign in, open http:\/\/127\.0\.0\.1:\d+ and enter the admin token\. It is in /)
    service.signal('SIGINT')
    const { code, stdout, stderr } = await service.ended
    expect(code).toBe(0)
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^Inbound listener: http:\/\/127\.0\.0\.1:\d+$/),
      expect.stringMatching(/^Dashboard: http:\/\/127\.0\.0\.1:\d+$/),
      '',
    ])
    expect(stdout + stderr).not.toContain(keptToken(data))
  })

  it('shows --public-url in inbound URLs, and answers to --allowed-host', async () => {
    const args = ['--public-url', 'https://tunnel.example/in/', '--allowed-host', 'dashboard.example']
    const service = await serve(temporaryFolder(), args)
    const { credentials } = await createConnection(service, 'Shop')
    expect(credentials.inboundUrl).toMatch(/^https:\/\/tunnel\.example\/in\/api\/connect\//)
    const port = Number(new URL(service.dashboardUrl).port)
    expect(await statusFor(port, 'dashboard.example')).toBe(200)
    expect(await statusFor(port, 'evil.example')).toBe(403)
  })

  it.skipIf(!hasIpv6)('takes an IPv6 address in brackets, as URLs have it', async () => {
    const service = await serve(temporaryFolder(), ['--host', '[::1]', '--dashboard-host', '[::1]'])
    expect(service.listenerUrl).toMatch(/^http:\/\/\[::1\]:\d+$/)
    expect((await fetch(`${service.dashboardUrl}/healthz`)).status).toBe(200)
  })

  it('takes the data folder from the environment', async () => {
    const data = temporaryFolder()
    const args = ['serve', '--port', '0', '--dashboard-port', '0', '--json']
    const service = startCli(args, { env: { CUSTOM_CONNECTION_DATA: data } })
    await service.line('stdout')
    expect(existsSync(join(data, 'service.json'))).toBe(true)
  })
})

describe('serve: what is taken already', () => {
  it('refuses a data folder in use, and names its holder', async () => {
    const service = shared()
    const args = ['serve', '--data', service.data, '--port', '0', '--dashboard-port', '0']
    const json = await runCli([...args, '--json'])
    expect(json.code).toBe(1)
    expect(jsonOf(json)).toEqual({
      ok: false,
      code: 'data_folder_in_use',
      message: `The process ${service.pid} already uses the data folder ${service.data}.`,
    })
    const text = await runCli(args)
    expect(text).toMatchObject({ code: 1, stdout: '' })
    expect(text.stderr).toContain(`data_folder_in_use: The process ${service.pid}`)
    expect((await rest(service, 'GET', '/connections')).status).toBe(200)
  })

  it.each(['--port', '--dashboard-port'])('refuses a busy %s, and leaves nothing behind', async option => {
    const port = await busyPort()
    const data = temporaryFolder()
    const args = [
      'serve',
      '--data',
      data,
      '--port',
      '0',
      '--dashboard-port',
      '0',
      '--json',
      option,
      String(port),
    ]
    const result = await runCli(args)
    expect(result.code).toBe(1)
    expect(jsonOf(result)).toEqual({
      ok: false,
      code: 'port_in_use',
      message: `Another program already listens on 127.0.0.1:${port}. Choose another port with ${option}; 0 selects a free one.`,
    })
    expect(existsSync(join(data, 'service.json'))).toBe(false)
    expect(await stop(await serve(data))).toBe(0)
  })

  it.each([
    ['--host', '--port'],
    ['--dashboard-host', '--dashboard-port'],
  ])('says so when the address of %s is not of this machine, and names the options', async (host, port) => {
    const ports = ['--port', '0', '--dashboard-port', '0']
    const args = ['serve', '--data', temporaryFolder(), ...ports, host, '192.0.2.1', '--json']
    const result = await runCli(args)
    expect(result.code).toBe(1)
    expect(jsonOf(result)).toMatchObject({
      code: 'address_unavailable',
      message: expect.stringMatching(
        `192\\.0\\.2\\.1.*\\. Choose another address with ${host}, or another port with ${port}\\.$`,
      ),
    })
    expect(result.stderr).not.toMatch(/^ +at /m)
  })
})

describe('serve: kept by the data folder', () => {
  it('keeps what it answered 200 to over SIGTERM', async () => {
    const data = temporaryFolder()
    const first = await serve(data)
    const { connectionId } = await createConnection(first, 'Shop')
    const sent = await runCliHere(['send', 'order.created', '--connection', 'Shop', '--data-folder', data])
    expect(sent.code).toBe(0)
    expect(await stop(first)).toBe(0)
    expect(existsSync(join(data, 'service.json'))).toBe(false)
    expect(existsSync(join(data, 'service.sock'))).toBe(false)

    const second = await serve(data)
    expect(await storedEvents(second, connectionId)).toMatchObject([{ eventName: 'order.created' }])
  })

  it('starts again after kill -9, past the socket and service.json left behind', async () => {
    const data = temporaryFolder()
    const first = await serve(data)
    const { connectionId } = await createConnection(first, 'Shop')
    const send = ['send', 'order.created', '--connection', 'Shop', '--data-folder', data, '--json']
    expect((await runCliHere(send)).code).toBe(0)
    first.process.signal('SIGKILL')
    await first.process.ended
    expect(existsSync(join(data, 'service.json'))).toBe(true)

    const refused = await runCliHere(send)
    expect(refused.code).toBe(1)
    expect(jsonOf(refused)).toEqual({
      ok: false,
      code: 'service_not_running',
      message: expect.stringContaining(`its last process, ${first.pid}, does not answer`),
    })

    const second = await serve(data)
    expect((await runCliHere(send)).code).toBe(0)
    expect(await storedEvents(second, connectionId)).toHaveLength(2)
  })

  it('ends with status 1 when another service took the folder after its lock and socket were deleted', async () => {
    const { data, first, second } = await dispossessed()
    const { code, stderr } = await first.process.ended
    expect(code).toBe(1)
    expect(stderr).toContain('Another process has taken the data folder')
    // The second service can still be found: the first one has not deleted its files.
    expect((await runCliHere(['list', 'connections', '--data', data])).code).toBe(0)
    expect(await stop(second)).toBe(0)
  })

  it('ends with storage_unavailable when it cannot write down where it is', async () => {
    const data = temporaryFolder()
    mkdirSync(join(data, 'service.json'))
    const result = await runCli(['serve', '--data', data, '--port', '0', '--dashboard-port', '0', '--json'])
    expect(result.code).toBe(1)
    expect(jsonOf(result)).toMatchObject({
      code: 'storage_unavailable',
      message: expect.stringContaining(join(data, 'service.json')),
    })
    expect(existsSync(join(data, 'service.sock'))).toBe(false)
  })

  it('keeps its socket and service.json for this user alone, with a token of their own', async () => {
    const service = shared()
    const file = join(service.data, 'service.json')
    const facts = z
      .object({ pid: z.int(), socketPath: z.string(), token: z.string() })
      .parse(JSON.parse(readFileSync(file, 'utf8')))
    expect(facts.pid).toBe(service.pid)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(facts.socketPath).mode & 0o777).toBe(0o600)
    expect(facts.token).not.toBe(keptToken(service.data))
    expect((await rest(service, 'GET', '/connections', { token: facts.token })).status).toBe(401)
  })
})

async function busyPort(): Promise<number> {
  const server = createServer()
  onTestFinished(() => void server.close())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('No port.')
  return address.port
}

/** The status of `/session` asked for under another host name. */
function statusFor(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', reject)
    socket.once('data', data => {
      resolve(Number(String(data).split(' ')[1]))
      socket.destroy()
    })
    socket.write(`GET /session HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`)
  })
}
