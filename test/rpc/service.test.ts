import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listenOn } from '#main/lib/listen-on.ts'
import { openTlsFiles } from '#main/lib/tls-files.ts'
import { version } from '#main/lib/version.ts'
import { createService } from '#main/service.ts'
import { NodeList } from '#shared/model/nodes.ts'
import { ListenerStatus, ServiceInfo } from '#shared/model/service.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { createLogRecorder } from '../support/log-recorder.ts'
import { openRawClient } from '../support/raw-http.ts'
import { createConnection, errorCode, type Rest } from '../support/rest-client.ts'
import { portClient } from '../support/rpc-client.ts'
import { signedRequest } from '../support/sender.ts'
import {
  postInbound,
  type ServiceFixture,
  sharedService,
  startOfTests,
  startService,
} from '../support/service-fixture.ts'

const cleanService = sharedService()

async function infoOf({ rest }: Pick<ServiceFixture, 'rest'>): Promise<ServiceInfo> {
  const { status, body } = await rest('GET', '/service')
  expect(status).toBe(200)
  return ServiceInfo.parse(body)
}

const move = (rest: Rest, host: string, port: number) => rest('PUT', '/service/listener', { host, port })

/** Moves the listener and expects it to be there. */
async function moved(rest: Rest, host: string, port: number): Promise<ListenerStatus & { url: string }> {
  const { status, body, text } = await move(rest, host, port)
  expect(status, text).toBe(200)
  const parsed = ListenerStatus.parse(body)
  return { ...parsed, url: parsed.url ?? '' }
}

/** A service for tests that move its listener. */
const movableService = sharedService()

/** The movable service, its listener at a new port of 127.0.0.1, wherever others have left it. */
async function atNewPort() {
  const fixture = await movableService()
  const { url } = await moved(fixture.rest, '127.0.0.1', 0)
  return { rest: fixture.rest, listenerUrl: url }
}

const portOf = (url: string) => Number(new URL(url).port)

async function accepts(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port })
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** A port that another program listens on. */
async function busyPort(host: string, port = 0): Promise<number> {
  const server = createServer()
  onTestFinished(() => void server.close())
  return (await listenOn(server, host, port)).port
}

describe('the service', () => {
  test('says what it is and where', async () => {
    const fixture = await startService({ service: { publicUrl: 'https://hooks.example.com' } })
    const startedAt = new Date(startOfTests).toISOString()
    expect(await infoOf(fixture)).toEqual({
      version,
      startedAt,
      platform: process.platform,
      dataFolder: fixture.service.machine.folder.path,
      database: null,
      dataKey: 'file',
      publicUrl: 'https://hooks.example.com',
      listener: {
        host: '127.0.0.1',
        port: portOf(fixture.listenerUrl),
        url: fixture.listenerUrl,
        since: startedAt,
        fixedBy: null,
      },
      notices: [],
    })
  })

  test('says where its key comes from', async () => {
    const env = { CUSTOM_CONNECTION_KEY: '7'.repeat(64) }
    const fixture = await startService({ service: { env } })
    expect((await infoOf(fixture)).dataKey).toBe('environment')
  })

  test('says that the configuration is damaged, until the next start', async () => {
    const fixture = await startService()
    await createConnection(fixture.rest, { name: 'Shop' })
    await fixture.stop()
    const file = join(fixture.dataFolder, 'config.json')
    await writeFile(file, (await readFile(file, 'utf8')).replace('"Shop"', '"Shoq"'))
    await fixture.restart()
    expect((await infoOf(fixture)).notices).toEqual([
      expect.stringMatching(/^config\.json is not as the service has written it: /),
    ])
    expect(fixture.log.text()).toContain('damaged_data')
    await fixture.restart()
    expect((await infoOf(fixture)).notices).toEqual([])
  })
})

test('a start that fails late leaves nothing open', async () => {
  const fixture = await startService()
  await createConnection(fixture.rest)
  await fixture.stop()
  const log = join(fixture.dataFolder, 'events.sqlite-wal')
  const failing = createService({
    ...{ dataFolder: fixture.dataFolder, host: '127.0.0.1', port: 0, publicUrl: null, tls: null, env: {} },
    logger: createLogRecorder().logger,
    clock() {
      if (existsSync(log)) throw new Error('out of luck')
      return startOfTests
    },
    random: randomBytes,
    onFolderLost: () => {},
  })
  await expect(failing).rejects.toThrow('out of luck')
  // SQLite removes it with the last connection.
  expect(existsSync(log)).toBe(false)
})

