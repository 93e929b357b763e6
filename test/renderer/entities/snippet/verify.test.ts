import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listenOn } from '#main/lib/listen-on.ts'
import { Method } from '#shared/model/method.ts'
import { hmacHex } from '../../../signing/sender.ts'
import { createAction, testAction } from '../../../support/actions.ts'
import { createConnection } from '../../../support/rest-client.ts'
import { signatureFor } from '../../../support/sender.ts'
import { startService } from '../../../support/service-fixture.ts'
import { traps } from './awkward.ts'
import { runnableLanguages } from './runtimes.ts'
import { startVerifier, VerifierEnded } from './verifier.ts'

const parameters = ['text', 'more'].map(name => ({
  name,
  type: name === 'text' ? 'string' : 'object',
  description: name,
  required: false,
}))
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwFzZ3Yx0aB1c'
const body = '{"text":"Zo\u00eb"}'

type Call = { timestamp?: string | null; signature?: string | null; body?: string }

/** Changes a call of the product on its way. The header list has names and values in turn. */
type Change = (call: { headers: string[]; body: string }) => { headers: string[]; body: string }

/** Returns the headers with one header's lines replaced. */
function withHeader(
  headers: readonly string[],
  name: string,
  replace: (value: string) => string[],
): string[] {
  const pairs = headers.flatMap((header, at) => (at % 2 === 0 ? [[header, headers[at + 1] ?? '']] : []))
  return pairs.flatMap(([header = '', value = '']) =>
    header.toLowerCase() === name ? replace(value).flatMap(next => [header, next]) : [header, value],
  )
}

const headerChange =
  (name: string, replace: (value: string) => string[]): Change =>
  ({ headers, body }) => ({ headers: withHeader(headers, name, replace), body })

/** The ways in which a call must not arrive. */
const changes: Readonly<Record<string, Change>> = {
  'another body': ({ headers, body }) => ({ headers, body: body.replace('1', '2') }),
  'a body with a line break': ({ headers, body }) => ({ headers, body: `${body}\n` }),
  'no timestamp': headerChange('x-service-timestamp', () => []),
  'a later timestamp': headerChange('x-service-timestamp', value => [String(Number(value) + 1)]),
  'the same timestamp twice': headerChange('x-service-timestamp', value => [value, value]),
  'another timestamp before it': headerChange('x-service-timestamp', value => [inMs(1), value]),
  'another timestamp after it': headerChange('x-service-timestamp', value => [value, inMs(1)]),
  'no signature': headerChange('x-service-signature', () => []),
  'a signature in upper case': headerChange('x-service-signature', value => [value.toUpperCase()]),
  'a digest in upper case': headerChange('x-service-signature', value => [
    value.replace(/=.*/, digest => digest.toUpperCase()),
  ]),
  'the same signature twice': headerChange('x-service-signature', value => [value, value]),
  'another signature before it': headerChange('x-service-signature', value => [
    signatureFor('x', '1', ''),
    value,
  ]),
  'another signature after it': headerChange('x-service-signature', value => [
    value,
    signatureFor('x', '1', ''),
  ]),
}

