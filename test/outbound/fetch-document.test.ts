import type { RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { LookupFunction } from 'node:net'
import { createSecureContext } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listenOn } from '#main/lib/listen-on.ts'
import { createDocumentFetcher } from '#main/outbound/fetch-document.ts'
import { maxImportBytes } from '#shared/model/import-document.ts'
import { missingOf, titled } from '../support/has-program.ts'
import { serve } from './support.ts'
import { newPair } from './tls-pair.ts'

const document = '{"openapi": "3.1.0"}'

function fetcher(
  options: {
    variables?: Record<string, string>
    ca?: string
    lookup?: LookupFunction
    timeoutMs?: number
  } = {},
) {
  const { variables = {}, ca, ...rest } = options
  const context = ca === undefined ? undefined : createSecureContext({ ca })
  const made = createDocumentFetcher({
    environment: { resolve: name => variables[name] },
    version: '1.2.3',
    trust: { context: () => context },
    ...rest,
  })
  onTestFinished(() => made.close())
  return made
}

/** A server that redirects each path in `to`, and answers any other with the document. */
const redirecting =
  (to: Readonly<Record<string, string>>): RequestListener =>
  (request, response) => {
    const location = to[request.url ?? '']
    if (location === undefined) response.end(document)
    else response.writeHead(302, { Location: location }).end()
  }

describe('a document', () => {
  test('is fetched with its query, and says its size and its address', async () => {
    const { url } = await serve((request, response) =>
      response.end(request.url === '/api.json?v=2' ? document : 'wrong'),
    )
    const found = await fetcher().fetch({ url: `${url}/api.json?v=2#part` })
    expect(found).toMatchObject({ text: document, bytes: document.length })
    expect(found.url).toContain('/api.json?v=2')
  })

  test('may be compressed and in another charset', async () => {
    const { url } = await serve((request, response) => {
      if (request.url === '/latin1')
        response
          .setHeader('Content-Type', 'text/plain; charset=iso-8859-1')
          .end(Buffer.from('title: Café', 'latin1'))
      else response.setHeader('Content-Encoding', 'gzip').end(gzipSync(document))
    })
    expect(await fetcher().fetch({ url: `${url}/gzip` })).toMatchObject({ text: document })
    expect(await fetcher().fetch({ url: `${url}/latin1` })).toMatchObject({ text: 'title: Café' })
  })

  test('is found behind three redirects, but not behind four', async () => {
    const { url } = await serve(redirecting({ '/0': '/1', '/1': '/2', '/2': '/3' }))
    expect(await fetcher().fetch({ url: `${url}/0` })).toMatchObject({ text: document, url: `${url}/3` })
    const { url: longer } = await serve(redirecting({ '/0': '/1', '/1': '/2', '/2': '/3', '/3': '/4' }))
    await expect(fetcher().fetch({ url: `${longer}/0` })).rejects.toMatchObject({
      code: 'source_redirect',
      message: `${new URL(longer).host} redirects more than 3 times.`,
    })
  })
})

describe('a header', () => {
  test('is sent with the value of its variable, which is masked in the document', async () => {
    const { url } = await serve((request, response) => response.end(`key: ${request.headers['x-api-key']}`))
    const { fetch } = fetcher({ variables: { ACME_KEY: 'canary-0123456789' } })
    const found = await fetch({ url, header: { name: 'X-Api-Key', value: '{{ACME_KEY}}' } })
    expect(found.text).toBe('key: ••••')
  })

  test('goes along with a redirect on the same host, but not to another one', async () => {
    const seen: (string | string[] | undefined)[] = []
    const other = await serve((request, response) => {
      seen.push(request.headers.authorization)
      response.end(document)
    })
    const { url } = await serve((request, response) => {
      seen.push(request.headers.authorization)
      const location = request.url === '/0' ? '/1' : other.url
      response.writeHead(307, { Location: location }).end()
    })
    const header = { name: 'Authorization', value: 'Bearer {{TOKEN}}' }
    await fetcher({ variables: { TOKEN: 'canary' } }).fetch({ url: `${url}/0`, header })
    expect(seen).toEqual(['Bearer canary', 'Bearer canary', undefined])
  })

  test('with a variable that is not set sends nothing', async () => {
    const { url, connections } = await serve((_request, response) => response.end(document))
    await expect(
      fetcher().fetch({ url, header: { name: 'X-Key', value: '{{MISSING}}' } }),
    ).rejects.toMatchObject({ code: 'source_header', message: expect.stringContaining('MISSING') })
    expect(connections()).toBe(0)
  })
})

