import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { diagnose } from '#main/signing/diagnose.ts'
import type { DiagnosisRequest } from '#main/signing/diagnose-proof.ts'
import { Diagnosis, DiagnosisCode } from '#shared/model/diagnosis.ts'
import { defaultSender } from '#shared/model/sender/sender.ts'
import { hasProgram } from '../support/has-program.ts'
import { schemeMistakes } from './scheme-mistakes.ts'
import { headersOf, hmacHex, nowMs, secret } from './sender.ts'
import {
  inboundToken,
  oldSecret,
  otherSecret,
  type SendersMistake,
  sendersMistakes,
} from './senders-mistakes.ts'

function requestOf({ timestamp, signature, body }: SendersMistake['sent']): DiagnosisRequest {
  return {
    secret,
    oldSecrets: [oldSecret],
    otherConnections: [
      { connectionId: 'conn_1', name: 'Billing', secret: otherSecret },
      { connectionId: 'conn_2', secret },
    ],
    inboundToken,
    sender: defaultSender,
    headers: headersOf(timestamp, signature),
    rawBody: Buffer.from(body),
    nowMs,
  }
}

describe("a sender's mistake is named", () => {
  it.each(sendersMistakes)('$code: $sender', ({ code, sent, says = '' }) => {
    const diagnosis = diagnose(requestOf(sent))
    expect(diagnosis).toMatchObject({ code })
    expect(diagnosis.message).toContain(says)
  })

  it('for every code there is', () => {
    const ofQuestions = ['other_verify_token', 'other_handshake']
    const inEvents = DiagnosisCode.options.filter(code => !ofQuestions.includes(code))
    expect(new Set([...sendersMistakes, ...schemeMistakes].map(({ code }) => code))).toEqual(
      new Set(inEvents),
    )
  })

  it.runIf(hasProgram('python3'))('body_reserialized: what Python itself makes', () => {
    const body = `{"z":"caf\u00e9 \u{1f600} it's \\"q\\" /","event":"x","data":{"b":[1,2.5,{}],"a":null,"t":true}}`
    const expressions = [
      'json.dumps(value)',
      'json.dumps(value, ensure_ascii=False)',
      'json.dumps(value, sort_keys=True)',
      'json.dumps(value, indent=2)',
      'json.dumps(value, indent=4, sort_keys=True, ensure_ascii=False)',
      'json.dumps(value) + "\\n"',
      'str(value)',
      'repr(body)',
    ]
    const program = `import sys, json; body = sys.stdin.buffer.read(); value = json.loads(body); sys.stdout.write(json.dumps([${expressions}]))`
    const made = z
      .array(z.string())
      .parse(JSON.parse(`${execFileSync('python3', ['-c', program], { input: body })}`))
    const codes = made.map(signed => {
      const signature = `sha256=${hmacHex(secret, `${nowMs}.${signed}`)}`
      return diagnose(requestOf({ timestamp: String(nowMs), signature, body })).code
    })
    expect(codes).toEqual(expressions.map(() => 'body_reserialized'))
  })
})

describe('the difference between the signed and the sent text', () => {
  const sentWith = (signed: string, body: string) => {
    const timestamp = String(nowMs)
    const signature = `sha256=${hmacHex(secret, Buffer.from(`${timestamp}.${signed}`))}`
    return diagnose(requestOf({ timestamp, signature, body })).difference
  }

  it('begins a little before the first byte that differs', () => {
    const padding = 'x'.repeat(100)
    expect(sentWith(`{"event": "${padding}", "n": 1}`, `{"event":"${padding}","n":1}`)).toEqual({
      signed: `{"event": "${'x'.repeat(38)}…`,
      sent: `{"event":"${'x'.repeat(39)}…`,
    })
    expect(sentWith(`{"event":"${padding}"}\n`, `{"event":"${padding}"}`)).toEqual({
      signed: `…${'x'.repeat(22)}"}\n`,
      sent: `…${'x'.repeat(22)}"}`,
    })
  })

  it('is not told of other mistakes', () => {
    const [mistake] = sendersMistakes.filter(({ code }) => code === 'missing_dot')
    expect(mistake && diagnose(requestOf(mistake.sent))).not.toHaveProperty('difference')
  })
})