describe('the listener moves', () => {
  test('to another port: events come in there, and no longer at the old one', async () => {
    const fixture = await startService()
    const { rest, listenerUrl, clock } = fixture
    const { connectionId, credentials } = await createConnection(rest, { persistEvents: true })
    clock.now += 5000
    const status = await moved(rest, '127.0.0.1', 0)
    expect(status).toEqual({
      host: '127.0.0.1',
      port: portOf(status.url),
      url: `http://127.0.0.1:${status.port}`,
      since: new Date(clock.now).toISOString(),
      fixedBy: null,
    })
    expect(status.url).not.toBe(listenerUrl)
    expect((await infoOf(fixture)).listener).toEqual(status)
    expect((await infoOf(fixture)).publicUrl).toBe(status.url)
    expect(await accepts('127.0.0.1', portOf(listenerUrl))).toBe(false)

    const { body } = await rest('GET', `/connections/${connectionId}/credentials`)
    const inboundUrl = credentials.inboundUrl.replace(listenerUrl, status.url)
    expect(body).toMatchObject({ inboundUrl })
    expect((await postInbound({ ...credentials, inboundUrl }, '{"event":"a"}')).status).toBe(200)
    expect((await rest('POST', `/connections/${connectionId}/send`, { event: 'b' })).status).toBe(200)
    expect((await rest('GET', `/connections/${connectionId}/events`)).body).toMatchObject({
      events: [{ eventName: 'b' }, { eventName: 'a' }],
    })
    expect((await fetch(`${fixture.dashboardUrl}/healthz`)).status).toBe(200)
  })

  test('to all addresses and back, on the same port', async () => {
    const { rest, listenerUrl } = await atNewPort()
    const port = portOf(listenerUrl)
    const { credentials } = await createConnection(rest)
    for (const host of ['0.0.0.0', '127.0.0.1']) {
      expect(await moved(rest, host, port)).toMatchObject({ host, port, url: `http://127.0.0.1:${port}` })
      expect((await postInbound(credentials, '{"event":"a"}')).status).toBe(200)
    }
  })

  test('to where it is', async () => {
    const { rest, listenerUrl } = await startService()
    const status = await moved(rest, '127.0.0.1', portOf(listenerUrl))
    expect(status).toMatchObject({ url: listenerUrl, since: new Date(startOfTests).toISOString() })
  })

  test.each(['another port', 'all addresses'])(
    'to %s while an event is under way: it is answered, and its connection ends',
    async where => {
      const { rest, listenerUrl } = await atNewPort()
      const { connectionId, credentials } = await createConnection(rest, { persistEvents: true })
      const account = { token: credentials.inboundToken, secret: credentials.signingSecret }
      const { head, body } = signedRequest(account, startOfTests)
      const port = portOf(listenerUrl)
      const sender = await openRawClient({ host: '127.0.0.1', port })
      onTestFinished(() => sender.destroy())
      await sender.write(Buffer.concat([head, body]))
      expect((await sender.read()).status).toBe(200)
      await sender.write(head)
      await moved(
        rest,
        where === 'another port' ? '127.0.0.1' : '0.0.0.0',
        where === 'another port' ? 0 : port,
      )
      expect(sender.isClosed).toBe(false)
      await sender.write(body)
      const answer = await sender.read()
      expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close'])
      expect(await sender.closed()).toBe('')
      const { body: page } = await rest('GET', `/connections/${connectionId}/events`)
      expect(page).toMatchObject({ events: [{}, {}], nextBefore: null })
    },
  )

  test('under load, and every event that was answered 200 is there', async () => {
    const fixture = await startService()
    const { rest, listenerUrl } = fixture
    const { connectionId, credentials } = await createConnection(rest, { persistEvents: true })
    let url = listenerUrl
    let done = false
    let accepted = 0
    async function send(): Promise<void> {
      while (!done) {
        const inboundUrl = credentials.inboundUrl.replace(listenerUrl, url)
        try {
          const { status } = await postInbound({ ...credentials, inboundUrl }, '{"event":"load"}')
          expect(status).toBe(200)
          accepted++
        } catch (error) {
          // It moved away under this sender, which has no answer and tries again.
          if (!(error instanceof TypeError)) throw error
        }
      }
    }
    const senders = [send(), send(), send(), send()]
    const hosts = ['127.0.0.1', '0.0.0.0', '127.0.0.1', '127.0.0.1']
    for (const [index, host] of hosts.entries()) {
      const before = accepted
      await eventually(() => expect(accepted).toBeGreaterThan(before + 10))
      url = (await moved(rest, host, index % 2 === 0 ? 0 : portOf(url))).url
    }
    done = true
    await Promise.all(senders)
    const stored = await fixture.rest('DELETE', `/connections/${connectionId}/events`)
    // An event without an answer may be stored too.
    const { deleted } = JSON.parse(stored.text)
    expect(deleted).toBeGreaterThanOrEqual(accepted)
    expect(fixture.log.lines.filter(({ level }) => level === 'error')).toEqual([])
  })

  test('several times at once: one after another, and at the end it is at one address', async () => {
    const { rest, listenerUrl } = await atNewPort()
    const answers = await Promise.all([0, 0, 0].map(port => moved(rest, '127.0.0.1', port)))
    const ports = [portOf(listenerUrl), ...answers.map(({ port }) => port)]
    expect(new Set(ports).size).toBe(4)
    const open = await Promise.all(ports.map(port => accepts('127.0.0.1', port)))
    expect(open).toEqual([false, false, false, true])
  })

  test('with TLS, too', async () => {
    const files = (name: string) => join(import.meta.dirname, '..', 'cli', 'fixtures', `first.${name}.pem`)
    const tls = openTlsFiles(files('cert'), files('key'), () => {})
    const { rest } = await startService({ service: { tls } })
    const { connectionId } = await createConnection(rest, { persistEvents: true })
    expect((await moved(rest, '127.0.0.1', 0)).url).toMatch(/^https:\/\/127\.0\.0\.1:/)
    const sent = await rest('POST', `/connections/${connectionId}/send`, { event: 'a' })
    expect(sent.body).toMatchObject({ status: 200 })
  })
})

