import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAction, testAction } from '../support/actions.ts'
import { missingOf, titled } from '../support/has-program.ts'
import { createConnection, issuePaths } from '../support/rest-client.ts'
import { startService } from '../support/service-fixture.ts'
import { lookupIn, serve, serveRaw, startCaller } from './support.ts'
import { newPair } from './tls-pair.ts'

const missing = missingOf('openssl')

const folder = mkdtempSync(join(tmpdir(), 'cc-outbound-tls-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'

async function serveTls(pair: { cert: string; key: string }) {
  const server = createTlsServer({ ...pair, ALPNProtocols: ['h2', 'http/1.1'] })
  const { port } = await serveRaw(socket => socket.write(answer), { server })
  return port
}

describe.skipIf(missing.length > 0)(titled('TLS', missing), () => {
  test('works with a certificate that is trusted, by name and by address, over HTTP/1.1', async () => {
    const pair = newPair('DNS:localhost,IP:127.0.0.1')
    const port = await serveTls(pair)
    const caller = startCaller({ ca: pair.cert })
    for (const host of ['localhost', '127.0.0.1']) {
      const first = await caller.run(`https://${host}:${port}`)
      expect(first).toMatchObject({ ok: true, result: {} })
      expect(first.timings.tlsMs).toBeGreaterThan(0)
      expect(first.timings.connectMs).toBeGreaterThan(0)
    }
  })

  test('is refused with a certificate for other names, which are told', async () => {
    const pair = newPair('DNS:api.example,DNS:*.other.example')
    const port = await serveTls(pair)
    const outcome = await startCaller({ ca: pair.cert }).run(`https://localhost:${port}`)
    expect(outcome.error).toEqual({
      code: 'tls_error',
      message: `The certificate of localhost:${port} is only valid for api.example, *.other.example.`,
    })
    const named = startCaller({ ca: pair.cert, lookup: lookupIn({ 'api.example': ['127.0.0.1'] }) })
    expect((await named.run(`https://api.example:${port}`)).ok).toBe(true)
  })

  test('is refused with a certificate that nobody vouches for, even where the process allows all', async () => {
    const port = await serveTls(newPair('DNS:localhost'))
    const outcome = await startCaller().run(`https://localhost:${port}`)
    expect(outcome.error).toEqual({
      code: 'tls_error',
      message: `No secure connection to localhost:${port} is possible: its certificate is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT). If you trust it, set its authority’s PEM file in Settings › Limits, or in NODE_EXTRA_CA_CERTS before the service starts.`,
    })
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--no-warnings', join(import.meta.dirname, 'call-once.ts'), `https://localhost:${port}`],
      { env: { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0' } },
    )
    expect(JSON.parse(stdout)).toEqual([{ code: 'tls_error' }])
  })

  test('on a connection that was kept needs no handshake', async () => {
    const pair = newPair('DNS:localhost')
    const port = await serveTls(pair)
    const caller = startCaller({ ca: pair.cert, limits: { connections: 1 } })
    expect((await caller.run(`https://localhost:${port}`)).timings.tlsMs).toBeGreaterThan(0)
    expect((await caller.run(`https://localhost:${port}`)).timings).toMatchObject({
      dnsMs: 0,
      connectMs: 0,
      tlsMs: 0,
    })
  })

  test('to http: instead of https: fails with a hint', async () => {
    const port = await serveTls(newPair('DNS:localhost'))
    const outcome = await startCaller().run(`http://localhost:${port}`)
    expect(['network_error', 'connection_reset']).toContain(outcome.error?.code)
  })
})

describe.skipIf(missing.length > 0)(titled('the file of certificate authorities', missing), () => {
  test('is trusted as soon as it is set, over a restart, and no longer once it is taken out', async () => {
    const pair = newPair('DNS:localhost')
    const file = join(folder, 'authority.pem')
    writeFileSync(file, `A remark before it.\n${pair.cert}`)
    const port = await serveTls(pair)
    const service = await startService()
    const { rest } = service
    const { connectionId } = await createConnection(rest, { baseUrl: `https://localhost:${port}` })
    const { actionId } = await createAction(rest, connectionId)
    const run = async () => (await testAction(rest, { connectionId, actionId })).error?.code ?? 'ok'
    const probe = async () => {
      const given = { publicBaseUrl: `https://localhost:${port}` }
      return z
        .object({ code: z.string() })
        .parse((await rest('POST', '/workspaces/default/probe', given)).body).code
    }
    expect([await run(), await probe()]).toEqual(['tls_error', 'tls_error'])
    expect((await rest('PATCH', '/settings', { caFile: file })).body).toMatchObject({ caFile: file })
    expect([await run(), await probe()]).toEqual(['ok', 'other_server'])
    await service.restart()
    expect(await run()).toBe('ok')
    rmSync(file)
    await service.restart()
    expect(await run()).toBe('tls_error')
    expect(service.log.text()).toContain(file)
    writeFileSync(file, pair.cert)
    await rest('PATCH', '/settings', { caFile: file })
    await rest('PATCH', '/settings', { caFile: null })
    await expect.poll(run, { interval: 300 }).toBe('tls_error')
  })

  test('is refused with the reason when it is missing, a folder, endless or not PEM, and the old one stays', async () => {
    const { rest } = await startService()
    const damaged = join(folder, 'damaged.pem')
    const other = join(folder, 'other.pem')
    writeFileSync(damaged, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n')
    writeFileSync(other, 'not a certificate')
    for (const [caFile, says] of [
      [join(folder, 'nowhere.pem'), 'cannot be read'],
      [folder, 'must be a file'],
      [process.platform === 'linux' ? '/proc/self/maps' : folder, 'must be a file'],
      [other, 'no PEM certificate'],
      [damaged, 'a certificate that cannot be read'],
    ]) {
      const answer = await rest('PATCH', '/settings', { caFile })
      expect([answer.status, issuePaths(answer)]).toEqual([400, ['caFile']])
      expect(answer.text).toContain(says)
    }
    expect((await rest('GET', '/settings')).body).toMatchObject({ caFile: null })
  })
})

test('a port without TLS is named as such', async () => {
  const { port } = await serve((_request, response) => response.end())
  const outcome = await startCaller().run(`https://127.0.0.1:${port}`)
  expect(outcome.error).toEqual({
    code: 'tls_error',
    message: `127.0.0.1:${port} does not use TLS. Should the base URL start with http: instead of https:?`,
  })
})

test('a port that closes during the handshake is a TLS error', async () => {
  const server = createTcpServer(socket => socket.once('data', () => socket.end()))
  const { port } = await serveRaw(() => {}, { server })
  const outcome = await startCaller().run(`https://127.0.0.1:${port}`)
  expect(outcome.error?.code).toBe('tls_error')
})

test('a port that never answers the handshake runs into the time limit for connecting', async () => {
  const { port } = await serveRaw(() => {})
  const outcome = await startCaller({ limits: { connectTimeoutMs: 150 } }).run(`https://127.0.0.1:${port}`)
  expect(outcome.error).toMatchObject({
    code: 'timeout',
    message: expect.stringContaining('no connection within 0.15 s'),
  })
})
