import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openDataFolder } from '#main/storage/local/data-folder.ts'
import { openSqliteEventLog } from '#main/storage/local/sqlite/sqlite-event-log.ts'
import { createAction } from '../support/actions.ts'
import { runCliHere } from '../support/cli-here.ts'
import { type CliProcess, jsonOf, runCli, startCli } from '../support/cli-process.ts'
import { type CliService, keptToken, serve, stop, temporaryFolder } from '../support/cli-service.ts'
import { early } from '../support/early.ts'
import { eventually } from '../support/eventually.ts'
import { type CreatedConnection, createConnection, createRest, type Rest } from '../support/rest-client.ts'
import { postInbound } from '../support/service-fixture.ts'

const Page = z.object({
  events: z.array(z.object({ eventId: z.string(), data: z.object({ n: z.int() }), receivedAt: z.string() })),
  nextBefore: z.string().nullable(),
})
type StoredEvent = z.infer<typeof Page>['events'][number]

const backUp = (file: string, data: string, ...args: string[]) =>
  runCliHere(['backup', file, '--data', data, '--json', ...args])
const restore = (file: string, data: string, ...args: string[]) =>
  runCliHere(['restore', file, '--data', data, '--json', ...args])
const restOf = (service: CliService) => createRest(() => service.dashboardUrl, keptToken(service.data))

async function allEvents(rest: Rest, connectionId: string): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  for (let before: string | null = ''; before !== null; ) {
    const query = before === '' ? '' : `&before=${before}`
    const page = Page.parse((await rest('GET', `/connections/${connectionId}/events?limit=200${query}`)).body)
    events.push(...page.events)
    before = page.nextBefore
  }
  return events
}

const numbers = (events: StoredEvent[]) => events.map(event => event.data.n).sort((a, b) => a - b)

/** Everything that REST shows of a service's configuration, secrets included. */
async function configurationOf(rest: Rest, connectionId: string) {
  const connection = `/connections/${connectionId}`
  const paths = ['/workspaces', '/connections', '/settings', '/environment', '/tools', connection]
  const below = ['actions', 'event-types', 'credentials'].map(name => `${connection}/${name}`)
  const answers = await Promise.all([...paths, ...below].map(path => rest('GET', path)))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  return JSON.stringify(answers.map(({ body }) => body)).replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'listener')
}

