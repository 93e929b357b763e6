import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readRows } from '#main/storage/local/rows/read-rows.ts'
import { writeRows } from '#main/storage/local/rows/write-rows.ts'
import { connectorTo } from '#main/storage/postgres/connect.ts'
import { migrate } from '#main/storage/postgres/migrate.ts'
import { Pool } from '#main/storage/postgres/pool.ts'
import { RunPage } from '#shared/model/run.ts'
import { goodContents, writeArchiveOf } from '../backup/fixtures.ts'
import { keyNamed } from '../storage/config-fixtures.ts'
import { batchesOf, collect, example } from '../storage/rows-contract.ts'
import { cliEntry } from '../support/cli-entry.ts'
import { jsonOf, projectFolder, runCli, startCli } from '../support/cli-process.ts'
import {
  type CliService,
  createConnection,
  keptToken,
  rest as restOf,
  serve,
  stop,
  storedEvents,
  temporaryFolder,
} from '../support/cli-service.ts'
import { early } from '../support/early.ts'
import { eventually } from '../support/eventually.ts'
import { missingOf, titled } from '../support/has-program.ts'
import { noPostgres } from '../support/postgres.ts'
import { newDatabase, query } from '../support/postgres-database.ts'
import { postInbound } from '../support/service-fixture.ts'

/** The key of the configuration in `example`. */
const key = keyNamed('test').toString('hex')
const env = { CUSTOM_CONNECTION_KEY: key }
const password = 'canary-p4ssw0rd'
const tablesOf = (url: string) =>
  query(url, "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace")
const newFile = () => join(temporaryFolder(), 'backup.tar.gz')
const failed = (table: string) => {
  throw new Error(`A row of ${table} cannot be read.`)
}

/** Runs a command that succeeds. Returns what it prints. */
async function run(args: readonly string[], variables: Record<string, string> = env): Promise<unknown> {
  const result = await runCli([...args, '--json'], { env: variables })
  expect(result, result.stdout + result.stderr).toMatchObject({ code: 0 })
  return jsonOf(result)
}

/** Runs a command that fails. Returns its code and its message. */
async function refused(args: readonly string[], variables: Record<string, string> = env) {
  const result = await runCli([...args, '--json'], { env: variables })
  expect([result.code, result.stderr]).toEqual([1, ''])
  return jsonOf(result)
}

/** A backup of a data folder with rows of every table, with odd texts. */
const exampleBackup = early(async () => {
  const data = join(temporaryFolder(), 'data')
  mkdirSync(data)
  await writeRows(data, batchesOf(example))
  const file = newFile()
  await run(['backup', file, '--data', data])
  return file
})

/** Restores a backup to a new folder. Returns its rows; the records of the configuration are parsed. */
async function rowsIn(file: string) {
  const data = join(temporaryFolder(), 'data')
  // What the command line says is stronger than the environment.
  const nowhere = { CUSTOM_CONNECTION_DATABASE: 'postgres://nobody@127.0.0.1:1/none' }
  await run(['restore', file, '--data', data], { ...env, ...nowhere })
  const { rows } = await collect(readRows(data, failed))
  return { ...rows, config: rows.config?.map(({ part, json }): unknown => [part, JSON.parse(json)]) }
}

const runsOf = async (service: CliService, token: string) =>
  RunPage.parse((await restOf(service, 'GET', '/runs', { token })).body).runs.map(({ status }) => status)

