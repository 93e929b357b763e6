import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { maskDatabaseUrls } from '#main/lib/mask-database-url.ts'
import { RunPage } from '#shared/model/run.ts'
import { cliEntry } from '../support/cli-entry.ts'
import { jsonOf, projectFolder, runCli } from '../support/cli-process.ts'
import {
  type CliService,
  createConnection,
  rest as restOf,
  ServeLine,
  serve,
  stop,
  temporaryFolder,
} from '../support/cli-service.ts'
import { eventually } from '../support/eventually.ts'
import { missingOf, titled } from '../support/has-program.ts'
import { createCluster, noPostgres } from '../support/postgres.ts'
import { newDatabase, query } from '../support/postgres-database.ts'
import { postInbound } from '../support/service-fixture.ts'

const token = 'admin-token-of-the-nodes-0123456789'
const password = 'canary-p4ssw0rd'
const key = 'a1'.repeat(32)
const env = { CUSTOM_CONNECTION_KEY: key, CUSTOM_CONNECTION_ADMIN_TOKEN: token }

/** Returns the URL with a password, which the server of the tests does not ask for. */
const withPassword = (url: string) => Object.assign(new URL(url), { password }).href
const serveOn = (url: string, data = temporaryFolder()) =>
  serve(data, ['--drain-seconds', '0'], { env: { ...env, CUSTOM_CONNECTION_DATABASE: url } })
const rest = (service: CliService, method: 'GET' | 'POST' | 'PUT', path: string, body?: object) =>
  restOf(service, method, path, { token, ...(body && { body }) })
const tablesOf = (url: string) =>
  query(url, "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace")

/** Runs `serve` to its end, which it refuses. Returns its exit status, code and message. */
async function refused(url: string, changes: Record<string, string> = {}) {
  const all = Object.entries({ ...env, CUSTOM_CONNECTION_DATABASE: url, ...changes })
  const args = ['serve', '--data', temporaryFolder(), '--port', '0', '--dashboard-port', '0', '--json']
  const result = await runCli(args, { env: Object.fromEntries(all.filter(([, value]) => value !== '')) })
  expect(result.stdout + result.stderr).not.toContain(password)
  return [result.code, jsonOf(result)] as const
}

const runsOf = async (service: CliService) =>
  RunPage.parse((await rest(service, 'GET', '/runs')).body).runs.map(({ status }) => status)

