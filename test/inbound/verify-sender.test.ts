import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { admit } from '#main/inbound/admit.ts'
import { examine } from '#main/inbound/examine.ts'
import { verifySender } from '#main/inbound/verify-sender.ts'
import { verificationKeysOf } from '#main/signing/verify.ts'
import { eventTextOf, readingOf } from '#shared/model/sender/reading.ts'
import { Sender, templatesOf } from '#shared/model/sender/sender.ts'
import { templateFields, writeTemplate } from '#shared/model/sender/sender-template.ts'
import { isPreset, schemes } from '#shared/model/sender/templates.ts'
import { hmacHex, nowMs, secret } from '../signing/sender.ts'
import { recordNamed } from '../support/connection-records.ts'

const secrets = [{ secret, expiresAt: null }]
const url = 'https://in.example/api/connect/tok/events'
const timestamp = String(nowMs)
const body = '{"event":"order.created","data":{"orderId":42}}'

const record = { ...recordNamed('first'), signingSecret: secret }
const directory = {
  byToken: () => ({
    record,
    keys: verificationKeysOf(record),
    sender: null,
    expiresAt: Number.POSITIVE_INFINITY,
    declared: new Set<string>(),
  }),
}

const template = z.object({ scheme: z.literal('template'), ...templateFields })
const pakket = template.parse({
  scheme: 'template',
  signatureHeader: 'X-Pakket-Signature',
  prefix: 'v1=',
  encoding: 'hex',
  signed: '{{timestamp}}.{{body}}',
  timestampHeader: 'X-Pakket-Time',
  eventName: { path: 'event' },
  data: { path: 'data' },
})
const seconds = String(Math.floor(nowMs / 1000))
const pakketHeaders = (text = `${seconds}.${body}`) => [
  ...['x-pakket-time', seconds],
  ...['x-pakket-signature', `v1=${hmacHex(secret, text)}`],
]
const verify = (changed: Partial<Parameters<typeof verifySender>[0]>) =>
  verifySender({
    ...{ sender: pakket, secrets, rawHeaders: pakketHeaders(), body: Buffer.from(body), url, nowMs },
    ...changed,
  })