describe.skipIf(noPostgres !== null)('a backup', () => {
  it('of a folder goes to a database, and from it back to a folder, row by row', async () => {
    const file = await exampleBackup()
    const expected = await rowsIn(file)
    expect(Object.keys(expected)).toEqual(Object.keys(example))

    const url = await newDatabase()
    const other = { CUSTOM_CONNECTION_KEY: keyNamed('another').toString('hex') }
    expect(await refused(['restore', file, '--database', url], other)).toMatchObject({ code: 'wrong_key' })
    expect(await tablesOf(url)).toEqual([])
    const withPassword = Object.assign(new URL(url), { password }).href
    const restored = await runCli(['restore', file, '--json'], {
      env: { ...env, CUSTOM_CONNECTION_DATABASE: withPassword },
    })
    expect(restored.stdout + restored.stderr).not.toContain(password)
    expect(jsonOf(restored)).toMatchObject({
      database: expect.stringContaining('[redacted]'),
      setAside: null,
      note: expect.stringContaining('CUSTOM_CONNECTION_ADMIN_TOKEN'),
    })
    const again = newFile()
    expect(await run(['backup', again, '--database', url], {})).toMatchObject({ dataKey: 'environment' })
    expect(await rowsIn(again)).toEqual(expected)
  })

  it('of a service moves it to a database with the same key, and from the running one back', async () => {
    const first = await serve(temporaryFolder())
    const { connectionId, credentials } = await createConnection(first, 'Shop')
    const trigger = { type: 'external.event', connectionId: null, eventName: null }
    const workflow = { name: 'Note', trigger, steps: [{ key: 'tell', type: 'notify', message: '{{id}}' }] }
    expect((await restOf(first, 'POST', '/workflows', { body: workflow })).status).toBe(201)
    const post = async (service: CliService, id: number) => {
      const inboundUrl = new URL(new URL(credentials.inboundUrl).pathname, service.listenerUrl).href
      const body = JSON.stringify({ event: 'order.created', data: { id } })
      expect((await postInbound({ ...credentials, inboundUrl }, body, Date.now())).status).toBe(200)
    }
    const token = keptToken(first.data)
    await post(first, 1)
    await eventually(async () => expect(await runsOf(first, token)).toEqual(['succeeded']))
    const file = newFile()
    await run(['backup', file, '--data', first.data], {})
    const own = readFileSync(join(first.data, 'secret.key'), 'utf8').trim()
    await stop(first)

    const url = await newDatabase()
    const variables = {
      CUSTOM_CONNECTION_DATABASE: url,
      CUSTOM_CONNECTION_KEY: own,
      CUSTOM_CONNECTION_ADMIN_TOKEN: token,
    }
    expect(await refused(['restore', file, '--database', url], {})).toMatchObject({ code: 'key_required' })
    expect(await refused(['restore', file, '--database', url])).toMatchObject({
      code: 'wrong_key',
      message: expect.stringContaining('secret.key'),
    })
    expect(await tablesOf(url)).toEqual([])
    await run(['restore', file], variables)
    const second = await serve(temporaryFolder(), [], { env: variables })
    await post(second, 2)
    await eventually(async () => expect(await runsOf(second, token)).toEqual(['succeeded', 'succeeded']))

    const straight = newFile()
    await run(['backup', straight, '--database', url], {})
    const back = newFile()
    expect(await run(['backup', back, '--data', second.data], {})).toMatchObject({ dataKey: 'environment' })
    expect(readdirSync(second.data).filter(name => name.startsWith('backup'))).toEqual([])
    const listed = [back, straight].map(file => ({ source: 'command', bytes: statSync(file).size, ok: true }))
    expect(await run(['list', 'backups', '--data', second.data])).toMatchObject(listed)
    await stop(second)
    const data = join(temporaryFolder(), 'data')
    await run(['restore', back, '--data', data], {})
    writeFileSync(join(data, 'admin-token'), token)
    const third = await serve(data, [], { env: { CUSTOM_CONNECTION_KEY: own } })
    expect(await run(['list', 'backups', '--data', data])).toMatchObject(listed.slice(1))
    await post(third, 3)
    await eventually(async () => expect(await runsOf(third, token)).toHaveLength(3))
    const events = await storedEvents(third, connectionId)
    expect(events.map(({ dataText }) => dataText)).toEqual(['{"id":3}', '{"id":2}', '{"id":1}'])
  })

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'whose restore gets %s midway leaves the database empty',
    async signal => {
      const file = await exampleBackup()
      const url = await newDatabase()
      const pool = new Pool(connectorTo(url), 1)
      await migrate(pool)
      pool.close()
      const other = new Client(url)
      await other.connect()
      onTestFinished(() => other.end())
      // It waits for one of its last tables.
      await other.query('BEGIN; LOCK TABLE knowledge_passage')
      const temporary = temporaryFolder()
      const args = ['restore', file, '--database', url]
      const restoring = startCli(args, { env: { ...env, TMPDIR: temporary } })
      const waiting = "SELECT FROM pg_locks WHERE relation = 'knowledge_passage'::regclass AND NOT granted"
      await eventually(async () => expect(await query(url, waiting)).toHaveLength(1))
      restoring.signal(signal)
      await restoring.ended
      expect(readdirSync(temporary)).toHaveLength(signal === 'SIGKILL' ? 1 : 0)
      await other.query('ROLLBACK')
      const tables = [
        'event',
        'run',
        'run_step',
        'config_part',
        'occurrence',
        'conversation',
        'knowledge_file',
      ]
      for (const table of tables) {
        // Its connection may end a moment later; until then nobody sees what it has written.
        const { rows } = await other.query(`SELECT count(*)::int AS rows FROM ${table}`)
        expect([table, rows]).toEqual([table, [{ rows: 0 }]])
      }
      await run(args)
    },
  )

  it('is refused by a database that a service has used, which stays as it is', async () => {
    const file = await exampleBackup()
    const url = await newDatabase()
    const serving = { ...env, CUSTOM_CONNECTION_ADMIN_TOKEN: 'x'.repeat(20), CUSTOM_CONNECTION_DATABASE: url }
    const service = await serve(temporaryFolder(), [], { env: serving })
    const content = async () => [
      await query(url, 'SELECT * FROM meta'),
      await query(url, 'SELECT * FROM config_head'),
      await query(url, 'SELECT * FROM config_part'),
      await query(url, 'SELECT count(*) FROM event'),
    ]
    const before = await content()
    const refusal = () => refused(['restore', file, '--database', url, '--force'])
    expect(await refusal()).toMatchObject({ code: 'data_in_use' })
    await stop(service)
    expect(await refusal()).toMatchObject({ code: 'database_not_empty' })
    expect(await content()).toEqual(before)
  })

  it('with a key that a keychain protects goes to no database', async () => {
    const contents = goodContents.map(({ name, text }) => ({ name, bytes: Buffer.from(text) }))
    const wrapped = { name: 'secret.key', bytes: Buffer.from('keychain:v1:x') }
    const [config = wrapped, ...others] = contents
    const file = await writeArchiveOf([config, wrapped, ...others])
    const url = await newDatabase()
    expect(await refused(['restore', file, '--database', url])).toMatchObject({
      code: 'key_in_keychain',
      message: expect.stringContaining('make another backup'),
    })
    expect(await tablesOf(url)).toEqual([])
  })

  it('of a database without data is not made', async () => {
    const url = await newDatabase()
    expect(await refused(['backup', newFile(), '--database', url])).toMatchObject({ code: 'invalid_input' })
    expect(await tablesOf(url)).toEqual([])
  })

  const missing = missingOf('bash', 'tar')
  it.skipIf(missing.length > 0)(titled('moves data as docs/on-prem.md says', missing), async () => {
    const page = readFileSync(join(projectFolder, 'docs/on-prem.md'), 'utf8')
    const scripts = [...page.matchAll(/^```sh untested: needs a database\n([\s\S]*?)^```$/gm)]
    const [there = '', back = ''] = scripts.flatMap(([, text = '']) =>
      text.includes(' restore ') ? text : [],
    )
    const folder = temporaryFolder()
    const first = await serve(join(folder, 'data'))
    await createConnection(first, 'Shop')
    await stop(first)
    const key = readFileSync(join(first.data, 'secret.key'), 'utf8')
    const program = join(folder, 'custom-connection')
    const own = [process.execPath, cliEntry].map(path => `'${path}'`).join(' ')
    writeFileSync(program, `#!/bin/sh\nexec ${own} "$@"\n`)
    chmodSync(program, 0o755)
    const url = await newDatabase()
    const text = `${there}\n${back}`
      .replaceAll('postgres://connect@db.example.com/connect', url)
      .replaceAll('/var/lib/custom-connection', folder)
    const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', text], {
      cwd: folder,
      env: { PATH: `${folder}:${process.env.PATH}` },
      encoding: 'utf8',
    })
    expect([status, stdout.match(/^Restored to .*$/gm)], stderr).toEqual([
      0,
      [expect.anything(), expect.anything()],
    ])
    const last = await serve(first.data, [], { env: { CUSTOM_CONNECTION_KEY: key } })
    expect((await restOf(last, 'GET', '/connections')).body).toMatchObject([{ name: 'Shop' }])
  })
})
