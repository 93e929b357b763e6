import { describe, expect, test } from 'vitest'
import { readSenderBody } from '#main/inbound/sender-body.ts'
import { namedOutside, senderEvent } from '#main/inbound/sender-event.ts'
import { verifySender } from '#main/inbound/verify-sender.ts'
import { prepareSender } from '#main/signing/prepare-sender.ts'
import { signerOf } from '#main/signing/sign-as.ts'
import { Sender } from '#shared/model/sender/sender.ts'
import { nowMs } from '../signing/sender.ts'

const text = 'It is a Secret to Everybody'
const encoded = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const url = 'https://in.example/api/connect/token/events'
const data = '{"parcel":"PKT-7","weight":1.10,"id":12345678901234567890}'

const described = Sender.parse({
  ...{ scheme: 'template', signatureHeader: 'X-Sign', encoding: 'base64', algorithm: 'sha512' },
  ...{ signed: '{{url}}|{{header:x-tenant}}|{{id}}|{{timestamp}}|{{body}}', separator: ',' },
  ...{ timestampHeader: 'X-Sign', timestampPrefix: 't:', idHeader: 'X-Id' },
  ...{ eventName: { path: 'meta.kind' }, data: { path: 'meta.payload' } },
})

describe.each<[Sender, string]>([
  [Sender.parse({ scheme: 'custom-connection' }), text],
  [Sender.parse({ scheme: 'standard-webhooks' }), encoded],
  [Sender.parse({ scheme: 'github' }), text],
  [Sender.parse({ scheme: 'stripe' }), encoded],
  [Sender.parse({ scheme: 'slack' }), text],
  [Sender.parse({ scheme: 'shopify' }), text],
  [described, text],
])('$scheme', (sender, secret) => {
  const post = (dataText: string | undefined) => {
    const { headers, body } = senderEvent(sender, 'parcel.delivered', dataText)
    const signed = signerOf(sender, secret)(body, nowMs, { id: 'msg_1', url })
    const rawHeaders = Object.entries({ ...headers, ...signed }).flat()
    const secrets = [{ secret, expiresAt: null }]
    return { body, ...verifySender({ sender, secrets, rawHeaders, body: Buffer.from(body), url, nowMs }) }
  }

  test('an event is signed and named as its verification expects', () => {
    const { ok, message, steps } = post(data)
    expect(message).toBeNull()
    expect(ok).toBe(true)
    expect(steps).toContainEqual(expect.objectContaining({ step: 'event_name', value: 'parcel.delivered' }))
    expect(post(undefined).ok).toBe(true)
  })

  test('its numbers keep their digits', () => {
    expect(post(data).body).toContain('"weight":1.10,"id":12345678901234567890')
  })
})

test('a body that is sent as it is has the name of its event in the header of the scheme', () => {
  expect(namedOutside(Sender.parse({ scheme: 'github' }), 'push')).toEqual({
    headers: { 'x-github-event': 'push' },
  })
  expect(namedOutside(Sender.parse({ scheme: 'stripe' }), 'push')).toEqual({ headers: {} })
})

const own = { scheme: 'template', signatureHeader: 'x-sig', encoding: 'hex', signed: '{{url}}.{{body}}' }

/** Returns what is sent of an event, and what its verification finds. */
function sendAndVerify(fields: object, eventName: string, dataText?: string) {
  const sender = Sender.parse({ ...own, ...fields })
  const { headers, body, query = {} } = senderEvent(sender, eventName, dataText)
  const called = Object.keys(query).length === 0 ? url : `${url}?${new URLSearchParams(query)}`
  const signed = signerOf(sender, text)(body, nowMs, { id: 'msg_1', url: called })
  const found = verifySender({
    ...{ sender, secrets: [{ secret: text, expiresAt: null }], url: called, nowMs },
    rawHeaders: Object.entries({ ...headers, ...signed }).flat(),
    body: Buffer.from(body),
  })
  const name = found.steps.find(step => step.step === 'event_name')
  const read = readSenderBody(
    prepareSender(sender, [])[0],
    { rawHeaders: Object.entries(headers).flat(), target: called },
    Buffer.from(body),
  )
  return {
    headers,
    body,
    query,
    message: found.message,
    name: name?.value,
    data: read.data.value,
    steps: found.steps,
  }
}