describe('the listener stays where it is', () => {
  async function expectRefusal(
    { rest, listenerUrl }: ServiceFixture,
    [host, port]: [host: string, port: number],
    code: string,
    words: string,
  ): Promise<void> {
    const { credentials } = await createConnection(rest)
    const answer = await move(rest, host, port)
    expect([answer.status, errorCode(answer)]).toEqual([409, code])
    expect(answer.text).toContain(words)
    expect((await infoOf({ rest })).listener).toMatchObject({ host: '127.0.0.1', url: listenerUrl })
    expect((await postInbound(credentials, '{"event":"a"}')).status).toBe(200)
  }

  test('when the port is busy, also after the next start', async () => {
    const fixture = await cleanService()
    const port = await busyPort('127.0.0.1')
    await expectRefusal(fixture, ['127.0.0.1', port], 'port_in_use', `127.0.0.1:${port}`)
    await fixture.restart()
    expect(portOf(fixture.listenerUrl)).not.toBe(port)
  })

  test('when another program has its port at another address', async () => {
    const fixture = await cleanService()
    const port = portOf(fixture.listenerUrl)
    await busyPort('127.0.0.2', port)
    await expectRefusal(fixture, ['0.0.0.0', port], 'port_in_use', `0.0.0.0:${port}`)
  })

  test.each(['192.0.2.1', '2001:db8::1', 'no-such-host.invalid'])(
    'when this computer has no such address (%s)',
    async host => {
      const fixture = await cleanService()
      const port = portOf(fixture.listenerUrl)
      const shown = host.includes(':') ? `[${host}]` : host
      for (const wanted of [0, port])
        await expectRefusal(fixture, [host, wanted], 'address_unavailable', `${shown}:${wanted}`)
    },
  )

  test.each([
    { host: '', port: 1 },
    { host: 'two words', port: 1 },
    { host: 'http://127.0.0.1', port: 1 },
    { host: '127.0.0.1', port: -1 },
    { host: '127.0.0.1', port: 65_536 },
    { host: '127.0.0.1', port: 1.5 },
    { host: '127.0.0.1' },
    {},
  ])('when that is not an address (%o)', async address => {
    const fixture = await cleanService()
    const answer = await fixture.rest('PUT', '/service/listener', address)
    expect([answer.status, errorCode(answer)]).toEqual([400, 'invalid_input'])
    expect((await infoOf(fixture)).listener.url).toBe(fixture.listenerUrl)
  })
})

