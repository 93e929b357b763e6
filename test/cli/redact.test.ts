import { describe, expect, it } from 'vitest'
import { redact } from '#main/cli/logger.ts'

const hidden = '[redacted]'

describe('redact', () => {
  it('hides what is named for a credential or a body, at any depth', () => {
    const fields = {
      authorization: 'Bearer a',
      signingSecret: 's',
      adminToken: 't',
      body: { card: 1 },
      request: {
        headers: { Authorization: 'x' },
        'x-service-signature': 'sha256=1',
        list: [{ inboundToken: 't' }],
      },
    }
    expect(redact(fields)).toEqual({
      authorization: hidden,
      signingSecret: hidden,
      adminToken: hidden,
      body: hidden,
      request: { headers: hidden, 'x-service-signature': hidden, list: [{ inboundToken: hidden }] },
    })
  })

  it('hides credentials in running text, errors and their causes too', () => {
    const cause = new Error('401 for Bearer abc.def-ghi')
    const err = Object.assign(
      new Error('POST /api/connect/tok_en-1/events with whsec_AbC-_1 failed', { cause }),
      {
        secret: 'x',
      },
    )
    const text = JSON.stringify(redact({ err, url: 'http://h/api/connect/tok_en-1/events?x' }))
    for (const canary of ['abc.def-ghi', 'tok_en-1', 'AbC-_1']) expect(text).not.toContain(canary)
    expect(text).toContain('POST /api/connect/[redacted]/events with whsec_[redacted] failed')
    expect(redact({ err })).toMatchObject({ err: { type: 'Error', secret: hidden } })
  })

  it('leaves the rest as it is', () => {
    const fields = { eventId: 'evt_1', n: 1, none: null, ok: true, at: new Date(0), list: ['a', 1] }
    expect(redact(fields)).toEqual(fields)
  })

  it('ends with an object that holds itself', () => {
    const loop: Record<string, unknown> = { name: 'a' }
    loop.self = loop
    expect(JSON.stringify(redact({ loop }))).toContain(hidden)
  })
})