describe('a backup of a running service', () => {
  it('made while events pour in, restored elsewhere, is the same service', async () => {
    const first = await serve(temporaryFolder())
    const rest = restOf(first)
    const { connectionId, credentials } = await createConnection(rest, {
      persistEvents: true,
      baseUrl: 'https://api.example.com/v2',
    })
    await createAction(rest, connectionId, { headers: { Authorization: 'Bearer {{SHOP_KEY}}' } })
    await rest('POST', `/connections/${connectionId}/event-types`, { eventName: 'order.created' })
    await rest('PUT', '/environment/SHOP_KEY', { value: 'environment-value' })
    await rest('POST', '/workspaces', { name: 'Team' })
    await rest('POST', `/connections/${connectionId}/rotate-secret`, { graceHours: 24 })
    const configuration = await configurationOf(rest, connectionId)

    const pouring = pour(credentials)
    await expect.poll(() => pouring.acknowledged.length).toBeGreaterThan(200)
    const before = [...pouring.acknowledged]
    const file = join(temporaryFolder(), 'backup.tar.gz')
    const made = await backUp(file, first.data)
    const after = await pouring.stop()
    expect(made, made.stderr).toMatchObject({ code: 0, stderr: '' })
    expect(jsonOf(made)).toMatchObject({ file, bytes: statSync(file).size, dataKey: 'file' })
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
    const stored = await allEvents(rest, connectionId)
    expect(numbers(stored)).toEqual(after.toSorted((a, b) => a - b))

    const data = join(temporaryFolder(), 'data')
    const unpacked = await restore(file, data)
    expect(unpacked.code, unpacked.stderr).toBe(0)
    expect(jsonOf(unpacked)).toMatchObject({ dataFolder: data, setAside: null, note: null })
    const second = await serve(data)
    expect(keptToken(second.data)).toBe(keptToken(first.data))
    const restoredRest = restOf(second)
    expect(await configurationOf(restoredRest, connectionId)).toBe(configuration)
    const restored = await allEvents(restoredRest, connectionId)
    // All that was answered 200 before it began, and nothing that the first does not have.
    expect(numbers(restored)).toEqual(expect.arrayContaining(before))
    expect(stored).toEqual(expect.arrayContaining(restored))
    const found = await restoredRest('GET', `/connections/${connectionId}/events?text=%22n%22:17%7D`)
    expect(numbers(Page.parse(found.body).events)).toEqual([17])

    // Signed with the secret of before the rotation, in its grace.
    const inboundUrl = credentials.inboundUrl.replace(first.listenerUrl, second.listenerUrl)
    const late = await postInbound({ ...credentials, inboundUrl }, body(100_000), Date.now())
    expect(late.status).toBe(200)
    expect((await allEvents(restoredRest, connectionId))[0]).toMatchObject({ data: { n: 100_000 } })
    expect(await stop(second)).toBe(0)
    expect(await stop(first)).toBe(0)
  })

  it('leaves out a key that is given by the environment, and says so', async () => {
    const key = { env: { CUSTOM_CONNECTION_KEY: randomBytes(32).toString('hex') } }
    const first = await serve(temporaryFolder(), [], key)
    const { connectionId, credentials } = await createConnection(restOf(first))
    const file = join(temporaryFolder(), 'backup.tar.gz')
    const made = await runCliHere(['backup', file, '--data', first.data])
    expect(made.stdout).toMatch(/^Written to .*backup\.tar\.gz and verified: \d+ bytes, as of .*\.\n$/)
    expect(made.stderr).toContain('which is in CUSTOM_CONNECTION_KEY')
    await stop(first)

    const data = join(temporaryFolder(), 'data')
    const unpacked = await runCliHere(['restore', file, '--data', data])
    expect(unpacked.stdout).toMatch(/^Restored to .*data: the backup of .*, made by version .*\.\n$/)
    expect(unpacked.stderr).toContain('Start the service with the same CUSTOM_CONNECTION_KEY')
    expect(
      jsonOf(await runCli(['serve', '--data', data, '--port', '0', '--dashboard-port', '0', '--json'])),
    ).toMatchObject({
      code: 'wrong_key',
    })
    const second = await serve(data, [], key)
    const again = await restOf(second)('GET', `/connections/${connectionId}/credentials`)
    expect(again.body).toMatchObject({ signingSecret: credentials.signingSecret })
  })
})

