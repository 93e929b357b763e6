import { generateKeyPairSync, type KeyObject, sign, X509Certificate } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createSecureContext } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import type { KeyFetcher } from '#main/inbound/key-store.ts'
import { listenOn } from '#main/lib/listen-on.ts'
import { createKeyFetcher } from '#main/outbound/key-fetcher.ts'
import { Sender } from '#shared/model/sender/sender.ts'
import { serve } from '../outbound/support.ts'
import { newPair } from '../outbound/tls-pair.ts'
import { startOfTests } from '../support/connection-records.ts'
import { eventually } from '../support/eventually.ts'
import { missingOf, titled } from '../support/has-program.ts'
import { type InboundFixture, startInbound } from '../support/inbound-fixture.ts'
import { exchange, openRawClient } from '../support/raw-http.ts'
import { pathOf } from '../support/sender.ts'

const seconds = startOfTests / 1000
const body = '{"event":"paid","data":{"amount":1}}'
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const newKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const [first, second, foreign] = [newKey(), newKey(), newKey()]

function tokenOf(key: KeyObject, kid: string | undefined, payload: object = {}): string {
  const text = `${base64url({ alg: 'RS256', kid })}.${base64url({ exp: seconds + 60, ...payload })}`
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
}

const jwkOf = (kid: string, key: KeyObject) => ({ ...key.export({ format: 'jwk' }), kid, use: 'sig' })

/** An address of keys, which counts how often it is asked. */
async function keysAt(answer: RequestListener) {
  const asked: string[] = []
  const { url } = await serve((request, response) => {
    asked.push(request.url ?? '')
    answer(request, response)
  })
  return { url: `${url}/jwks`, asked }
}

function realFetcher(ca?: string): KeyFetcher {
  const context = ca === undefined ? undefined : createSecureContext({ ca })
  return createKeyFetcher({ version: '1.2.3', trust: { context: () => context } })
}

async function open(sender: object, keyFetcher = realFetcher()): Promise<InboundFixture> {
  const fixture = await startInbound({ ownLog: true, keyFetcher })
  const template = { scheme: 'template', eventName: { path: 'event' }, data: { path: 'data' }, ...sender }
  await fixture.change({ sender: Sender.parse(template) })
  return fixture
}

const withToken = (keysUrl: string, more: object = {}) => ({
  ...{ verify: 'jwt', keysUrl, jwt: { header: 'authorization', algorithm: 'RS256', ...more } },
})

function requestOf({ connection }: InboundFixture, headers: readonly string[], sent = body): Buffer {
  const lines = [`POST ${pathOf(connection.token)} HTTP/1.1`, 'Host: connect.example', ...headers]
  return Buffer.from(`${lines.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(sent)}\r\n\r\n${sent}`)
}

async function post(fixture: InboundFixture, headers: readonly string[], sent = body) {
  const [answer] = await exchange(fixture, [requestOf(fixture, headers, sent)])
  const { error = null } = z.object({ error: z.string().optional() }).parse(JSON.parse(answer?.body ?? '{}'))
  return { status: answer?.status, error, retryAfter: answer?.headers.get('retry-after') ?? null }
}
const bearer = (token: string) => [`Authorization: Bearer ${token}`]
const ok = { status: 200, error: null, retryAfter: null }
const refused = (error: string) => ({ status: 401, error, retryAfter: null })
const unavailable = { status: 503, error: 'keys_unavailable', retryAfter: '60' }

