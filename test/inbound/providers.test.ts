import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { movableProblem, Sender } from '#shared/model/sender/sender.ts'
import { type Sample, working } from '../fixtures/senders/working-providers.ts'
import { startInbound } from '../support/inbound-fixture.ts'
import { providerTables } from '../support/provider-tables.ts'
import { exchange } from '../support/raw-http.ts'
import { schemeTable } from '../support/scheme-table.ts'
import { pathOf } from '../support/sender.ts'

const key = Buffer.alloc(24, 7)
const secret = `whsec_${key.toString('base64')}`

/** Returns a request as a provider signs it, without the project's own code. */
function requestOf(
  { body, headers = {}, signs, hmac, signature, eventName }: Sample,
  path: string,
  nowMs: number,
) {
  const text = JSON.stringify(body)
  const values = { url: `https://in.example${path}`, id: 'msg_1', s: String(nowMs / 1000), ms: String(nowMs) }
  const fill = (template: string, more: Readonly<Record<string, string>>) =>
    template.replace(/\{(\w+)\}/g, (whole, name: string) => ({ ...values, ...more })[name] ?? whole)
  const { algorithm = 'sha256', encoding, isKeyEncoded } = hmac
  const digest = createHmac(algorithm, isKeyEncoded ? key : secret)
    .update(fill(signs, { body: text }))
    .digest(encoding)
  const lines = [
    `POST ${path} HTTP/1.1`,
    ...['Host: connect.example', 'Content-Type: application/json', `Content-Length: ${text.length}`],
    ...Object.entries(headers).map(([header, of]) => `${header}: ${fill(of, {})}`),
    fill(signature, { hmac: digest }),
  ]
  return { bytes: Buffer.from(`${lines.join('\r\n')}\r\n\r\n${text}`), eventName }
}

test.each(working)('events of $provider come in', async ({ sender, sample }) => {
  const fixture = await startInbound()
  const parsed = Sender.parse(sender)
  expect(movableProblem(parsed)).toBeNull()
  await fixture.change({ sender: parsed, senderSecret: secret })
  const { bytes, eventName } = requestOf(sample, pathOf(fixture.connection.token), fixture.clock.now)
  expect(await exchange(fixture, [bytes])).toMatchObject([{ status: 200 }])
  expect(fixture.outcomes).toMatchObject([{ kind: 'event.accepted', eventName }])
})

const docs = readFileSync(join(import.meta.dirname, '../../docs/senders.md'), 'utf8')

test('docs/senders.md has the table of the schemes', () => {
  const [, found] = /<!-- schemes -->\n\n([\s\S]*?)\n\n<!-- end of schemes -->/.exec(docs) ?? []
  expect(found).toBe(schemeTable())
})

test('docs/senders.md has the table of the providers without a preset', () => {
  const [, found] = /<!-- providers -->\n\n([\s\S]*?)\n\n<!-- end of providers -->/.exec(docs) ?? []
  expect(found).toBe(providerTables())
})

test('each provider is listed once', () => {
  const names = working.map(({ provider }) => provider)
  expect(new Set(names).size).toBe(names.length)
})
