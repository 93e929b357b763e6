import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { jsonOf, runCli } from '../support/cli-process.ts'
import { createConnection, rest, serve, stop, storedEvents, temporaryFolder } from '../support/cli-service.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { importsOf } from '../support/imports-of.ts'
import { noPostgres } from '../support/postgres.ts'
import { newDatabase } from '../support/postgres-database.ts'
import { postInbound } from '../support/service-fixture.ts'
import { workerBundles } from '../support/worker-names.ts'

describe('the bundle', () => {
  it('needs no node_modules: serves, stores, survives kill -9, sends', async () => {
    // Out of reach of this project's node_modules.
    const folder = join(temporaryFolder(), 'elsewhere')
    cpSync(inject('builtFolder'), folder, { recursive: true })
    const main = join(folder, 'main')
    const entry = join(main, 'cli.js')
    const bundle = { entry, cwd: temporaryFolder() }
    expect(readFileSync(entry, 'utf8').split('\n')[0]).toBe('#!/usr/bin/env node')
    if (process.platform !== 'win32') expect(statSync(entry).mode & 0o111).toBe(0o111)
    expect(workerBundles().length).toBeGreaterThan(10)
    for (const name of ['cli.js', ...workerBundles()]) expect(outsideImports(main, name), name).toEqual([])
    expect(outsideImports(main, 'index.js')).toEqual(['electron'])
    // A sandboxed preload can require `electron` and import nothing.
    const preload = readFileSync(join(folder, 'preload/index.cjs'), 'utf8')
    expect([...importsOf('index.cjs', preload)]).toEqual(['electron'])
    expect(preload).not.toMatch(/^import\b|\bimport\(/m)
    const version = await runCli(['--version'], bundle)
    expect(version).toEqual({ code: 0, stdout: `${packageJson.version}\n`, stderr: '' })

    const data = temporaryFolder()
    const first = await serve(data, [], bundle)
    const { connectionId } = await createConnection(first, 'Shop')
    const send = ['send', 'one', '--connection', 'Shop', '--data-folder', data, '--json']
    expect(jsonOf(await runCli(send, bundle))).toMatchObject({ status: 200 })
    // In the worker thread of imports.
    const document = join(folder, 'shop.json')
    writeFileSync(document, JSON.stringify({ connection: { name: 'Imported' }, actions: [] }))
    const imported = await runCli(['import', document, '--data', data, '--dry-run', '--json'], bundle)
    expect(jsonOf(imported)).toMatchObject({ valid: true })
    first.process.signal('SIGKILL')
    await first.process.ended

    const second = await serve(data, [], bundle)
    expect(await storedEvents(second, connectionId)).toHaveLength(1)
    expect((await fetch(`${second.dashboardUrl}/healthz`)).status).toBe(200)
    const page = await (await fetch(second.dashboardUrl)).text()
    const licenses = await fetch(`${second.dashboardUrl}/licenses.txt`)
    expect(licenses.headers.get('content-type')).toMatch(/^text\/plain/)
    expect(await licenses.text()).toContain('SIL OPEN FONT LICENSE')
    const [, script = ''] = /src="(\.\/assets\/[^"]+\.js)"/.exec(page) ?? []
    const text = readFileSync(join(folder, 'renderer', script), 'utf8')
    for (const encoding of ['identity', 'gzip', 'br']) {
      const url = new URL(script, second.dashboardUrl)
      const answer = await fetch(url, { headers: { 'accept-encoding': encoding } })
      expect(answer.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding)
      expect(await answer.text()).toBe(text)
    }
    expect(await stop(second)).toBe(0)
  })
})

const copy = () => {
  const folder = join(temporaryFolder(), 'elsewhere')
  cpSync(inject('builtFolder'), folder, { recursive: true })
  return { main: join(folder, 'main'), entry: join(folder, 'main/cli.js') }
}

describe('the bundle with a receiver of traces', () => {
  const chunksIn = (main: string) => readdirSync(main).filter(name => name.startsWith('otlp-spans-'))

  it('exports spans', async () => {
    const receiver = await startExternalSystem()
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url }
    const service = await serve(temporaryFolder(), [], { entry: copy().entry, cwd: temporaryFolder(), env })
    const { connectionId, credentials } = await createConnection(service, 'Shop')
    const trigger = { type: 'external.event', connectionId, eventName: null }
    const steps = [{ key: 'end', type: 'stop', outcome: 'succeeded' }]
    await rest(service, 'POST', '/workflows', { body: { name: 'W', trigger, steps } })
    expect((await postInbound(credentials, '{"event":"a"}', Date.now())).status).toBe(200)
    expect(await stop(service)).toBe(0)
    expect(receiver.requests.map(({ url }) => url)).toEqual(['/v1/traces'])
  })

  it('loads nothing of it without an endpoint', async () => {
    const { main, entry } = copy()
    const [chunk = '', ...others] = chunksIn(main)
    expect(others).toEqual([])
    // It is not minified.
    expect(statSync(join(main, chunk)).size).toBeLessThan(200_000)
    rmSync(join(main, chunk))
    const service = await serve(temporaryFolder(), [], { entry, cwd: temporaryFolder() })
    await createConnection(service, 'Shop')
    expect(await stop(service)).toBe(0)
  })
})