describe('keys of a JWKS', () => {
  test('are fetched once for all requests that wait for them', async () => {
    const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>()
    const { promise: wasAsked, resolve: ask } = Promise.withResolvers<void>()
    const keys = await keysAt((_request, response) => {
      ask()
      void mayAnswer.then(() => response.end(JSON.stringify({ keys: [jwkOf('a', first.publicKey)] })))
    })
    const fixture = await open(withToken(keys.url))
    const clients = await Promise.all(Array.from({ length: 5 }, () => openRawClient(fixture)))
    onTestFinished(() => {
      for (const client of clients) client.destroy()
    })
    const token = tokenOf(first.privateKey, 'a')
    for (const client of clients) await client.write(requestOf(fixture, bearer(token)))
    await wasAsked
    // Others do not wait for them.
    expect((await fixture.post({}, fixture.other)).status).toBe(200)
    answer()
    const answers = await Promise.all(clients.map(client => client.read()))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(keys.asked).toEqual(['/jwks'])
    expect(await post(fixture, bearer(token))).toEqual(ok)
    expect(keys.asked).toHaveLength(1)
  })

  test('follow a rotation, at most once a minute', async () => {
    let known = [jwkOf('a', first.publicKey)]
    const keys = await keysAt((_request, response) => response.end(JSON.stringify({ keys: known })))
    const fixture = await open(withToken(keys.url))
    expect(await post(fixture, bearer(tokenOf(first.privateKey, 'a')))).toEqual(ok)
    known = [jwkOf('b', second.publicKey)]
    const renewed = bearer(tokenOf(second.privateKey, 'b'))
    expect(await post(fixture, renewed)).toEqual(refused('unknown_key'))
    expect(keys.asked).toHaveLength(1)
    fixture.clock.now += 60_000
    expect(await post(fixture, renewed)).toEqual(ok)
    expect(await post(fixture, bearer(tokenOf(first.privateKey, 'a')))).toEqual(refused('unknown_key'))
    expect(await post(fixture, bearer(tokenOf(foreign.privateKey, 'b')))).toEqual(
      refused('invalid_signature'),
    )
    expect(keys.asked).toHaveLength(2)
  })

  test('are kept while their address is away; without any it is 503', async () => {
    let isAway = true
    const keys = await keysAt((_request, response) => {
      if (isAway) response.writeHead(500).end()
      else
        response
          .setHeader('Cache-Control', 'public, max-age=120')
          .end(JSON.stringify({ keys: [jwkOf('a', first.publicKey)] }))
    })
    const fixture = await open(withToken(keys.url))
    const headers = bearer(tokenOf(first.privateKey, 'a', { exp: seconds + 3600 }))
    expect(await post(fixture, headers)).toEqual(unavailable)
    expect(await post(fixture, headers)).toEqual(unavailable)
    expect(keys.asked).toHaveLength(1)
    isAway = false
    fixture.clock.now += 60_000
    expect(await post(fixture, headers)).toEqual(ok)
    isAway = true
    fixture.clock.now += 119_000
    expect(await post(fixture, headers)).toEqual(ok)
    expect(keys.asked).toHaveLength(2)
    fixture.clock.now += 1000
    expect(await post(fixture, headers)).toEqual(ok)
    expect(keys.asked).toHaveLength(3)
  })

  test('are kept, too, while too many others are asked for', async () => {
    const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>()
    onTestFinished(() => answer())
    const asked: string[] = []
    const fetch: KeyFetcher['fetch'] = async url => {
      asked.push(url)
      if (url.includes('slow')) await mayAnswer
      const bytes = Buffer.from(JSON.stringify({ keys: [jwkOf('a', first.publicKey)] }))
      return { bytes, maxAgeMs: 60_000 }
    }
    const fixture = await open(withToken('https://keys.example/jwks'), { fetch, close: () => {} })
    const headers = bearer(tokenOf(first.privateKey, 'a', { exp: seconds + 3600 }))
    expect(await post(fixture, headers)).toEqual(ok)
    fixture.clock.now += 60_000
    const use = (url: string) =>
      fixture.change({
        sender: Sender.parse({ scheme: 'template', ...withToken(url), eventName: { path: 'event' } }),
      })
    for (let index = 0; index < 8; index++) {
      await use(`https://slow.example/${index}`)
      const client = await fixture.open()
      await client.write(requestOf(fixture, headers))
      await eventually(() => expect(asked).toHaveLength(index + 2))
    }
    await use('https://keys.example/jwks')
    expect(await post(fixture, headers)).toEqual(ok)
    expect(asked).toHaveLength(9)
  })

  test.each(['[]', '{"keys":[]}', '{"keys":[{"kty":"oct","k":"AAAA"}]}', 'x', '{"keys":[{"kty":"RSA"}]}'])(
    'that are none, as %s, are refused with 503',
    async text => {
      const keys = await keysAt((_request, response) => response.end(text))
      const fixture = await open(withToken(keys.url))
      expect(await post(fixture, bearer(tokenOf(first.privateKey, 'a')))).toEqual(unavailable)
    },
  )

  test('are not fetched from a blocked address, also not behind a redirect', async () => {
    const blocked = await open(withToken('http://169.254.169.254/jwks'))
    expect(await post(blocked, bearer(tokenOf(first.privateKey, 'a')))).toEqual(unavailable)
    const keys = await keysAt((_request, response) =>
      response.writeHead(302, { Location: 'http://169.254.169.254/jwks' }).end(),
    )
    const fixture = await open(withToken(keys.url))
    expect(await post(fixture, bearer(tokenOf(first.privateKey, 'a')))).toEqual(unavailable)
    expect(keys.asked).toEqual(['/jwks'])
  })

  test('are not fetched for a token that is refused by itself', async () => {
    const keys = await keysAt((_request, response) => response.end('{}'))
    const fixture = await open(withToken(keys.url))
    expect(await post(fixture, bearer('x'))).toEqual(refused('invalid_signature'))
    expect(await post(fixture, bearer(tokenOf(first.privateKey, 'a', { exp: seconds - 400 })))).toEqual(
      refused('token_expired'),
    )
    expect(keys.asked).toEqual([])
  })
})