test('a listener that could not start is nowhere, and can be moved', async () => {
  const port = await busyPort('127.0.0.1')
  const dataFolder = await mkdtemp(join(tmpdir(), 'cc-busy-'))
  const service = await createService({
    dataFolder,
    host: '127.0.0.1',
    port,
    publicUrl: null,
    tls: null,
    env: {},
    logger: createLogRecorder().logger,
    clock: () => startOfTests,
    random: randomBytes,
    onFolderLost: () => {},
  })
  const { client, close } = portClient(service.router)
  onTestFinished(async () => {
    close()
    await service.stop()
    await rm(dataFolder, { recursive: true, force: true })
  })
  await expect(service.start()).rejects.toMatchObject({ code: 'port_in_use' })
  const { credentials } = await client.connections.create({ name: 'Shop' })
  expect(await client.service.get({})).toMatchObject({
    publicUrl: `http://127.0.0.1:${port}`,
    listener: { host: '127.0.0.1', port, url: null, since: null },
  })
  expect(await service.health()).toMatchObject({ ok: false, refused: 'all' })
  const status = await client.service.moveListener({ host: '127.0.0.1', port: 0 })
  expect(await service.health()).toMatchObject({ ok: true })
  const inboundUrl = credentials.inboundUrl.replace(`http://127.0.0.1:${port}`, status.url ?? '')
  expect((await postInbound({ ...credentials, inboundUrl }, '{"event":"a"}')).status).toBe(200)
})

describe('where it was moved to', () => {
  test('is where it listens after the next start', async () => {
    const fixture = await startService()
    const { url, port } = await moved(fixture.rest, '0.0.0.0', 0)
    await fixture.restart()
    const file = await readFile(join(fixture.dataFolder, 'config.json'), 'utf8')
    expect(JSON.parse(file)).toMatchObject({ listener: { host: '0.0.0.0', port } })
    expect(fixture.listenerUrl).toBe(url)
    expect((await infoOf(fixture)).listener).toMatchObject({ host: '0.0.0.0', port, fixedBy: null })
  })

  test.each([
    { host: true, port: true },
    { host: false, port: true },
    { host: true, port: false },
  ])('gives way to what the command line says, which then cannot be changed (%o)', async given => {
    const service: { given?: typeof given; port?: number } = {}
    const fixture = await startService({ service })
    const kept = await moved(fixture.rest, '0.0.0.0', 0)
    service.given = given
    // Any free port could be the one that it just had.
    if (given.port) service.port = await freePort()
    await fixture.restart()
    const { listener } = await infoOf(fixture)
    expect(listener).toMatchObject({ host: given.host ? '127.0.0.1' : '0.0.0.0', fixedBy: 'command line' })
    expect(listener.port).toBe(service.port ?? kept.port)
    const answer = await move(fixture.rest, '127.0.0.1', 0)
    expect([answer.status, errorCode(answer)]).toEqual([409, 'listener_fixed'])
    expect((await infoOf(fixture)).listener).toEqual(listener)

    delete service.given
    delete service.port
    await fixture.restart()
    expect((await infoOf(fixture)).listener.port).toBe(kept.port)
  })
})

test('lists itself as the only node of a data folder, which nobody can forget', async () => {
  const { rest } = await startService({ service: { nodeName: 'cc-1' } })
  const { status, body } = await rest('GET', '/nodes')
  expect(status).toBe(200)
  const nodes = NodeList.parse(body)
  const startedAt = new Date(startOfTests).toISOString()
  expect(nodes).toEqual([
    {
      ...{ nodeId: expect.any(String), slot: 0, name: 'cc-1', version, state: 'ready', isThis: true },
      ...{ startedAt, seenAt: startedAt, silentMs: 0, configVersion: expect.any(Number) },
      ...{ runsUnderWay: 0, heldRuns: 0, eventsPerSecond: 0, clockOffsetMs: null, databaseMs: null },
      ...{ disk: expect.anything(), certificateEndsAt: null },
      hasSameToken: true,
    },
  ])
  const forget = async (nodeId = '') => {
    const answer = await rest('DELETE', `/nodes/${nodeId}`)
    return [answer.status, errorCode(answer)]
  }
  expect(await forget(nodes[0]?.nodeId)).toEqual([409, 'node_not_lost'])
  expect(await forget('node_none')).toEqual([404, 'node_not_found'])
})
