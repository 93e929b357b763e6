import { expect, onTestFinished, test } from 'vitest'
import { createTokenFetcher } from '#main/outbound/token-fetcher.ts'
import type { TokenRequest } from '#main/outbound/tokens.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { waitMs } from '../support/patience.ts'
import { serveRaw } from './support.ts'

function start(timeoutMs = waitMs) {
  const fetcher = createTokenFetcher({ version: '1.2.3', timeoutMs })
  onTestFinished(() => fetcher.close())
  return (url: string, change: Partial<TokenRequest> = {}) =>
    fetcher.fetch({
      tokenUrl: url,
      clientId: 'shop & co',
      secret: 'Secret of: the shop+1',
      clientAuth: 'basic',
      ...change,
    })
}

/** A token server that answers as told. */
const answering = (answer: unknown, status = 200) =>
  startExternalSystem((_request, response) => {
    response.statusCode = status
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer))
  })

test('asks with client credentials, as a Basic header of form-encoded parts', async () => {
  const server = await answering({ access_token: 'a-token', token_type: 'Bearer', expires_in: 60 })
  const given = { scope: 'read write', audience: 'https://api.example.com' }
  expect(await start()(`${server.url}/oauth?tenant=1`, given)).toEqual({ token: 'a-token', lifeMs: 60_000 })
  const [request] = server.requests
  expect(request).toMatchObject({ method: 'POST', url: '/oauth?tenant=1' })
  expect(request?.headers).toMatchObject({
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    authorization: `Basic ${Buffer.from('shop+%26+co:Secret+of%3A+the+shop%2B1').toString('base64')}`,
  })
  expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
    grant_type: 'client_credentials',
    ...given,
  })
})

test('sends the client in the body where the provider wants that', async () => {
  const server = await answering({ access_token: 'a-token' })
  await start()(server.url, { clientAuth: 'body' })
  const [request] = server.requests
  expect(request?.headers.authorization).toBeUndefined()
  expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
    grant_type: 'client_credentials',
    client_id: 'shop & co',
    client_secret: 'Secret of: the shop+1',
  })
})

test.each([
  ['nothing', undefined, 300_000],
  ['a number', 90, 90_000],
  ['a text', '90', 90_000],
  ['a word', 'soon', 300_000],
  ['less than nothing', -5, 0],
  ['an endless time', 1e300, 366 * 24 * 3_600_000],
])('a token lasts as long as %s in expires_in says', async (_what, expires_in, lifeMs) => {
  const server = await answering({ access_token: 'a-token', expires_in })
  expect(await start()(server.url)).toEqual({ token: 'a-token', lifeMs })
})

test.each([
  ['a refusal', 401, { error: 'invalid_client', error_description: 'x' }, 'invalid_client'],
  ['a refusal without JSON', 502, '<html>', null],
  ['a redirect', 302, '', null],
  ['no token', 200, { token_type: 'Bearer' }, null],
  ['an error with 200', 200, { error: 'bad_verification_code' }, 'bad_verification_code'],
  ['a token with a line break', 200, { access_token: 'a\r\nX-Evil: 1' }, null],
  ['an empty token', 200, { access_token: '' }, null],
  ['a token that no header can carry', 200, { access_token: 'a'.repeat(16_001) }, null],
  ['a list', 200, ['a-token'], null],
  ['an error that is not a text', 400, { error: { code: 1 } }, null],
  ['an error with a line break', 400, { error: 'a\nb' }, null],
  ['an error of the secret', 400, { error: 'no Secret of: the shop+1' }, 'no ••••'],
])('%s is a failure with the status and the error of the server', async (_what, status, answer, error) => {
  const server = await answering(answer, status)
  const failure = await start()(server.url)
  expect(failure).toMatchObject({ status, error })
  expect(JSON.stringify(failure)).not.toMatch(/Secret of|X-Evil|error_description/)
  expect(failure).toHaveProperty('message', expect.stringContaining(`answered ${status}`))
})

test('does not follow a redirect, which would take the secret elsewhere', async () => {
  const elsewhere = await answering({ access_token: 'a-token' })
  const server = await startExternalSystem((_request, response) =>
    response.writeHead(307, { location: elsewhere.url }).end(),
  )
  expect(await start()(server.url)).toMatchObject({ status: 307 })
  expect(elsewhere.requests).toEqual([])
})

test('a server without an answer is a failure with the code of a call', async () => {
  const silent = await serveRaw(() => {})
  expect(await start(50)(silent.url)).toMatchObject({ status: null, error: 'timeout' })
  const broken = await serveRaw(socket => socket.destroy())
  expect(await start()(broken.url)).toMatchObject({ status: null, error: 'connection_reset' })
  const blocked = await start()('http://169.254.169.254/token')
  expect(blocked).toMatchObject({ status: null, error: 'blocked_address' })
})

test('an answer beyond the limit is not read', async () => {
  const server = await answering({ access_token: 'a-token', more: 'x'.repeat(400_000) })
  expect(await start()(server.url)).toMatchObject({ status: null, error: 'response_too_large' })
})