describe('a message', () => {
  const digests = (key: string, { timestamp, body }: SendersMistake['sent']) =>
    hmacHex(key, Buffer.concat([Buffer.from(`${timestamp}.`), Buffer.from(body)]))

  it.each(sendersMistakes)('gives nothing away and is short ($code: $sender)', ({ sent }) => {
    const { message } = Diagnosis.parse(diagnose(requestOf(sent)))
    const expected = digests(secret, sent)
    const kept = [secret, oldSecret, otherSecret, inboundToken]
    for (const text of [...kept, ...kept.map(text => text.slice(6)), expected, expected.toUpperCase()]) {
      expect(message).not.toContain(text)
    }
    expect(message).not.toContain(Buffer.from(expected, 'hex').toString('base64'))
    expect(message.split(/[.?!](?= [A-Z])/).length).toBeLessThanOrEqual(2)
    expect(message).toMatch(/^[A-Z].*[.]$/s)
  })
})

describe('a diagnosis', () => {
  const good = requestOf({
    timestamp: String(nowMs),
    signature: `sha256=${hmacHex('another', 'x')}`,
    body: '{}',
  })

  it('of a connection without a secret says so, even if the empty key was used', () => {
    const headers = headersOf(String(nowMs), `sha256=${hmacHex('', `${nowMs}.{}`)}`)
    const diagnosis = diagnose({ ...good, secret: '', headers })
    expect(diagnosis).toMatchObject({
      code: 'unknown',
      message: expect.stringContaining('no signing secret'),
    })
  })

  it('needs neither old secrets nor other connections nor a token', () => {
    const { sender, headers, rawBody } = good
    expect(diagnose({ secret, sender, headers, rawBody, nowMs }).code).toBe('unknown')
  })

  it('asks for no more than 1,000 other connections', () => {
    let asked = 0
    function* endless() {
      for (;;) yield { secret: `whsec_${asked++}` }
    }
    expect(diagnose({ ...good, otherConnections: endless() }).code).toBe('unknown')
    expect(asked).toBeLessThanOrEqual(1001)
  })

  it('does not take a signature that fits by its form alone for a match', () => {
    const headers = headersOf(String(nowMs), hmacHex('another', 'x'))
    expect(diagnose({ ...good, headers })).toMatchObject({ code: 'missing_scheme' })
  })

  it('never throws', () => {
    const text = fc.option(fc.string({ unit: 'binary', maxLength: 120 }), { nil: undefined })
    const anyBody = fc.oneof(
      fc.uint8Array({ maxLength: 100 }).map(bytes => Buffer.from(bytes)),
      fc.json().map(json => Buffer.from(json)),
    )
    const signature = fc.oneof(text, fc.constant(`sha256=${hmacHex('another', 'x')}`))
    fc.assert(
      fc.property(
        text,
        signature,
        anyBody,
        fc.string(),
        (timestampHeader, signatureHeader, rawBody, anySecret) => {
          const headers = headersOf(timestampHeader, signatureHeader)
          const request = { ...good, secret: anySecret, headers, rawBody }
          expect(Diagnosis.safeParse(diagnose(request)).success).toBe(true)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('recognizes every JSON text that was parsed and written again', () => {
    const anyValue = fc.jsonValue({ maxDepth: 4, stringUnit: 'grapheme' })
    fc.assert(
      fc.property(
        anyValue,
        fc.constantFrom(0, 2, 4),
        fc.constantFrom(0, 2, 4),
        (value, sentIndent, signedIndent) => {
          const body = JSON.stringify(value, null, sentIndent)
          const signed = JSON.stringify(value, null, signedIndent)
          fc.pre(body !== signed && !['{}', '[]', 'null'].includes(signed))
          const signature = `sha256=${hmacHex(secret, `${nowMs}.${signed}`)}`
          expect(diagnose(requestOf({ timestamp: String(nowMs), signature, body }))).toMatchObject({
            code: 'body_reserialized',
          })
        },
      ),
    )
  })
})
