import { describe, expect, test } from 'vitest'
import { nameHeader, senderEvent } from '#main/inbound/sender-event.ts'
import { verifySender } from '#main/inbound/verify-sender.ts'
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
  expect(nameHeader(Sender.parse({ scheme: 'github' }), 'push')).toEqual({ 'x-github-event': 'push' })
  expect(nameHeader(Sender.parse({ scheme: 'stripe' }), 'push')).toEqual({})
})

test('a secret that cannot be the key is refused with the reason', () => {
  const standard = Sender.parse({ scheme: 'standard-webhooks' })
  expect(() => signerOf(standard, 'not base64!')).toThrow(/must be base64/)
  expect(() => signerOf(standard, '')).toThrow(/No secret is set/)
})