describe('a backup without a service', () => {
  it('has what a service that was killed had acknowledged, and lets the next one start', async () => {
    const first = await serve(temporaryFolder())
    const { connectionId, credentials } = await createConnection(restOf(first), { persistEvents: true })
    for (const n of [1, 2, 3]) expect((await postInbound(credentials, body(n), Date.now())).status).toBe(200)
    first.process.signal('SIGKILL')
    await first.process.ended
    const file = join(temporaryFolder(), 'backup.tar.gz')
    expect((await backUp(file, first.data)).code).toBe(0)

    const replaced = await restore(file, first.data, '--force')
    expect(replaced.code, replaced.stderr).toBe(0)
    const { setAside } = z.object({ setAside: z.string() }).parse(jsonOf(replaced))
    expect(existsSync(join(setAside, 'config.json'))).toBe(true)
    const second = await serve(first.data)
    expect(numbers(await allEvents(restOf(second), connectionId))).toEqual([1, 2, 3])
  })

  it('is in the list of backups, as is one by the running service, once each', async () => {
    const service = await serve(temporaryFolder())
    const list = async (...args: string[]) => runCliHere(['list', 'backups', '--data', service.data, ...args])
    expect(await list()).toEqual({ code: 0, stdout: '', stderr: 'No backups are known yet.\n' })
    const folder = temporaryFolder()
    expect((await backUp(join(folder, 'running.tar.gz'), service.data)).code).toBe(0)
    await stop(service)
    expect((await backUp(join(folder, 'stopped.tar.gz'), service.data)).code).toBe(0)
    const again = await serve(service.data)
    const entryOf = (label: string) => {
      const { size: bytes } = statSync(join(folder, label))
      return { at: expect.any(String), bytes, source: 'command', label, ok: true, error: null }
    }
    expect(jsonOf(await list('--json'))).toEqual([entryOf('stopped.tar.gz'), entryOf('running.tar.gz')])
    expect((await list()).stdout.split('\n')).toEqual([
      expect.stringMatching(/^AT +RESULT {2}MADE BY {2}BYTES +LABEL +ERROR$/),
      expect.stringMatching(/^2.*Z {2}ok +command +\d+ +stopped\.tar\.gz +-$/),
      expect.stringMatching(/^2.*Z {2}ok +command +\d+ +running\.tar\.gz +-$/),
      '',
    ])
    await stop(again)
  })

  it('is complete where the history cannot be written, and says that it is not in the list', async () => {
    const service = await serve(temporaryFolder())
    await stop(service)
    const history = new DatabaseSync(join(service.data, 'history.sqlite'))
    history.exec('PRAGMA user_version = 1')
    history.close()
    const made = await runCliHere(['backup', join(temporaryFolder(), 'b.tar.gz'), '--data', service.data])
    expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('and verified') })
    expect(made.stderr).toContain('The backup is not in the list of backups: another version')
  })

  it('is refused where there is no data folder, which is not created', async () => {
    const data = join(temporaryFolder(), 'none')
    const made = await backUp(join(temporaryFolder(), 'backup.tar.gz'), data)
    expect(made.code).toBe(1)
    expect(jsonOf(made)).toMatchObject({ code: 'invalid_input', message: expect.stringContaining(data) })
    expect(existsSync(data)).toBe(false)
  })

  it('is refused while another process holds the folder and does not answer', async () => {
    const data = temporaryFolder()
    writeFileSync(join(data, 'config.json'), '{}')
    const folder = await openDataFolder(data)
    const made = await backUp(join(temporaryFolder(), 'backup.tar.gz'), data)
    await folder.close()
    expect([made.code, jsonOf(made)]).toMatchObject([1, { code: 'data_folder_in_use' }])
  })
})

describe('what is there already', () => {
  it('is not overwritten: neither a file by a backup nor a folder by a restore, in use or not', async () => {
    const service = await serve(temporaryFolder())
    const folder = temporaryFolder()
    const file = join(folder, 'backup.tar.gz')
    expect((await backUp(file, service.data)).code).toBe(0)
    const again = await backUp(file, service.data)
    expect([again.code, jsonOf(again)]).toMatchObject([1, { code: 'file_exists' }])
    expect((await backUp(file, service.data, '--force')).code).toBe(0)
    expect(readdirSync(folder)).toEqual(['backup.tar.gz'])

    const inUse = await restore(file, service.data, '--force')
    expect([inUse.code, jsonOf(inUse)]).toMatchObject([1, { code: 'data_folder_in_use' }])
    expect((await fetch(`${service.dashboardUrl}/healthz`)).status).toBe(200)
    await stop(service)
    const notEmpty = await restore(file, service.data)
    expect([notEmpty.code, jsonOf(notEmpty)]).toMatchObject([1, { code: 'data_folder_not_empty' }])
    writeFileSync(file, 'something else')
    const damaged = await restore(file, service.data, '--force')
    expect([damaged.code, jsonOf(damaged)]).toMatchObject([1, { code: 'damaged_backup' }])
    expect(await stop(await serve(service.data))).toBe(0)
  })
})

/** A service that was told to stop, which takes five seconds. */
const stoppedDuringBackup = early(async () => {
  const started = await startLargeBackup()
  started.service.process.signal('SIGTERM')
  return started
})

