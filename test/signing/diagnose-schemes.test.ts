import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { diagnose } from '#main/signing/diagnose.ts'
import { Diagnosis } from '#shared/model/diagnosis.ts'
import { Sender } from '#shared/model/sender/sender.ts'
import { connectionSecret, oldSenderSecret, requestBody, schemeMistakes } from './scheme-mistakes.ts'
import { nowMs } from './sender.ts'

test.each(schemeMistakes)(
  '$sender.scheme, $what: $code',
  ({ sender, secret, headers, code, says, change }) => {
    const diagnosis = diagnose({
      ...{ sender, secret, headers, nowMs, rawBody: Buffer.from(requestBody) },
      oldSecrets: [oldSenderSecret],
      ownSecret: sender.scheme === 'custom-connection' ? undefined : connectionSecret,
    })
    expect(Diagnosis.parse(diagnosis)).toMatchObject({ code, message: expect.stringContaining(says) })
    expect(diagnosis.change).toEqual(change)
    for (const kept of [secret, oldSenderSecret, connectionSecret])
      if (kept !== '') expect(JSON.stringify(diagnosis)).not.toContain(kept)
  },
)

describe('a secret that cannot be the key of the scheme', () => {
  const sender = Sender.parse({ scheme: 'standard-webhooks' })
  const key = Buffer.alloc(32, 7)
  const signed = (with_: string | Uint8Array) => {
    const seconds = String(Math.floor(nowMs / 1000))
    const made = createHmac('sha256', with_).update(`msg_1.${seconds}.${requestBody}`).digest('base64')
    return {
      ...{ sender, nowMs, rawBody: Buffer.from(requestBody) },
      headers: Object.entries({
        ...{ 'webhook-id': 'msg_1', 'webhook-timestamp': seconds, 'webhook-signature': `v1,${made}` },
      }),
    }
  }
  const encoded = key.toString('base64')
  const fit = { name: 'Billing', secret: `whsec_${encoded}` }

  test('is named before the secret of another connection', () => {
    const secret = 'of another scheme!'
    expect(diagnose({ ...signed(key), secret, otherConnections: [fit] })).toMatchObject({
      code: 'no_secret',
      message: expect.stringContaining('must be base64'),
    })
    const unpadded = `${encoded.slice(0, -1)}!`
    expect(diagnose({ ...signed(key), secret: unpadded })).toMatchObject({ code: 'no_secret' })
    expect(diagnose({ ...signed(secret), secret })).toMatchObject({
      code: 'key_not_decoded',
      change: { key: 'text' },
    })
  })

  test('is not the secret of another connection', () => {
    const secret = Buffer.alloc(32, 1).toString('base64')
    expect(diagnose({ ...signed(key), secret, otherConnections: [fit] })).toMatchObject({
      code: 'other_connection',
    })
    const unfit = { ...fit, secret: `${encoded} of another scheme`.replace('=', '') }
    const used = Buffer.from(unfit.secret, 'base64')
    expect(diagnose({ ...signed(used), secret, otherConnections: [unfit] })).toMatchObject({
      code: 'unknown',
    })
  })
})

test('names no header that is too long for a scheme', () => {
  const sender = Sender.parse({ scheme: 'github' })
  const change = (name: string) =>
    diagnose({ sender, nowMs, secret: 'a secret', rawBody: Buffer.from('{}'), headers: [[name, 'x']] }).change
  const name = `x-${'a'.repeat(88)}-signature`
  expect(change(name)).toEqual({ signatureHeader: name })
  expect(change(`x-${name}`)).toBeUndefined()
})
