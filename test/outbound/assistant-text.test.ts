import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { assistantText } from '#main/outbound/assistant-text.ts'
import type {} from '#shared/json/exact-json.ts'
import type { CallResult } from '#shared/model/call.ts'

const timings = { totalMs: 1, dnsMs: 0, connectMs: 0, tlsMs: 0, firstByteMs: 0, downloadMs: 0 }

function outcome(fields: Partial<CallResult> = {}): CallResult {
  const response = { status: 200, headers: {}, body: '', bytes: 0 }
  return {
    ok: true,
    request: null,
    response,
    result: { a: 1 },
    mapped: null,
    timings,
    error: null,
    ...fields,
  }
}
const failed = (status: number) => ({ ok: false, response: { status, headers: {}, body: '', bytes: 0 } })

describe('what the assistant reads', () => {
  test.each<[string, Partial<CallResult>, string]>([
    ['the result', {}, '{"a":1}'],
    ['wrapped text', { result: { result: 'OK' } }, '{"result":"OK"}'],
    ['the aliases alone', { mapped: { name: 'Ada' } }, '{"name":"Ada"}'],
    ['exact digits', { result: JSON.rawJSON('9007199254740993') }, '9007199254740993'],
    ['a status other than 2xx', failed(404), 'The call was answered with status 404: {"a":1}'],
    [
      'an answer with an error',
      { ...failed(200), error: { code: 'network_error', message: 'Not gzip.' } },
      'The call was answered with status 200 (network_error: Not gzip.): {"a":1}',
    ],
    [
      'an error',
      { ok: false, response: null, result: null, error: { code: 'timeout', message: 'Too late.' } },
      'The call failed (timeout): Too late.',
    ],
  ])('is %s', (_what, fields, text) => {
    expect(assistantText(outcome(fields))).toBe(text)
  })

  test('is at most 64 KiB, with a notice that names the way out', () => {
    const whole = assistantText(outcome({ result: 'x'.repeat(65_534) }))
    expect(whole).toBe(`"${'x'.repeat(65_534)}"`)
    const cut = assistantText(outcome({ result: 'x'.repeat(65_535) }))
    expect(Buffer.byteLength(cut)).toBe(65_536)
    expect(cut).toMatch(
      /x\n\[Cut: the complete response has 65537 bytes, at most 65536 are shown; set a responseMapping .*\]$/,
    )
    expect(assistantText(outcome({ mapped: { all: 'x'.repeat(70_000) } }))).toMatch(
      /its responseMapping .*\]$/,
    )
  })

  test('is cut between characters', () => {
    fc.assert(
      fc.property(
        // The replacement character itself would look like a cut one.
        fc.string({ unit: 'grapheme', minLength: 300 }).filter(text => !text.includes('\ufffd')),
        fc.integer({ min: 250, max: 400 }),
        (text, maxBytes) => {
          const read = assistantText(outcome({ result: text }), maxBytes)
          expect(Buffer.byteLength(read)).toBeLessThanOrEqual(maxBytes)
          expect(read).not.toContain('\ufffd')
          const [shown = ''] = read.split('\n[Cut')
          expect(JSON.stringify(text).startsWith(shown)).toBe(true)
        },
      ),
    )
  })
})
