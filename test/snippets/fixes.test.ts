import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { diagnose } from '#main/signing/diagnose.ts'
import { verificationKeysOf, verifyRequest } from '#main/signing/verify.ts'
import { DiagnosisCode } from '#shared/model/diagnosis.ts'
import { fixFor } from '#shared/snippets/fixes.ts'
import { languageSnippets } from '#shared/snippets/languages.ts'
import { languages } from '#shared/snippets/snippet.ts'
import { secret } from '../signing/sender.ts'
import { inboundToken } from '../signing/senders-mistakes.ts'
import { mistakenSender } from './mistaken-sender.ts'
import { finish, folderWith, runnableLanguages, start } from './runtimes.ts'

const inSettings: readonly DiagnosisCode[] = ['old_secret', 'other_connection', 'unknown']
const inCode = DiagnosisCode.options.filter(code => !inSettings.includes(code))

describe.each(languages)('in %s', language => {
  test.each(inCode)('%s can be mended with a few lines of the sender', code => {
    const fix = fixFor(code, language)
    expect(fix?.added.length).toBeGreaterThan(0)
    expect(fix?.added).not.toEqual(fix?.removed)
    const { wrong, right, isRightAsShown } = mistakenSender(code, language, 'http://127.0.0.1/events')
    expect(wrong).not.toBe(right)
    expect(isRightAsShown).toBe(code !== 'secret_with_whitespace')
  })

  test.each(inSettings)('%s lies in no line', code => {
    expect(fixFor(code, language)).toBeNull()
  })
})

test('a fix is shown in its place, moved to the margin', () => {
  expect(fixFor('signed_body_only', 'node')).toEqual({
    before: ["const digest = createHmac('sha256', secret)"],
    removed: ['  .update(body)'],
    added: [`  .update(\`\${timestamp}.\${body}\`)`],
    after: ["  .digest('hex')"],
  })
})

type Received = { readonly headers: NodeJS.Dict<string | string[]>; readonly rawBody: Buffer }

const received = new Map<string, Received>()
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  received.set(request.url ?? '', { headers: request.headers, rawBody: Buffer.concat(chunks) })
  response.end('{"ok":true}')
})
let address = ''
beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('A TCP server has a port.')
  address = `http://127.0.0.1:${bound.port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

describe.each(runnableLanguages())('run, in %s', language => {
  const { file, command } = languageSnippets[language].send

  async function send(path: string, program: string, env: Record<string, string>): Promise<Received> {
    const folder = await folderWith(file, program)
    const { stderr } = await finish(start({ folder, command, env }))
    const request = received.get(path)
    if (request === undefined) throw new Error(`Nothing came: ${stderr}`)
    return request
  }

  test.each(inCode)('%s is what the wrong lines make, and the right ones make it good', async code => {
    const path = `/${language}/${code}`
    const { wrong, right, isRightAsShown } = mistakenSender(code, language, address + path)
    const env = {
      CC_SIGNING_SECRET: code === 'secret_with_whitespace' ? `${secret}\n` : secret,
      CC_INBOUND_TOKEN: inboundToken,
      // Programs this short are over before a better compiler pays.
      JDK_JAVA_OPTIONS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC',
    }
    const { headers, rawBody } = await send(path, wrong, env)
    const nowMs = Date.now()
    const diagnosis = diagnose({
      secret,
      inboundToken,
      timestampHeader: String(headers['x-service-timestamp']),
      signatureHeader: String(headers['x-service-signature']),
      rawBody,
      nowMs,
    })
    expect(diagnosis).toMatchObject({ code })

    if (isRightAsShown) return // send.test.ts runs it
    const good = await send(path, right, env)
    const verification = verifyRequest({
      keys: verificationKeysOf({ signingSecret: secret, previousSecret: null }),
      timestamp: String(good.headers['x-service-timestamp']),
      signature: String(good.headers['x-service-signature']),
      rawBody: good.rawBody,
      nowMs: Date.now(),
    })
    expect(verification.ok).toBe(true)
  })
})