test.each<[object, string]>([
  [{ path: 'type' }, 'a'],
  [[{ path: 'event.type' }, { path: 'type' }], 'a'],
  [{ header: 'X-Topic' }, 'a'],
  [{ query: 'topic' }, 'order paid & more'],
  [{ constant: 'change' }, 'change'],
  [[{ path: 'type' }, { constant: 'change' }], 'change'],
  [[{ path: 'type' }, { constant: 'change' }], 'a'],
  [{ present: ['message', 'data.poll'] }, 'poll'],
  [[{ present: ['message'] }, { header: 'X-Topic' }], 'a'],
])('an event is named at %j', (eventName, name) => {
  for (const data of ['body', { path: 'data' }, { items: 'body' }, { items: 'list.of' }])
    expect(sendAndVerify({ eventName, data }, name)).toMatchObject({ message: null, name })
})

test('the field that names an event keeps its value', () => {
  const sent = sendAndVerify({ eventName: { present: ['message'] } }, 'message', '{"message":{"text":"hi"}}')
  expect(sent).toMatchObject({ message: null, name: 'message', data: { message: { text: 'hi' } } })
})

test('an event of a list is the only one of its list', () => {
  const sent = sendAndVerify({ eventName: { path: 'type' }, data: { items: 'events' } }, 'a', '{"n":1.10}')
  expect(sent.body).toBe('{"events":[{"n":1.10,"type":"a"}]}')
  expect(sent.steps).toContainEqual(
    expect.objectContaining({ step: 'data', events: 1, fields: ['n', 'type'] }),
  )
})

const order = '{"n":"1","price":1.10,"note":"a & b=c <d>"}'
test.each<[string, object, string, unknown]>([
  ['form', { path: 'type' }, order, { n: '1', price: '1.10', note: 'a & b=c <d>', type: 'a' }],
  ['form', { path: 'event.type' }, '{"n":1.10}', { n: expect.anything(), event: { type: 'a' } }],
  ['form', { path: 'type' }, '{"list":[1]}', { list: '[1]', type: 'a' }],
  ['multipart', { path: 'type' }, order, { n: '1', price: '1.10', note: 'a & b=c <d>', type: 'a' }],
  [
    'multipart',
    { path: 'type' },
    '{"to":["x","--custom-connection"],"a\\"\\\\b":""}',
    {
      ...{ to: ['x', '--custom-connection'], 'a"\\b': '', type: 'a' },
    },
  ],
  ['multipart', { path: 'type' }, '{"deep":{"n":1}}', { deep: { n: 1 }, type: 'a' }],
  ['text', { constant: 'a' }, '{"text":"Disk full"}', { text: 'Disk full' }],
  ['text', { constant: 'a' }, '{"text":"Disk full","host":"web-1"}', { text: 'Disk full', host: 'web-1' }],
  [
    'xml',
    { path: 'order.@type' },
    '{"order":{"line":[{"@sku":"A&\\"1"},"x <y>"],"note":"a\\nb"}}',
    {
      order: { '@type': 'a', line: [{ '@sku': 'A&"1' }, 'x <y>'], note: 'a\nb' },
    },
  ],
  ['xml', { path: 'order.type' }, '{"order":{},"other":1}', { order: { type: 'a' }, other: 1 }],
  ['xml', { path: 'type' }, '{}', 'a'],
])('an event is written as %s with its name at %j: %s', (body, eventName, data, expected) => {
  const sent = sendAndVerify({ body, eventName }, 'a', data)
  expect(sent).toMatchObject({ name: 'a' })
  if (typeof expected === 'object') expect({ ...sent.data }).toEqual(expected)
})

test('a secret that cannot be the key is refused with the reason', () => {
  const standard = Sender.parse({ scheme: 'standard-webhooks' })
  expect(() => signerOf(standard, 'not base64!')).toThrow(/must be base64/)
  expect(() => signerOf(standard, '')).toThrow(/No secret is set/)
})