describe('a refusal says what happened', () => {
  test.each([
    [401, undefined, 'answered 401. Add a header.'],
    [403, { name: 'X-Key', value: 'wrong' }, 'answered 403. Check the header.'],
    [404, undefined, 'answered 404. Check the address.'],
    [503, undefined, 'answered 503. Try again later, or paste the document.'],
  ])('when the host answers %s', async (status, header, message) => {
    const { url } = await serve((_request, response) => response.writeHead(status).end('no'))
    await expect(fetcher().fetch({ url, header })).rejects.toMatchObject({
      code: 'source_status',
      status: 502,
      message: `${new URL(url).host} ${message}`,
    })
  })

  test('when nobody listens', async () => {
    const { url, port } = await serve(() => {})
    const closed = url.replace(String(port), '1')
    await expect(fetcher().fetch({ url: closed })).rejects.toMatchObject({ code: 'source_unreachable' })
  })

  test('when the answer is binary', async () => {
    const { url } = await serve((_request, response) => response.end(Buffer.from([0xff, 0xd8, 0xff, 0xe0])))
    await expect(fetcher().fetch({ url })).rejects.toMatchObject({ code: 'source_not_text' })
  })

  test('when the address is one that is never called, also by a redirect or a name', async () => {
    const metadata = 'http://169.254.169.254/latest/meta-data'
    await expect(fetcher().fetch({ url: metadata })).rejects.toMatchObject({ code: 'source_blocked' })
    const { url } = await serve(redirecting({ '/0': metadata, '/1': 'http://metadata.example/' }))
    await expect(fetcher().fetch({ url: `${url}/0` })).rejects.toMatchObject({ code: 'source_blocked' })
    const lookup: LookupFunction = (_name, _options, callback) =>
      callback(null, [{ address: '169.254.169.254', family: 4 }])
    await expect(fetcher({ lookup }).fetch({ url: `${url}/1` })).rejects.toMatchObject({
      code: 'source_blocked',
    })
  })

  test('when it redirects in a circle, to no URL, or to another scheme', async () => {
    const { url } = await serve(
      redirecting({
        '/circle': '/circle',
        '/file': 'file:///etc/passwd',
        '/user': 'http://a:b@host.example/',
      }),
    )
    for (const path of ['/circle', '/file', '/user'])
      await expect(fetcher().fetch({ url: url + path })).rejects.toMatchObject({ code: 'source_redirect' })
  })

  test('when the body is too large, is endless, or grows too large when it is decompressed', async () => {
    const zeros = Buffer.alloc(1024 * 1024)
    const { url } = await serve((request, response) => {
      if (request.url === '/declared') {
        response.writeHead(200, { 'Content-Length': 2 * maxImportBytes })
        response.write('{')
      } else if (request.url === '/bomb')
        response.setHeader('Content-Encoding', 'gzip').end(gzipSync(Buffer.alloc(4 * maxImportBytes)))
      else {
        const more = () => {
          while (!response.destroyed && response.write(zeros));
        }
        response.on('drain', more)
        more()
      }
    })
    for (const path of ['/declared', '/bomb', '/endless'])
      await expect(fetcher().fetch({ url: url + path })).rejects.toMatchObject({ code: 'source_too_large' })
  })

  test('when it drips, or redirects slowly, for longer than the limit in total', async () => {
    const timers = new Set<NodeJS.Timeout>()
    onTestFinished(() => timers.forEach(clearInterval))
    const { url } = await serve((request, response) => {
      if (request.url !== '/drip') return
      timers.add(setInterval(() => response.write(' '), 10))
    })
    const { fetch } = fetcher({ timeoutMs: 200 })
    for (const path of ['/drip', '/silent'])
      await expect(fetch({ url: url + path })).rejects.toMatchObject({ code: 'source_timed_out' })
  })

  test('when more are fetched at once than the memory is meant for', async () => {
    const { url } = await serve(() => {})
    const { fetch } = fetcher({ timeoutMs: 500 })
    const waiting = Array.from({ length: 5 }, () => fetch({ url }).catch(({ code }) => code))
    expect(await Promise.all(waiting)).toEqual([...Array(4).fill('source_timed_out'), 'imports_busy'])
  })
})

const missing = missingOf('openssl')

describe.skipIf(missing.length > 0)(titled('over TLS', missing), () => {
  test('a document is fetched with a private authority, and never by a redirect to http', async () => {
    const pair = newPair('DNS:localhost')
    const plain = await serve((_request, response) => response.end(document))
    const server = createTlsServer(pair, redirecting({ '/down': plain.url }))
    const { port } = await listenOn(server, '127.0.0.1', 0)
    onTestFinished(() => server.closeAllConnections())
    onTestFinished(() => void server.close())
    const url = `https://localhost:${port}`
    await expect(fetcher().fetch({ url })).rejects.toMatchObject({
      code: 'source_unreachable',
      message: expect.stringContaining('self-signed'),
    })
    const { fetch } = fetcher({ ca: pair.cert })
    expect(await fetch({ url })).toMatchObject({ text: document })
    await expect(fetch({ url: `${url}/down` })).rejects.toMatchObject({ code: 'source_redirect' })
    expect(plain.connections()).toBe(0)
  })
})