describe('the steps of a verification', () => {
  test('say what was found', () => {
    expect(verify({})).toEqual({
      ok: true,
      code: null,
      message: null,
      challenge: null,
      steps: [
        { step: 'header', state: 'passed', message: null, header: 'x-pakket-signature' },
        { step: 'prefix', state: 'passed', message: null, prefix: 'v1=' },
        { step: 'encoding', state: 'passed', message: null, encoding: 'hex', bytes: 32 },
        {
          ...{ step: 'time', state: 'passed', message: null, header: 'x-pakket-time', text: seconds },
          ...{ at: '2023-11-14T22:13:20.000Z', ageMs: 123 },
        },
        {
          ...{ step: 'signed_text', state: 'passed', message: null, template: '{{timestamp}}.{{body}}' },
          ...{ text: `${seconds}.${body}`, bytes: seconds.length + 1 + body.length },
        },
        { step: 'signature', state: 'passed', message: null, secret: 'current' },
        {
          ...{ step: 'event_name', state: 'passed', message: null },
          ...{ source: { path: 'event' }, value: 'order.created' },
        },
        { step: 'data', state: 'passed', message: null, source: { path: 'data' }, fields: ['orderId'] },
      ],
    })
  })

  const statesOf = (changed: Parameters<typeof verify>[0]) => {
    const { code, steps } = verify(changed)
    return [
      code,
      ...steps.filter(({ state }) => state !== 'passed').map(({ step, state }) => `${step} ${state}`),
    ]
  }
  const afterSignature = ['event_name not_reached', 'data not_reached']

  test.each<[string, Parameters<typeof verify>[0], (string | null)[]]>([
    [
      'a wrong signature',
      { rawHeaders: pakketHeaders('other') },
      ['invalid_signature', 'signature failed', ...afterSignature],
    ],
    [
      'no headers',
      { rawHeaders: [] },
      [
        ...[
          'missing_signature',
          'header failed',
          'prefix not_reached',
          'encoding not_reached',
          'time failed',
        ],
        ...['signed_text not_reached', 'signature not_reached', ...afterSignature],
      ],
    ],
    [
      'a missing prefix',
      { rawHeaders: pakketHeaders().map(value => value.replace('v1=', '')) },
      [
        'invalid_signature',
        'prefix failed',
        'encoding not_reached',
        'signature not_reached',
        ...afterSignature,
      ],
    ],
    [
      'a signature that is not hexadecimal',
      { rawHeaders: pakketHeaders().map(value => value.replace(/^v1=./, 'v1=x')) },
      ['invalid_signature', 'encoding failed', 'signature not_reached', ...afterSignature],
    ],
    ['a stale time', { nowMs: nowMs + 301_000 }, ['stale_timestamp', 'time failed', ...afterSignature]],
    [
      'a signature sent twice',
      { rawHeaders: [...pakketHeaders(), ...pakketHeaders().slice(2)] },
      [
        ...['invalid_signature', 'header failed', 'prefix not_reached', 'encoding not_reached'],
        ...['signature not_reached', ...afterSignature],
      ],
    ],
    ['no secret', { secrets: [] }, ['invalid_signature', 'signature failed', ...afterSignature]],
    [
      'an expired secret',
      { secrets: [{ secret, expiresAt: nowMs }] },
      ['invalid_signature', 'signature failed', ...afterSignature],
    ],
    [
      'a name that is not there',
      { sender: { ...pakket, eventName: { path: 'kind' } } },
      ['missing_event', 'event_name failed'],
    ],
    [
      'data that is not an object',
      { sender: { ...pakket, data: { path: 'event' } } },
      ['invalid_data', 'data failed'],
    ],
  ])('%s', (_name, changed, expected) => {
    expect(statesOf(changed)).toEqual(expected)
  })

  test('say that the secret is missing to the owner alone', () => {
    const { message, steps } = verify({ secrets: [] })
    expect(message).not.toContain('secret')
    expect(steps.find(({ step }) => step === 'signature')?.message).toContain('has not been saved')
  })

  test('read a form whose field payload is not a JSON object as its fields, also once it is stored', () => {
    const sender = Sender.parse({ scheme: 'github', eventName: { path: 'command' } })
    const readForm = (form: string) => {
      const signature = ['x-hub-signature-256', `sha256=${hmacHex(secret, form)}`]
      const rawHeaders = [...signature, 'content-type', 'application/x-www-form-urlencoded']
      return verify({ sender, rawHeaders, body: Buffer.from(form) })
    }
    for (const payload of ['hello', '', '[1]', '7']) {
      const form = `command=go&payload=${encodeURIComponent(payload)}`
      expect(readForm(form)).toMatchObject({ ok: true, code: null })
      const text = eventTextOf({ eventName: 'go', bodyText: form, reading: readingOf('body', true) })
      expect(JSON.parse(text).data).toEqual({ command: 'go', payload })
    }
    const deep = `${'{"a":'.repeat(1001)}1${'}'.repeat(1001)}`
    expect(readForm(`command=go&payload=${encodeURIComponent(deep)}`).code).toBe('invalid_json')
  })

  test('decide for the default scheme as the listener does', () => {
    const header = (name: string, value: fc.Arbitrary<string>) =>
      fc.array(value, { maxLength: 2 }).map(values => values.flatMap(one => [name, one]))
    const time = fc.oneof(
      fc.integer({ min: nowMs - 300_100, max: nowMs + 300_100 }).map(String),
      fc.constantFrom(timestamp, '', 'x', `0${timestamp}`, seconds),
    )
    const right = hmacHex(secret, `${timestamp}.${body}`)
    const signature = fc.constantFrom(
      ...[`sha256=${right}`, `sha256=${right.toUpperCase()}`, right, '', `sha256=${right}0`, `v1=${right}`],
    )
    const sent = fc.constantFrom(body, `${body} `, '{', '{"event":1}', '{"event":"a","data":[]}')
    fc.assert(
      fc.property(
        header('X-Service-Timestamp', time),
        header('x-service-signature', signature),
        sent,
        (times, signatures, text) => {
          const raw = Buffer.from(text)
          const rawHeaders = [...times, ...signatures]
          const steps = verify({ sender: { scheme: 'custom-connection' }, rawHeaders, body: raw })
          const head = { method: 'POST', target: new URL(url).pathname, rawHeaders }
          const admitted = admit(head, directory, 1000, nowMs)
          const decided = admitted.ok ? examine(admitted, raw, directory, nowMs) : admitted
          const expected = decided.ok ? { ok: true, code: null } : { ok: false, code: decided.code }
          expect({ ok: steps.ok, code: steps.code }).toEqual(expected)
        },
      ),
      { numRuns: 500 },
    )
  })
})

test.each([
  [20, true],
  [21, false],
])('tries 20 signatures of a header: the %ith is right → %s', (count, ok) => {
  const text = `${seconds}.${body}`
  const others = Array.from({ length: count - 1 }, (_, at) => `v1=${hmacHex(`${at}`, text)}`)
  const signatures = ['v0=of another kind', ...others, `v1=${hmacHex(secret, text)}`].join(',')
  const rawHeaders = ['x-pakket-time', seconds, 'x-pakket-signature', signatures]
  expect(verify({ sender: { ...pakket, separator: ',' }, rawHeaders }).ok).toBe(ok)
})