describe.skipIf(noPostgres !== null)('serve on a database', () => {
  it('keeps everything in the database: after a kill, a service with another folder goes on', async () => {
    const url = await newDatabase()
    const first = await serveOn(withPassword(url))
    const { connectionId, credentials } = await createConnection(first, 'Shop', token)
    const trigger = { type: 'external.event', connectionId: null, eventName: null }
    const steps = [{ key: 'tell', type: 'notify', message: '{{id}}' }]
    const workflow = { name: 'Note', trigger, steps }
    expect((await rest(first, 'POST', '/workflows', workflow)).status).toBe(201)
    const post = async (service: CliService, id: number) => {
      const inboundUrl = new URL(new URL(credentials.inboundUrl).pathname, service.listenerUrl).href
      const body = JSON.stringify({ event: 'order.created', data: { id } })
      return (await postInbound({ ...credentials, inboundUrl }, body, Date.now())).status
    }
    expect(await post(first, 1)).toBe(200)
    await eventually(async () => expect(await runsOf(first)).toEqual(['succeeded']))
    first.process.signal('SIGKILL')
    await first.process.ended

    const second = await serveOn(withPassword(url))
    expect((await rest(second, 'GET', '/connections')).body).toMatchObject([{ connectionId, name: 'Shop' }])
    expect(await runsOf(second)).toEqual(['succeeded'])
    expect(await post(second, 2)).toBe(200)
    await eventually(async () => expect(await runsOf(second)).toEqual(['succeeded', 'succeeded']))
    const { body } = await rest(second, 'GET', `/connections/${connectionId}/events`)
    expect(body).toMatchObject({ events: [{ dataText: '{"id":2}' }, { dataText: '{"id":1}' }] })
    // The command line finds the service in its folder.
    const listed = await runCli(['list', 'connections', '--data', second.data])
    expect(listed.stdout).toContain('Shop')

    const about = JSON.stringify([
      await rest(second, 'GET', '/service'),
      await rest(second, 'GET', '/health'),
    ])
    expect(await stop(second)).toBe(0)
    expect(await query(url, 'SELECT count(*)::int AS nodes FROM node WHERE seen_at > 0')).toEqual([
      { nodes: 1 },
    ])
    for (const service of [first, second]) {
      const { stdout, stderr } = service.process.output()
      expect(stdout + stderr + about).not.toContain(password)
      expect(stderr).not.toMatch(/"level":"(warn|error)"/)
      const files = readdirSync(service.data).filter(name => !/^(lock\.|service\.)/.test(name))
      expect(files.filter(name => name !== 'uploads')).toEqual([])
    }
  })

  it('is ready while the database answers, and drains when it is told to stop', async () => {
    const cluster = createCluster()
    onTestFinished(() => cluster.remove())
    const server = await cluster.start()
    onTestFinished(() => server.stop('SIGQUIT'))
    const service = await serveOn(server.url())
    const ready = async () => {
      const response = await fetch(`${service.dashboardUrl}/readyz`)
      return [response.status, await response.json()]
    }
    expect(await ready()).toEqual([200, { ready: true }])
    await server.kill()
    await eventually(async () => expect(await ready()).toEqual([503, { ready: false, reason: 'storage' }]))
    const again = await cluster.start({}, server.port)
    onTestFinished(() => again.stop('SIGQUIT'))
    await eventually(async () => expect(await ready()).toEqual([200, { ready: true }]))
    expect(await stop(service)).toBe(0)
    expect(await query(again.url(), 'SELECT * FROM node WHERE seen_at > 0')).toEqual([])
  })

  it('serves for some seconds after a signal, and ends at once after another one', async () => {
    const CUSTOM_CONNECTION_DATABASE = await newDatabase()
    const service = await serve(temporaryFolder(), [], { env: { ...env, CUSTOM_CONNECTION_DATABASE } })
    service.process.signal('SIGTERM')
    expect(await service.process.line('stderr', line => line.includes('Draining'))).toContain('"seconds":5')
    expect(await (await fetch(`${service.dashboardUrl}/readyz`)).json()).toEqual({
      ready: false,
      reason: 'stopping',
    })
    expect((await rest(service, 'POST', '/connections', { name: 'Late' })).status).toBe(201)
    const again = setInterval(() => service.process.signal('SIGTERM'), 50)
    onTestFinished(() => clearInterval(again))
    expect((await service.process.ended).code).toBe(1)
  })

  it('stops in order while the database is away', async () => {
    const cluster = createCluster()
    onTestFinished(() => cluster.remove())
    const server = await cluster.start()
    onTestFinished(() => server.stop('SIGQUIT'))
    const service = await serveOn(server.url())
    await server.stop('SIGQUIT')
    expect(await stop(service)).toBe(0)
    expect(service.process.output().stderr).toContain('"msg":"Stopped"')
  })

  const missing = missingOf('bash', 'openssl')
  it.skipIf(missing.length > 0)(titled('starts as docs/on-prem.md says', missing), async () => {
    const page = readFileSync(join(projectFolder, 'docs/on-prem.md'), 'utf8')
    const [, script = ''] = /^```sh untested: needs a database\n([\s\S]*?)^```$/m.exec(page) ?? []
    const folder = temporaryFolder()
    const program = join(folder, 'custom-connection')
    const own = [process.execPath, cliEntry].map(path => `'${path}'`).join(' ')
    writeFileSync(program, `#!/bin/sh\nexec ${own} "$@" --port 0 --dashboard-port 0 --json\n`)
    chmodSync(program, 0o755)
    const url = await newDatabase()
    const text = script
      .replace('postgres://connect@db.example.com/connect', url)
      .replace(/^custom-connection/m, 'exec custom-connection')
    const { CUSTOM_CONNECTION_KEY: _key, ...others } = process.env
    const shell = spawn('bash', ['-euo', 'pipefail', '-c', text], {
      cwd: projectFolder,
      env: { ...others, PATH: `${folder}:${process.env.PATH}`, CUSTOM_CONNECTION_DATA: join(folder, 'data') },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void shell.kill('SIGKILL'))
    const [line] = await once(shell.stdout.setEncoding('utf8'), 'data')
    const { dashboardUrl } = ServeLine.parse(JSON.parse(String(line)))
    expect((await fetch(`${dashboardUrl}/readyz`)).status).toBe(200)
    shell.kill('SIGTERM')
    expect(await once(shell, 'close')).toEqual([0, null])
  })

  it('has no sample, and cannot move its listener', async () => {
    const service = await serveOn(await newDatabase())
    for (const [method, path, body, code] of [
      ['POST', '/samples', {}, 'sample_not_available'],
      ['PUT', '/service/listener', { host: '127.0.0.1', port: 0 }, 'listener_fixed'],
    ] as const)
      expect(await rest(service, method, path, body)).toMatchObject({ status: 409, body: { code } })
  })

  it('refuses to start without a key or an admin token, before it looks at the database', async () => {
    const url = 'postgres://nobody@127.0.0.1:1/none'
    for (const [variable, code] of [
      ['CUSTOM_CONNECTION_KEY', 'key_required'],
      ['CUSTOM_CONNECTION_ADMIN_TOKEN', 'admin_token_required'],
    ] as const)
      expect(await refused(url, { [variable]: '' })).toEqual([1, expect.objectContaining({ code })])
  })

  it('refuses a wrong key and a newer schema, and changes nothing', async () => {
    const url = await newDatabase()
    expect(await stop(await serveOn(url))).toBe(0)
    const content = async () => [
      await query(url, 'SELECT * FROM meta'),
      await query(url, 'SELECT * FROM config_head'),
      await query(url, 'SELECT * FROM node WHERE seen_at > 0'),
      await query(url, 'SELECT * FROM lane'),
    ]
    const before = await content()
    const other = await refused(withPassword(url), { CUSTOM_CONNECTION_KEY: 'b2'.repeat(32) })
    expect(other).toEqual([1, expect.objectContaining({ code: 'wrong_key' })])
    expect(await content()).toEqual(before)
    await query(url, 'UPDATE meta SET schema = 1000, oldest_program = 999')
    const changed = await content()
    expect(await refused(url)).toEqual([1, expect.objectContaining({ code: 'newer_database' })])
    expect(await content()).toEqual(changed)
  })

  it.each([
    ['fsync', 'off'],
    ['synchronous_commit', 'off'],
  ])('refuses a database with %s = %s, and writes nothing', async (setting, value) => {
    const cluster = createCluster()
    onTestFinished(() => cluster.remove())
    const server = await cluster.start({ [setting]: value })
    onTestFinished(() => server.stop('SIGQUIT'))
    const [status, answer] = await refused(withPassword(server.url()))
    expect([status, answer]).toEqual([1, expect.objectContaining({ code: 'unsafe_database' })])
    expect(JSON.stringify(answer)).toContain(`${setting} is ${value}`)
    expect(await tablesOf(server.url())).toEqual([])
  })

  it('never shows the password of the database', async () => {
    const wrong = [
      [`postgres://me:${password}@127.0.0.1:1/none`, 'storage_unavailable'],
      [`postgres://me:${password}%zz@127.0.0.1:1/none`, 'storage_unavailable'],
      [`postgres://me:${password}@/none`, 'invalid_database_url'],
      [`postgres://me:${password}/@127.0.0.1:1/none`, 'invalid_database_url'],
      [`postgres://me@127.0.0.1:1/none?password=${password}`, 'storage_unavailable'],
    ] as const
    for (const [url, code] of wrong)
      expect([url, await refused(url)]).toEqual([url, [1, expect.objectContaining({ code })]])
    for (const [url] of wrong) expect(maskDatabaseUrls(`x "${url}" y`)).not.toContain(password)
  })

  it('takes the URL from a file, and warns of a password in the list of processes', async () => {
    const url = await newDatabase()
    const file = join(temporaryFolder(), 'url')
    writeFileSync(file, `${withPassword(url)} \r\n\n`)
    for (const [value, warnings] of [
      [`@${file}`, 0],
      [withPassword(url), 1],
    ] as const) {
      const service = await serve(temporaryFolder(), ['--drain-seconds', '0', '--database', value], { env })
      const { stderr } = service.process.output()
      expect(stderr.match(/The password of the database was given/g) ?? []).toHaveLength(warnings)
      expect(stderr).not.toContain(password)
      await stop(service)
    }
  })
})