/** A server between the product and a verifier, which changes each call. */
async function startBetween(target: string, change: Change): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    void text(incoming).then(received => {
      const { headers, body } = change({ headers: incoming.rawHeaders, body: received })
      const sized = [
        ...withHeader(headers, 'content-length', () => []),
        'content-length',
        `${Buffer.byteLength(body)}`,
      ]
      const passedOn = request(target + incoming.url, { method: incoming.method, headers: sized }, answer => {
        outgoing.writeHead(answer.statusCode ?? 0)
        answer.pipe(outgoing)
      })
      passedOn.once('error', () => outgoing.destroy())
      passedOn.end(body)
    })
  })
  const { port } = await listenOn(server, '127.0.0.1', 0)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${port}`
}

/** Makes a correctly signed call with the given differences. */
async function callRaw(url: string, { timestamp = String(Date.now()), ...call }: Call = {}) {
  const { signature = signatureFor(secret, timestamp ?? '', body) } = call
  const response = await fetch(`${url}/orders`, {
    method: 'POST',
    body: call.body ?? body,
    headers: {
      'content-type': 'application/json',
      ...(timestamp === null ? {} : { 'x-service-timestamp': timestamp }),
      ...(signature === null ? {} : { 'x-service-signature': signature }),
    },
  })
  const text = await response.text()
  return { status: response.status, answer: text === '' ? null : JSON.parse(text) }
}

const accepted = { status: 200, answer: { ok: true } }
const refused = { status: 401, answer: { ok: false } }
const inMs = (ms: number) => String(Date.now() + ms)

/** Created when they are sent, so that their timestamps are fresh. */
const wrongCalls: Readonly<Record<string, () => Call>> = {
  'a tampered body': () => ({ body: `${body} ` }),
  'no body': () => ({ body: '' }),
  'a timestamp 5 minutes and 2 seconds old': () => ({ timestamp: inMs(-302_000) }),
  'a timestamp 5 minutes and 2 seconds ahead': () => ({ timestamp: inMs(302_000) }),
  'a timestamp in seconds': () => ({ timestamp: inMs(0).slice(0, -3) }),
  'a timestamp with decimals': () => ({ timestamp: `${inMs(0)}.5` }),
  'a signed timestamp with a sign': () => ({ timestamp: `+${inMs(0)}` }),
  'a signed timestamp with a sign, ahead': () => ({ timestamp: `-${inMs(0)}` }),
  'a timestamp of 20 digits': () => ({ timestamp: '18446744073709551617' }),
  'a timestamp that is a word': () => ({ timestamp: 'now' }),
  'a timestamp in digits other than ASCII': () => ({ timestamp: '\u00b2' }),
  'a timestamp that a shell would run': () => ({ timestamp: 'a[$(touch made)]' }),
  'an empty timestamp': () => ({ timestamp: '' }),
  'no timestamp': () => ({ timestamp: null }),
  'no signature': () => ({ signature: null }),
  'neither header': () => ({ timestamp: null, signature: null }),
  'an empty signature': () => ({ signature: '' }),
  'a signature without digest': () => ({ signature: 'sha256=' }),
  'a signature other than ASCII': () => ({ signature: `sha256=${'\u00e9'.repeat(64)}` }),
  'a signature for another timestamp': () => ({ signature: signatureFor(secret, inMs(-1), body) }),
  'a signature of the body alone': () => ({ signature: `sha256=${hmacHex(secret, body)}` }),
}
/** Changes of the correct signature. */
const wrongSignatures: Readonly<Record<string, (right: string) => string>> = {
  'without sha256=': right => right.replace('sha256=', ''),
  'in upper case': right => right.replace(/=.*/, digest => digest.toUpperCase()),
  'cut short': right => right.slice(0, -1),
  'with more behind it': right => `${right}0`,
}

describe.each(runnableLanguages())('the verifier in %s', language => {
  test('accepts the calls of actions, and refuses them after the secret has changed', async () => {
    const { rest } = await startService({ service: { clock: Date.now } })
    const { connectionId, credentials } = await createConnection(rest)
    const baseUrl = await startVerifier(language, credentials.signingSecret)
    await rest('PATCH', `/connections/${connectionId}`, { baseUrl })
    const given = { text: traps.join(' '), more: { list: [1.5, null, {}], [traps.join('')]: true } }
    const outcomes = Method.options.map(async method => {
      const fields = { name: method, method, path: '/orders?fixed=1', parameters }
      const { actionId } = await createAction(rest, connectionId, fields)
      return [
        await testAction(rest, { connectionId, actionId }, given),
        await testAction(rest, { connectionId, actionId }),
      ]
    })
    for (const outcome of (await Promise.all(outcomes)).flat())
      expect(outcome).toMatchObject({
        ok: true,
        error: null,
        response: { status: 200 },
        result: { ok: true },
      })

    await rest('POST', `/connections/${connectionId}/rotate-secret`, { graceHours: 0 })
    const { actionId } = await createAction(rest, connectionId, { name: 'Again' })
    expect(await testAction(rest, { connectionId, actionId })).toMatchObject({
      ok: false,
      error: null,
      response: { status: 401 },
      result: { ok: false },
    })
  })

  test('answers 401 to calls of actions that were changed on their way, or are late', async () => {
    const clock = { now: Date.now() }
    const { rest } = await startService({ service: { clock: () => clock.now } })
    const { connectionId, credentials } = await createConnection(rest)
    const url = await startVerifier(language, credentials.signingSecret)
    const fields = { name: 'Order', method: 'POST', path: '/orders', parameters }
    const post = await createAction(rest, connectionId, fields)
    const get = await createAction(rest, connectionId, { ...fields, name: 'Get', method: 'GET' })
    const through = async (actionId: string, change: Change, given = { text: '1' }) => {
      clock.now = Date.now()
      await rest('PATCH', `/connections/${connectionId}`, { baseUrl: await startBetween(url, change) })
      const { response } = await testAction(rest, { connectionId, actionId }, given)
      return response?.status
    }
    const statuses: Record<string, unknown> = {}
    for (const [title, change] of Object.entries(changes))
      statuses[title] = await through(post.actionId, change)
    statuses['a GET with a body'] = await through(get.actionId, ({ headers }) => ({ headers, body: 'x' }))
    expect(statuses).toEqual(Object.fromEntries(Object.keys(statuses).map(title => [title, 401])))
    const unchanged: Change = call => call
    expect(await through(post.actionId, unchanged)).toBe(200)
    expect(await through(get.actionId, unchanged)).toBe(200)

    await rest('PATCH', `/connections/${connectionId}`, { baseUrl: url })
    for (const [skew, status] of [
      [-302_000, 401],
      [302_000, 401],
      [-295_000, 200],
    ] as const) {
      clock.now = Date.now() + skew
      const { response } = await testAction(rest, { connectionId, actionId: post.actionId }, { text: '1' })
      expect(response?.status, `${skew}`).toBe(status)
    }
  })

  test('answers 401 to wrongly signed calls and keeps running', async () => {
    const url = await startVerifier(language, secret)
    const answers: Record<string, unknown> = {}
    for (const [title, wrong] of Object.entries(wrongCalls)) answers[title] = await callRaw(url, wrong())
    for (const [title, change] of Object.entries(wrongSignatures)) {
      const timestamp = String(Date.now())
      const signature = change(signatureFor(secret, timestamp, body))
      answers[`a signature ${title}`] = await callRaw(url, { timestamp, signature })
    }
    answers['another secret'] = await callRaw(url, { signature: signatureFor('whsec_x', inMs(0), body) })
    expect(answers).toEqual(Object.fromEntries(Object.keys(answers).map(title => [title, refused])))

    const gone = connect(Number(new URL(url).port), '127.0.0.1')
    gone.end('POST /orders HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{')
    await once(gone.resume(), 'close')

    expect(await callRaw(url)).toEqual(accepted)
    expect(await callRaw(url, { timestamp: inMs(-295_000) })).toEqual(accepted)
    expect(await callRaw(url, { timestamp: inMs(295_000) })).toEqual(accepted)
  })

  test('accepts nothing without a secret', async () => {
    // Most do not start without one.
    const outcome = await startVerifier(language, '').then(
      async url => (await callRaw(url, { signature: signatureFor('', inMs(0), body) })).status,
      (error: unknown) => error instanceof VerifierEnded,
    )
    expect([true, 401, 500]).toContain(outcome)
  })
})