describe.skipIf(noPostgres !== null)('the bundle with a database', () => {
  it('serves on it without node_modules', async () => {
    const token = 'admin-token-of-the-nodes-0123456789'
    const env = { CUSTOM_CONNECTION_KEY: 'a1'.repeat(32), CUSTOM_CONNECTION_ADMIN_TOKEN: token }
    const bundle = { entry: copy().entry, cwd: temporaryFolder(), env }
    const service = await serve(
      temporaryFolder(),
      ['--drain-seconds', '0', '--database', await newDatabase()],
      bundle,
    )
    await createConnection(service, 'Shop', token)
    expect(await stop(service)).toBe(0)
  })

  it('loads nothing of it for a data folder', async () => {
    const { main, entry } = copy()
    const ofDatabase = readdirSync(main).filter(name =>
      /pg_advisory_xact_lock|idle_in_transaction_session_timeout/.test(
        readFileSync(join(main, name), 'utf8'),
      ),
    )
    expect(ofDatabase.length).toBeGreaterThan(1)
    for (const name of ofDatabase) rmSync(join(main, name))
    const service = await serve(temporaryFolder(), [], { entry, cwd: temporaryFolder() })
    await createConnection(service, 'Shop')
    expect(await stop(service)).toBe(0)
  })
})

describe('the bundle on an older Node', () => {
  const message =
    /This program needs Node 24 or newer, but this is 20\.\d+\.\d+\. Install it, or start the program with its path\./
  const older = ['/usr/bin/node', '/usr/local/bin/node'].find(node => {
    const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' })
    return /^v20\./.test(stdout ?? '')
  })
  const pretend = () => {
    const file = join(temporaryFolder(), 'pretend.cjs')
    writeFileSync(
      file,
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })",
    )
    return [process.execPath, '-r', file]
  }
  const ways: [string, boolean, () => string[]][] = [
    ['one that says so', false, pretend],
    [older ?? 'a real one (skipped: no Node 20 here)', older === undefined, () => [older ?? '']],
  ]
  describe.each(ways)('%s', (_name, isMissing, node) => {
    it
      .skipIf(isMissing)
      .each([
        ['serve'],
        ['list', 'connections'],
        ['send', 'one', '--url', 'http://127.0.0.1:1', '--secret', 'whsec_x'],
        ['--version'],
        ['nothing'],
      ])('says what is wrong: %s', (...args) => {
      const [program = '', ...flags] = node()
      const run = (...more: string[]) =>
        spawnSync(program, [...flags, join(inject('builtFolder'), 'main', 'cli.js'), ...args, ...more], {
          encoding: 'utf8',
        })
      const text = run()
      expect(text).toMatchObject({ status: 1, stdout: '' })
      expect(text.stderr).toMatch(new RegExp(`^unsupported_node: ${message.source}\n$`))
      const json = run('--json')
      expect(json).toMatchObject({ status: 1, stderr: '' })
      expect(jsonOf(json)).toEqual({
        ok: false,
        code: 'unsupported_node',
        message: expect.stringMatching(message),
      })
    })
  })
})

/** Entries share most of their files, and parsing a large one takes a second. */
const parsed = new Map<string, ReadonlySet<string>>()

function importsIn(path: string): ReadonlySet<string> {
  const specifiers = parsed.get(path) ?? importsOf(path, readFileSync(path, 'utf8'))
  parsed.set(path, specifiers)
  return specifiers
}

/** Every module that a bundled file and what it imports ask for, dynamically too, but for their own files and Node's. */
function outsideImports(folder: string, entry: string): string[] {
  const outside = new Set<string>()
  const seen = new Set<string>()
  const follow = (name: string) => {
    if (seen.has(name)) return
    seen.add(name)
    for (const specifier of importsIn(join(folder, name)))
      if (specifier.startsWith('./')) follow(specifier.slice(2))
      // A computed one, which the PDF reader has for the file of its own worker.
      else if (!isBuiltin(specifier) && !specifier.startsWith('<')) outside.add(specifier)
  }
  follow(entry)
  return [...outside]
}
