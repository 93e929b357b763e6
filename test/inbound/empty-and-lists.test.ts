import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { eventTextOf } from '#shared/model/sender/reading.ts'
import { Sender } from '#shared/model/sender/sender.ts'
import { startOfTests } from '../support/connection-records.ts'
import { startInbound } from '../support/inbound-fixture.ts'
import { exchange } from '../support/raw-http.ts'
import { pathOf } from '../support/sender.ts'

const secret = 'a key of the provider'
const Answer = z.object({ error: z.string().optional(), message: z.string().optional() })

/** Opens an inbound channel whose first connection takes the events of a sender; `post` signs with a secret. */
async function open(fields: object) {
  const fixture = await startInbound({ ownLog: true })
  const sender = Sender.parse({
    ...{ scheme: 'template', signatureHeader: 'x-xero-signature', encoding: 'base64', signed: '{{body}}' },
    ...fields,
  })
  await fixture.change({ sender, senderSecret: secret })
  const post = async (body: string, key = secret) => {
    const lines = [
      `POST ${pathOf(fixture.connection.token)} HTTP/1.1`,
      ...['Host: connect.example', `Content-Length: ${Buffer.byteLength(body)}`],
      `x-xero-signature: ${createHmac('sha256', key).update(body).digest('base64')}`,
    ]
    const [answer] = await exchange(fixture, [Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`)])
    if (answer === undefined) throw new Error('There was no answer.')
    return { status: answer.status, ...Answer.parse(JSON.parse(answer.body)) }
  }
  const kinds = () => fixture.outcomes.map(({ kind }) => kind)
  return { fixture, post, kinds, stored: () => fixture.stored(fixture.connection.connectionId) }
}

const xero = { eventName: { path: 'events.0.eventType' }, data: { path: 'events.0' } }
const intent = '{"events":[],"firstEventSequence":0,"lastEventSequence":0,"entropy":"S0m3r4nd0mt3xt"}'

test('a signed request without an event is accepted where its connection says so, and starts nothing', async () => {
  const { fixture, post, stored } = await open({ ...xero, empty: 'accept' })
  expect(await post(intent)).toEqual({ status: 200 })
  expect(await post(intent, 'another key')).toMatchObject({ status: 401, error: 'invalid_signature' })
  expect(await stored()).toEqual([])
  expect(fixture.outcomes).toMatchObject([
    { kind: 'event.accepted', eventName: '(no event)', stored: false, bodyText: intent },
    { kind: 'event.rejected', code: 'invalid_signature' },
  ])
  // It can be checked again, and is not taken for an event.
  expect(await post(intent)).toEqual({ status: 200 })
  const one = '{"events":[{"eventType":"UPDATE","resourceId":"r1"}]}'
  expect(await post(one)).toEqual({ status: 200 })
  const [event] = await stored()
  expect(event && JSON.parse(eventTextOf(event))).toEqual({
    event: 'UPDATE',
    data: { eventType: 'UPDATE', resourceId: 'r1' },
  })
  expect(await post('{"events":[{"eventType":7}]}')).toMatchObject({ status: 400, error: 'invalid_event' })
  expect(await post('{')).toMatchObject({ status: 400, error: 'invalid_json' })
})

test.each([undefined, 'refuse'])('otherwise it is refused (%s)', async empty => {
  const { post, kinds } = await open({ ...xero, ...(empty !== undefined && { empty }) })
  expect(await post(intent)).toMatchObject({ status: 400, error: 'missing_event' })
  expect(kinds()).toEqual(['event.rejected'])
})

const ofRoot = { eventName: { path: '0.type' }, data: { path: '0' } }
const two = '[{"type":"a","id":1},{"type":"b","id":2}]'

test.each([
  [ofRoot, two, /^The body is a list of 2 items, and 0\.type takes one of them\./],
  [
    { eventName: { path: 'type' }, data: { path: 'list[1].of' } },
    `{"type":"a","list":${two}}`,
    /^The field list is/,
  ],
  [xero, `{"events":${two}}`, /^The field events is a list of 2 items/],
  [{ ...xero, empty: 'accept' }, `{"events":${two}}`, /^The field events is a list of 2 items/],
  [
    { eventName: { path: 'a.0.b.1.type' }, data: 'body' },
    '{"a":[{"b":[{},{"type":"x"}]}]}',
    /^The field a\.0\.b is a list of 2 items/,
  ],
  [
    { eventName: { header: 'host' }, data: 'body' },
    two,
    /^The body is a list of 2 items, and lists of events/,
  ],
  [
    { eventName: { header: 'host' }, data: { path: 'a' } },
    `{"a":${two}}`,
    /^The field a is a list of 2 items/,
  ],
])('no event of a list is lost silently: %j', async (fields, body, message) => {
  const { post, kinds, stored } = await open(fields)
  expect(await post(body)).toEqual({
    ...{ status: 400, error: 'invalid_data', message: expect.stringMatching(message) },
  })
  expect(kinds()).toEqual(['event.rejected'])
  expect(await stored()).toEqual([])
})

test('the only event of a list is taken', async () => {
  const { post, stored } = await open(ofRoot)
  expect(await post('[{"type":"a","id":1}]')).toEqual({ status: 200 })
  expect(await stored()).toMatchObject([{ eventName: 'a', receivedAt: startOfTests }])
})
