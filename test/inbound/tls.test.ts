import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ListenerTimeouts } from '#main/inbound/listener.ts'
import { openTlsFiles } from '#main/lib/tls-files.ts'
import type { ServiceError } from '#shared/errors.ts'
import type { Settings } from '#shared/model/settings.ts'
import { eventually } from '../support/eventually.ts'
import { missingOf, titled } from '../support/has-program.ts'
import { startInbound } from '../support/inbound-fixture.ts'
import { openRawClient } from '../support/raw-http.ts'
import { signedRequest } from '../support/sender.ts'

const missing = missingOf('openssl')

type Pair = { readonly cert: string; readonly key: string }

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cc-tls-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A self-signed certificate for localhost. */
function newPair(folder: string, name: string): Pair {
  const key = join(folder, `${name}.key`)
  const cert = join(folder, `${name}.crt`)
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  execFileSync('openssl', ['req', '-x509', ...kind, ...subject, '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  })
  return { cert, key }
}

const certOf = (pair: Pair) => readFileSync(pair.cert, 'utf8')

/** A channel that speaks TLS with this certificate, from files that may be replaced. */
async function startTls(
  pair: Pair,
  timeouts: Partial<ListenerTimeouts> = {},
  settings: Partial<Settings> = {},
) {
  const problems: ServiceError[] = []
  const tls = openTlsFiles(pair.cert, pair.key, problem => problems.push(problem), 20)
  onTestFinished(() => tls.close())
  const fixture = await startInbound({ tls, timeouts, settings })
  return { fixture, problems }
}

describe.skipIf(missing.length > 0)(titled('TLS', missing), () => {
  test('events are received, and refused, as without', async () => {
    const pair = newPair(await newFolder(), 'a')
    const { fixture } = await startTls(pair)
    const client = await openRawClient(fixture, { ca: certOf(pair) })
    onTestFinished(() => client.destroy())
    const request = (options = {}) => signedRequest(fixture.connection, fixture.clock.now, options)
    await client.write(
      Buffer.concat([request().bytes, request({ signedBody: '' }).bytes, request({ body: '{}' }).bytes]),
    )
    const statuses = [await client.read(), await client.read(), await client.read()].map(
      ({ status }) => status,
    )
    expect(statuses).toEqual([200, 401, 400])
    await client.write('nonsense\r\n\r\n')
    expect((await client.read()).status).toBe(400)
    expect(await client.closed()).toBe('')
    expect(fixture.triggers).toHaveLength(1)
  })

  test('certificate files that are replaced are used for new connections, while open ones go on', async () => {
    const folder = await newFolder()
    const [pair, renewed] = [newPair(folder, 'a'), newPair(folder, 'b')]
    const { fixture } = await startTls(pair)
    const [oldCa, newCa] = [certOf(pair), certOf(renewed)]
    const open = await openRawClient(fixture, { ca: oldCa })
    onTestFinished(() => open.destroy())
    await expect(openRawClient(fixture, { ca: newCa })).rejects.toMatchObject({
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    })

    await rename(renewed.key, pair.key)
    await rename(renewed.cert, pair.cert)
    const client = await eventually(() => openRawClient(fixture, { ca: newCa }))
    onTestFinished(() => client.destroy())
    for (const sender of [client, open]) {
      await sender.write(signedRequest(fixture.connection, fixture.clock.now).bytes)
      expect((await sender.read()).status).toBe(200)
    }
  })

  test('files that cannot be used leave the ones before in use, and are reported', async () => {
    const pair = newPair(await newFolder(), 'a')
    const ca = certOf(pair)
    const { fixture, problems } = await startTls(pair)
    await writeFile(pair.cert, 'no certificate')
    await eventually(() => expect(problems).not.toEqual([]))
    expect(problems[0]?.code).toBe('invalid_certificate')
    const client = await openRawClient(fixture, { ca })
    onTestFinished(() => client.destroy())
    await client.write(signedRequest(fixture.connection, fixture.clock.now).bytes)
    expect((await client.read()).status).toBe(200)
  })

  test('files that are still empty, because they are being written, leave the ones before in use', async () => {
    const pair = newPair(await newFolder(), 'a')
    const ca = certOf(pair)
    const { fixture, problems } = await startTls(pair)
    for (const file of [pair.cert, pair.key]) {
      problems.length = 0
      await writeFile(file, '')
      await eventually(() => expect(problems).not.toEqual([]))
      const client = await openRawClient(fixture, { ca })
      client.destroy()
    }
    expect(() => openTlsFiles(pair.cert, pair.key, () => {})).toThrowError('is empty')
  })

  test('connections that never end their handshake count, make room, and end with the listener', async () => {
    const pair = newPair(await newFolder(), 'a')
    // Their handshake does not time out while the test runs.
    const timeouts = { headers: 60_000, request: 60_000, stopGrace: 50 }
    const { fixture } = await startTls(pair, timeouts, { maxConnections: 16 })
    const crowd: Socket[] = []
    for (let count = 0; count < 24; count++) {
      fixture.clock.now += 1
      const socket = connect(fixture.port, fixture.host)
      socket.on('error', () => {})
      onTestFinished(() => void socket.destroy())
      await once(socket, 'connect')
      socket.write(Buffer.from('1603010200010001fc', 'hex'))
      crowd.push(socket)
    }
    fixture.clock.now += 1
    const client = await openRawClient(fixture, { ca: certOf(pair) })
    onTestFinished(() => client.destroy())
    await client.write(signedRequest(fixture.connection, fixture.clock.now).bytes)
    expect((await client.read()).status).toBe(200)
    await eventually(() => expect(crowd.filter(({ closed }) => closed)).toHaveLength(9))
    await fixture.stop()
    await eventually(() => expect(crowd.every(({ closed }) => closed)).toBe(true))
  })

  test('an end does not wait for connections on which nothing has come yet', async () => {
    const pair = newPair(await newFolder(), 'a')
    const { fixture } = await startTls(pair, { stopGrace: 60_000 })
    const unused = await openRawClient(fixture, { ca: certOf(pair) })
    // Those that were opened before it are known to the listener by now.
    const client = await openRawClient(fixture, { ca: certOf(pair) })
    await client.write(signedRequest(fixture.connection, fixture.clock.now).bytes)
    await client.read()
    await fixture.stop()
    expect(await unused.closed()).toBe('')
  })

  test.each([
    ['plain HTTP', 'POST / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['nonsense', '\0\0\0\0'],
    ['half a greeting', Buffer.from('1603010200010001fc', 'hex')],
    ['nothing', ''],
  ])('a sender of %s is closed, and others are served', async (_name, bytes) => {
    const pair = newPair(await newFolder(), 'a')
    const { fixture } = await startTls(pair, { headers: 300 })
    const socket = connect({ host: fixture.host, port: fixture.port, allowHalfOpen: true })
    onTestFinished(() => void socket.destroy())
    const ended = new Promise<void>(resolve => {
      socket
        .on('close', () => resolve())
        .on('end', () => resolve())
        .on('error', () => resolve())
    })
    socket.resume()
    socket.write(bytes)
    await ended
    const client = await openRawClient(fixture, { ca: certOf(pair) })
    onTestFinished(() => client.destroy())
    expect(client.socket).toBeInstanceOf(TLSSocket)
    await client.write(signedRequest(fixture.connection, fixture.clock.now).bytes)
    expect((await client.read()).status).toBe(200)
    expect(fixture.errors).toEqual([])
  })
})