const missing = missingOf('openssl')
describe.skipIf(missing.length > 0)(titled('the certificate that a message names', missing), () => {
  const address = 'https://sns.eu.amazonaws.com'
  const sender = {
    ...{ verify: 'ecdsa', signatureHeader: 'x-sig', encoding: 'base64', signed: '{{body}}' },
    ...{ certificate: { header: 'x-cert' }, certificateHosts: ['sns.*.amazonaws.com'] },
  }

  /** A fetcher that finds a server of this test at the address, and the certificate and key that it has. */
  async function certificateAt() {
    const pair = newPair('DNS:localhost')
    const asked: string[] = []
    const server = createTlsServer(pair, (request, response) => {
      asked.push(request.url ?? '')
      response.end(pair.cert)
    })
    const { port } = await listenOn(server, '127.0.0.1', 0)
    onTestFinished(() => void server.close())
    const real = realFetcher(pair.cert)
    const fetch: KeyFetcher['fetch'] = (url, follows) =>
      real.fetch(url.replace(address, `https://localhost:${port}`), follows)
    return { pair, asked, fetcher: { fetch, close: real.close } }
  }

  test('verifies what its key has signed, while it is valid', async () => {
    const { pair, asked, fetcher } = await certificateAt()
    const fixture = await open(sender, fetcher)
    fixture.clock.now = Date.now()
    const headersOf = (sent: string) => [
      ...[`x-sig: ${sign('sha256', Buffer.from(sent), pair.key).toString('base64')}`],
      `x-cert: ${address}/cert.pem`,
    ]
    expect(await post(fixture, headersOf(body))).toEqual(ok)
    expect(await post(fixture, headersOf(body), `${body} `)).toEqual(refused('invalid_signature'))
    fixture.clock.now = new X509Certificate(pair.cert).validToDate.getTime() + 1
    expect(await post(fixture, headersOf(body))).toEqual(refused('unknown_key'))
    expect(asked).toEqual(['/cert.pem', '/cert.pem'])
  })

  test('is not fetched from another host, port or scheme', async () => {
    const { asked, fetcher } = await certificateAt()
    const fixture = await open(sender, fetcher)
    const hosts = [
      ...['http://sns.eu.amazonaws.com', 'https://sns.eu.amazonaws.com:444', 'https://sns.amazonaws.com'],
      ...[
        'https://sns.a.b.amazonaws.com',
        'https://sns.eu.amazonaws.com.evil.example',
        'https://evil.example',
      ],
      ...['https://sns.eu.amazonaws.com@evil.example', 'https://me@sns.eu.amazonaws.com', 'x', ''],
      // The first label is the name of a bucket, which can be anybody's.
      ...['https://sns.s3.amazonaws.com', 'https://sns.s3-eu-west-1.amazonaws.com'],
      ...['https://sns.eu.amazonaws.com.', 'https://evil.example/#sns.eu.amazonaws.com'],
    ]
    const signature = Buffer.concat([Buffer.from([0x30]), Buffer.alloc(69)]).toString('base64')
    for (const host of hosts)
      expect(await post(fixture, [`x-sig: ${signature}`, `x-cert: ${host}/c.pem`])).toEqual(
        refused('invalid_signature'),
      )
    expect(await post(fixture, [`x-sig: ${signature}`])).toEqual(refused('missing_signature'))
    expect(asked).toEqual([])
  })

  test.each(['a host', 'a site'])('is fetched from ten addresses of %s in a minute at most', async of => {
    const asked: string[] = []
    const fetch: KeyFetcher['fetch'] = url => {
      asked.push(url)
      return Promise.reject(new Error('There is no such host.'))
    }
    const fixture = await open(sender, { fetch, close: () => {} })
    const signature = Buffer.concat([Buffer.from([0x30]), Buffer.alloc(69)]).toString('base64')
    for (let index = 0; index < 12; index++) {
      const host = of === 'a host' ? 'sns.eu.amazonaws.com' : `sns.eu-${index}.amazonaws.com`
      await post(fixture, [`x-sig: ${signature}`, `x-cert: https://${host}/${index}`])
    }
    expect(asked).toHaveLength(10)
  })
})