describe('a template', () => {
  const text = fc.string({ unit: fc.constantFrom(...'abc.:{} \n'), maxLength: 12 })

  test('is refused without the body in its signed text', () => {
    const placeholders = fc.constantFrom(
      '{{timestamp}}',
      '{{id}}',
      '{{url}}',
      '{{header:x-a}}',
      '{{bodies}}',
      '{body}',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(text, placeholders), { maxLength: 6 }), parts => {
        const signed = parts.join('')
        fc.pre(!/\{\{[ \t]*body[ \t]*\}\}/.test(signed))
        const read = Sender.safeParse({ ...pakket, signed })
        expect(read.error?.issues.map(({ path }) => path[0])).toContain('signed')
      }),
    )
  })

  test('never matches a signature of a text without the body', () => {
    const part = fc.constantFrom('a', '.', '{{timestamp}}', '{{url}}', '{{header:x-a}}')
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 4 }),
        fc.array(part, { maxLength: 4 }),
        fc.constantFrom<'sha1' | 'sha256' | 'sha512'>('sha1', 'sha256', 'sha512'),
        fc.constantFrom<'hex' | 'base64'>('hex', 'base64'),
        fc.uint8Array({ minLength: 1, maxLength: 50 }),
        (before, after, algorithm, encoding, bytes) => {
          const signed = `{{timestamp}}${before.join('')}{{body}}${after.join('')}`
          const sender = Sender.parse({ ...pakket, signed, algorithm, encoding })
          const filled = (given: string) =>
            given
              .replaceAll('{{timestamp}}', seconds)
              .replaceAll('{{url}}', url)
              .replaceAll('{{header:x-a}}', 'é')
          const digest = (message: Uint8Array) =>
            createHmac(algorithm, secret).update(message).digest(encoding)
          const [start = '', end = ''] = signed.split('{{body}}').map(filled)
          const codeOf = (message: Uint8Array) =>
            verify({
              sender,
              body: Buffer.from(bytes),
              rawHeaders: [
                'x-pakket-time',
                seconds,
                'x-a',
                'é',
                'x-pakket-signature',
                `v1=${digest(message)}`,
              ],
            }).steps.find(({ step }) => step === 'signature')?.state
          const around = [start, end].map(one => Buffer.from(one, 'latin1'))
          expect(codeOf(Buffer.concat(around))).toBe('failed')
          const [first = Buffer.alloc(0), last = Buffer.alloc(0)] = around
          expect(codeOf(Buffer.concat([first, bytes, last]))).toBe('passed')
        },
      ),
    )
  })

  test.each([
    ['signed', { signed: '{{body}}{{body}}' }],
    ['signed', { signed: '{{body}}{{time}}' }],
    ['signed', { signed: '{{body}}é' }],
    ['empty', { empty: 'ignore' }],
    ['signed', { signed: '{{body}}' }],
    ['timestampHeader', { timestampHeader: undefined }],
    ['idHeader', { signed: '{{id}}{{timestamp}}{{body}}' }],
    ['signed', { idHeader: 'x-id' }],
    ['separator', { timestampHeader: 'x-pakket-signature', timestampPrefix: 't=' }],
    ['timestampPrefix', { timestampHeader: 'x-pakket-signature', separator: ',' }],
    ['eventName', { eventName: { path: 'a..b' } }],
    ['signatureHeader', { signatureHeader: 'x pakket' }],
  ])('with a wrong field is refused at %s: %j', (field, changed) => {
    const read = Sender.safeParse({ ...pakket, ...changed })
    expect(read.error?.issues.map(({ path }) => path[0])).toContain(field)
  })

  // Presets sign as their provider does: some leave out the body, which no own template may do.
  const described = Object.entries(schemes).filter(([name]) => !isPreset(name))
  test.each(described)('can be made from the scheme %s', (_scheme, { templates }) => {
    for (const template of templates) {
      const own = Sender.parse({ scheme: 'template', ...writeTemplate(template) })
      expect(templatesOf(own)).toEqual([template])
    }
  })

  test.each(['standard-webhooks', 'github', 'stripe', 'slack', 'shopify'])(
    'has the choices of its owner in the scheme %s',
    scheme => {
      const choices = { eventName: { header: 'x-name' }, data: { path: 'a.b' } }
      for (const template of templatesOf(Sender.parse({ scheme, ...choices })))
        expect(template).toMatchObject(choices)
    },
  )
})
