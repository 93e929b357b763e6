import { expect, test } from 'vitest'
import { diagnose } from '#main/signing/diagnose.ts'
import { defaultSender } from '#shared/model/sender/sender.ts'
import { cpuMs } from '../support/cpu-ms.ts'
import { headersOf, hmacHex, nowMs, secret } from './sender.ts'

const request = {
  ...{ secret, inboundToken: 'token', sender: defaultSender, nowMs },
  headers: headersOf(String(nowMs), `sha256=${hmacHex('another', 'x')}`),
}

test.each([
  ['nested 100,000 deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ['nested and never closed', '{"a":'.repeat(50_000)],
  ['wide, where indentation would be vast', `${'['.repeat(99)}${'1,'.repeat(100_000)}1${']'.repeat(99)}`],
  ['full of line breaks', `${'\n'.repeat(1_000_000)}x`],
  ['full of quotes', '"'.repeat(250_000)],
  ['one long string with escapes', JSON.stringify('é"\\\u0000\ud800'.repeat(20_000))],
  ['a lone surrogate and a prototype', '{"__proto__":{"event":"\\ud800"},"data":{"__proto__":1}}'],
  ['no JSON', '{"event":'],
  ['8 MiB of bytes that are not UTF-8', Buffer.alloc(8 << 20, 0xc3)],
])('the diagnosis of a body %s is unknown, in bounded time', (_name, body) => {
  const rawBody = Buffer.from(body)
  const took = cpuMs(() => expect(diagnose({ ...request, rawBody }).code).toBe('unknown'))
  // Far above what it takes, far below what unbounded work would.
  expect(took).toBeLessThan(5000)
})
