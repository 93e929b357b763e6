import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { readEvent } from '#main/inbound/event-text.ts'
import { verifySender } from '#main/inbound/verify-sender.ts'
import { prepareSender } from '#main/signing/prepare-sender.ts'
import { ExactJson } from '#shared/json/exact-json.ts'
import { Sender } from '#shared/model/sender/sender.ts'
import { schemes } from '#shared/model/sender/templates.ts'
import { startOfTests } from '../support/connection-records.ts'
import { type InboundFixture, type InboundFixtureOptions, startInbound } from '../support/inbound-fixture.ts'
import { exchange } from '../support/raw-http.ts'
import { pathOf, signatureFor } from '../support/sender.ts'

const SignedRequest = z.object({
  name: z.string(),
  sender: Sender,
  secret: z.string(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  body: z.string(),
  eventName: z.string(),
  dataText: z.string(),
})
type SignedRequest = z.infer<typeof SignedRequest>

const file = join(import.meta.dirname, '../fixtures/senders/requests.json')
const { requests } = z
  .object({ requests: z.array(z.unknown()) })
  .parse(JSON.parse(readFileSync(file, 'utf8')))

const body = '{"event":"order.paid","data":{"total":1.10}}'
const seconds = String(startOfTests / 1000)
const template = {
  ...{ scheme: 'template', signatureHeader: 'X-Pakket-Signature', prefix: 'p:', encoding: 'base64' },
  ...{ algorithm: 'sha512', signed: '{{header:X-Shop}}\n{{url}}\n{{timestamp}}:{{body}}!' },
  ...{
    timestampHeader: 'X-Pakket-Time',
    windowMs: 60_000,
    eventName: { path: 'event' },
    data: { path: 'data' },
  },
}

/** The requests of the fixtures, one of the default scheme and one of a template. */
function signedRequests(token: string): SignedRequest[] {
  const own = { body, eventName: 'order.paid', dataText: '{"total":1.10}', secret: 'whsec_own' }
  const timestamp = String(startOfTests)
  const signed = `shop é\nhttps://in.example${pathOf(token)}\n${seconds}:${body}!`
  const digest = createHmac('sha512', own.secret).update(Buffer.from(signed, 'latin1')).digest('base64')
  return z.array(SignedRequest).parse([
    ...requests,
    {
      ...{ ...own, name: 'the default scheme', sender: { scheme: 'custom-connection' } },
      headers: [
        ['x-service-timestamp', timestamp],
        ['x-service-signature', signatureFor(own.secret, timestamp, body)],
      ],
    },
    {
      ...{ ...own, name: 'a template', sender: template },
      headers: [
        ['X-Shop', 'shop é'],
        ['x-pakket-time', seconds],
        ['x-pakket-signature', `p:${digest}`],
      ],
    },
  ])
}

const names = signedRequests('').map(({ name }) => name)
const workspaceUrl = 'https://in.example'

type Opened = { readonly fixture: InboundFixture; readonly request: SignedRequest }

/** Opens an inbound channel whose first connection has the sender of a request. */
async function open(name: string, options: InboundFixtureOptions = {}): Promise<Opened> {
  const fixture = await startInbound({ ownLog: true, ...options })
  const request = signedRequests(fixture.connection.token).find(one => one.name === name)
  if (request === undefined) throw new Error(`There is no request ${name}.`)
  const { sender, secret } = request
  const own = schemes[sender.scheme].hasOwnSecret
  await fixture.change(own ? { sender, senderSecret: secret } : { signingSecret: secret })
  return { fixture, request }
}

async function send({ host, port, connection }: InboundFixture, { headers, body }: SignedRequest) {
  const bytes = Buffer.from(body)
  const lines = [
    `POST ${pathOf(connection.token)} HTTP/1.1`,
    'Host: connect.example',
    `Content-Length: ${bytes.length}`,
    ...headers.map(([header, value]) => `${header}: ${value}`),
  ]
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  const [answer] = await exchange({ host, port }, [Buffer.concat([head, bytes])])
  if (answer === undefined) throw new Error('There was no answer.')
  return {
    status: answer.status,
    ...z
      .object({ error: z.string().optional(), message: z.string().optional() })
      .parse(JSON.parse(answer.body)),
  }
}

const templateOf = ({ sender, headers }: SignedRequest) => {
  const prepared = prepareSender(sender, [])
  const isSent = (header: string) => headers.some(([name]) => name.toLowerCase() === header)
  const found = prepared.find(({ signatureHeader }) => isSent(signatureHeader))
  if (found === undefined) throw new Error('The request has no signature.')
  return found
}
const without = (request: SignedRequest, header: string | null): SignedRequest => ({
  ...request,
  headers: request.headers.filter(([name]) => name.toLowerCase() !== header),
})

describe.each(names)('%s', name => {
  test.each([true, false])('is accepted, stored as it was sent and read (fast path: %s)', async fastPath => {
    const { fixture, request } = await open(name, { fastPath })
    expect(await send(fixture, request)).toEqual({ status: 200 })
    const [event] = await fixture.stored(fixture.connection.connectionId)
    if (event === undefined) throw new Error('Nothing was stored.')
    const { signatureHeader } = templateOf(request)
    expect(event).toMatchObject({ eventName: request.eventName, bodyText: request.body, repeat: false })
    expect(event.headerLines.toLowerCase()).not.toContain(`${signatureHeader}:`)
    expect(event.headerLines.split('\n')).toHaveLength(request.headers.length + 1)
    const read = readEvent(event)
    expect(read?.dataText).toBe(request.dataText)
    expect(JSON.stringify(new ExactJson(read?.dataText ?? ''))).toBe(
      JSON.stringify(JSON.parse(request.dataText, keepNumber)),
    )
    expect(fixture.outcomes).toMatchObject([{ kind: 'event.accepted', eventName: request.eventName }])
  })

  test('is replayed with the same data after its scheme was changed', async () => {
    const { fixture, request } = await open(name)
    await send(fixture, request)
    await fixture.change({ sender: undefined, senderSecret: undefined })
    const [event] = await fixture.stored(fixture.connection.connectionId)
    const record = fixture.store.snapshot().connections.get(fixture.connection.connectionId)
    if (event === undefined || record === undefined) throw new Error('Nothing was stored.')
    await fixture.inbound.receiver.replay(event, record)
    const [replay] = await fixture.stored(fixture.connection.connectionId)
    expect(replay?.replayOf).toBe(event.eventId)
    expect(replay && readEvent(replay)?.dataText).toBe(request.dataText)
  })

  test('is refused with one changed byte', async () => {
    const { fixture, request } = await open(name)
    const changed = { ...request, body: request.body.replace(/[a-z](?=[^a-z]*$)/, 'Q') }
    expect(changed.body).not.toBe(request.body)
    expect(await send(fixture, changed)).toMatchObject({ status: 401, error: 'invalid_signature' })
    expect(fixture.triggers).toEqual([])
  })

  test('is refused with another key', async () => {
    const { fixture, request } = await open(name)
    await fixture.change({ senderSecret: 'whsec_b3RoZXI=', signingSecret: 'whsec_other' })
    expect(await send(fixture, request)).toMatchObject({ status: 401, error: 'invalid_signature' })
  })

  test('is refused without a secret, which the sender does not learn', async () => {
    const { fixture, request } = await open(name)
    await fixture.change({ senderSecret: undefined, signingSecret: '' })
    const answer = await send(fixture, request)
    expect(answer).toMatchObject({ status: 401, error: 'invalid_signature' })
    expect(answer.message).not.toMatch(/saved/)
  })

  test('is refused outside of the window of its timestamp, if it has one', async () => {
    const { fixture, request } = await open(name)
    const { timestampHeader, template } = templateOf(request)
    for (const difference of [-template.windowMs - 1, template.windowMs + 1]) {
      fixture.clock.now = startOfTests + difference
      const answer = await send(fixture, { ...request, body: request.body })
      if (timestampHeader === null) expect(answer.status).toBe(200)
      else expect(answer).toMatchObject({ status: 401, error: 'stale_timestamp' })
    }
    for (const difference of [-template.windowMs, template.windowMs]) {
      fixture.clock.now = startOfTests + difference
      expect(await send(fixture, request)).toEqual({ status: 200 })
    }
  })

  test('is refused without one of its headers, or with its signature twice', async () => {
    const { fixture, request } = await open(name)
    const { signatureHeader, timestampHeader, idHeader } = templateOf(request)
    expect(await send(fixture, without(request, signatureHeader))).toMatchObject({
      ...{ status: 401, error: 'missing_signature' },
      message: expect.stringContaining(
        request.sender.scheme === 'standard-webhooks' ? 'webhook-signature' : signatureHeader,
      ),
    })
    if (timestampHeader !== null && timestampHeader !== signatureHeader)
      expect(await send(fixture, without(request, timestampHeader))).toMatchObject({
        ...{ status: 401, error: 'missing_timestamp', message: expect.stringContaining(timestampHeader) },
      })
    if (idHeader !== null)
      expect(await send(fixture, without(request, idHeader))).toMatchObject({
        ...{ status: 401, error: 'invalid_signature', message: expect.stringContaining(idHeader) },
      })
    expect(
      await send(fixture, { ...request, headers: [...request.headers, ...request.headers] }),
    ).toMatchObject({
      ...{ status: 401, error: 'invalid_signature' },
    })
  })

  test('is accepted with a replaced secret until its grace period ends', async () => {
    const { fixture, request } = await open(name)
    const { secret } = request
    const old = [{ secret, expiresAt: startOfTests + 1 }]
    await fixture.change({
      ...{ senderSecret: 'whsec_b3RoZXI=', oldSenderSecrets: old },
      ...{ signingSecret: 'whsec_other', oldSecrets: old },
    })
    expect(await send(fixture, request)).toEqual({ status: 200 })
    expect(fixture.outcomes).toMatchObject([{ previousSecret: true }])
    fixture.clock.now = startOfTests + 1
    expect(await send(fixture, request)).toMatchObject({ status: 401, error: 'invalid_signature' })
  })

  test('is verified step by step as it is accepted', async () => {
    const { fixture, request } = await open(name)
    const { sender, secret, headers, body } = request
    const verification = verifySender({
      ...{ sender, secrets: [{ secret, expiresAt: null }], rawHeaders: headers.flat() },
      ...{
        body: Buffer.from(body),
        url: workspaceUrl + pathOf(fixture.connection.token),
        nowMs: startOfTests,
      },
    })
    expect(verification).toMatchObject({ ok: true, code: null })
    expect(verification.steps.filter(({ state }) => state !== 'passed' && state !== 'not_used')).toEqual([])
    expect(verification.steps.find(({ step }) => step === 'event_name')).toMatchObject({
      value: request.eventName,
    })
  })
})

function keepNumber(_key: string, value: unknown, { source }: { source?: string } = {}): unknown {
  return typeof value === 'number' && source !== undefined ? JSON.rawJSON(source) : value
}