describe('a backup that does not come to its end', () => {
  it('leaves no file when the service is killed, which starts again and has kept no copies', async () => {
    const { service, folder, backup } = await startLargeBackup()
    service.process.signal('SIGKILL')
    await service.process.ended
    backup.signal('SIGCONT')
    const { code, stdout } = await backup.ended
    expect([code, JSON.parse(stdout)]).toMatchObject([
      1,
      { code: 'service_not_running', message: expect.stringContaining('nothing was written') },
    ])
    expect(readdirSync(folder)).toEqual([])
    expect(copiesIn(service.data)).toHaveLength(1)
    const second = await serve(service.data)
    expect(copiesIn(service.data)).toEqual([])
    expect(await stop(second)).toBe(0)
  })

  it('leaves a file of another name when it is killed itself, and the service goes on without copies', async () => {
    const { service, folder, backup } = await startLargeBackup()
    backup.signal('SIGKILL')
    await backup.ended
    expect(readdirSync(folder)).toEqual([unfinished])
    await expect.poll(() => copiesIn(service.data)).toEqual([])
    expect((await backUp(join(folder, 'backup.tar.gz'), service.data)).code).toBe(0)
  })

  it('leaves nothing when it is told to stop', async () => {
    const { folder, backup } = await startLargeBackup()
    backup.signal('SIGTERM')
    backup.signal('SIGCONT')
    expect(await backup.ended).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'paused\nInterrupted. Nothing was written.\n',
    })
    expect(readdirSync(folder)).toEqual([])
  })

  it('does not hold up a service that is stopped', async () => {
    const { service, backup } = await stoppedDuringBackup()
    expect((await service.process.ended).code).toBe(0)
    expect(copiesIn(service.data)).toEqual([])
    backup.signal('SIGCONT')
    expect((await backup.ended).code).toBe(1)
  })
})

const copiesIn = (data: string) => readdirSync(data).filter(name => name.startsWith('backup.tmp'))
const body = (n: number) => `{"event":"order.created","data":{"n":${n}}}`

type Pouring = {
  /** Numbers of the events that were answered 200, in that order. */
  readonly acknowledged: readonly number[]
  /** Lets what is under way be answered. @returns the numbers of all. */
  stop(): Promise<number[]>
}

/** Sends one event after another, four at a time. */
function pour(credentials: CreatedConnection['credentials']): Pouring {
  const acknowledged: number[] = []
  let next = 0
  let stopped = false
  const senders = [1, 2, 3, 4].map(async () => {
    while (!stopped) {
      const n = next++
      const { status } = await postInbound(credentials, body(n), Date.now())
      if (status !== 200) throw new Error(`Event ${n} was answered ${status}.`)
      acknowledged.push(n)
    }
  })
  const ended = Promise.all(senders)
  // A test that ends before it stops them takes their service away.
  ended.catch(() => {})
  return {
    acknowledged,
    async stop() {
      stopped = true
      await ended
      return [...acknowledged]
    },
  }
}

/** A service with a log too large for what is buffered on the way, and a backup paused when its file is there. */
async function startLargeBackup(): Promise<{ service: CliService; folder: string; backup: CliProcess }> {
  const data = join(temporaryFolder(), 'data')
  mkdirSync(data)
  const file = join(data, 'events.sqlite')
  await (await openSqliteEventLog({ file })).close()
  const database = new DatabaseSync(file)
  database.exec("INSERT INTO events VALUES (0, 0, 'filling', 0, 0, NULL, '', randomblob(8000000), NULL)")
  database.close()
  const service = await serve(data)
  const folder = temporaryFolder()
  const backup = startCli(['backup', join(folder, 'backup.tar.gz'), '--data', data, '--json'], {
    env: { NODE_OPTIONS: `--import ${preload}` },
  })
  await backup.line('stderr', line => line === 'paused')
  // It says so right before it stops; what comes in between would be lost on it.
  await eventually(() => expect(stateOf(backup.pid)).toMatch(/^T/))
  expect(readdirSync(folder)).toEqual([unfinished])
  return { service, folder, backup }
}

/** Returns the state of a process, as `ps` names it: T when it is stopped. */
function stateOf(pid: number): string {
  if (process.platform === 'linux') return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? ''
  return spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim()
}

const unfinished = expect.stringMatching(/^backup\.tar\.gz\.[0-9a-f]{8}\.part$/)
const preload = pathToFileURL(join(import.meta.dirname, 'pause-writing.ts')).href
