import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listenOn } from '#main/lib/listen-on.ts'
import { diagnose } from '#main/signing/diagnose.ts'
import { verificationKeysOf, verifyRequest } from '#main/signing/verify.ts'
import { fixFor } from '#renderer/entities/snippet/fixes.ts'
import { languageSnippets } from '#renderer/entities/snippet/languages.ts'
import { quote } from '#renderer/entities/snippet/quote.ts'
import { type Language, languages } from '#renderer/entities/snippet/snippet.ts'
import { DiagnosisCode } from '#shared/model/diagnosis.ts'
import { defaultSender } from '#shared/model/sender/sender.ts'
import { headersOf, secret } from '../../../signing/sender.ts'
import { inboundToken } from '../../../signing/senders-mistakes.ts'
import { mistakenSender } from './mistaken-sender.ts'
import { finish, folderWith, runnableLanguages, start } from './runtimes.ts'

const inSettings: readonly DiagnosisCode[] = [
  ...(['old_secret', 'other_connection', 'connection_secret', 'key_empty', 'no_secret', 'unknown'] as const),
  // Only in other schemes, or of a sender that signs in one.
  ...(['timestamp_in_milliseconds', 'other_signed_text', 'other_prefix', 'digest_hex'] as const),
  ...(['other_algorithm', 'key_not_decoded', 'other_scheme', 'other_header'] as const),
  ...(['other_verify_token', 'other_handshake'] as const),
]
const inCode = DiagnosisCode.options.filter(code => !inSettings.includes(code))

describe.each(languages)('in %s', language => {
  test('every mistake in code has a fix of a few lines', () => {
    for (const code of inCode) {
      const fix = fixFor(code, language)
      expect(fix?.added.length, code).toBeGreaterThan(0)
      expect(fix?.added, code).not.toEqual(fix?.removed)
      const { isRightAsShown } = mistakenSender(code, language, 'http://127.0.0.1/events')
      expect(isRightAsShown, code).toBe(code !== 'secret_with_whitespace')
    }
  })

  test.each(inSettings)('%s has no fix in code', code => {
    expect(fixFor(code, language)).toBeNull()
  })
})

test.each(languages)('in %s, the fix of reserialized JSON sends the signed text', language => {
  const fix = fixFor('body_reserialized', language)
  expect(fix?.removed.join('\n')).toMatch(/json|jq|mapper/i)
  expect(fix?.removed.join('\n')).not.toMatch(/echo|"\\n"/)
  expect(fix?.added.join('\n')).toMatch(/body/i)
  expect(fix?.added.join('\n')).not.toMatch(/json|jq|mapper/i)
})

test('a fix has the lines around it, without their common indentation', () => {
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
  const { port } = await listenOn(server, '127.0.0.1', 0)
  address = `http://127.0.0.1:${port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/**
 * Programs as one that runs them one after another: starting some languages takes longer than all of them. In other
 * languages, each is a process.
 */
const joined: Partial<Record<Language, (programs: readonly string[]) => string>> = {
  java(programs) {
    const lines = programs.flatMap((program, index) =>
      program.replace('public class Send', `class Send${index}`).split('\n'),
    )
    const imports = new Set(lines.filter(line => line.startsWith('import ')))
    const classes = lines.filter(line => !imports.has(line))
    const calls = programs.map((_program, index) => `Send${index}.main(args);`)
    const main = `public class All { public static void main(String[] args) throws Exception { ${calls.join(' ')} } }`
    return [...imports, main, ...classes].join('\n')
  },
  node: programs =>
    programs
      .map(
        program =>
          `await import('data:text/javascript,${encodeURIComponent(program).replaceAll("'", '%27')}')`,
      )
      .join('\n'),
  python: programs =>
    programs.map(program => `exec(${quote.python(program)}, {'__name__': '__main__'})`).join('\n'),
}

describe.each(runnableLanguages())('run, in %s', language => {
  const { file, command } = languageSnippets[language].send

  async function send(programs: readonly string[], key: string): Promise<void> {
    const env = { CC_SIGNING_SECRET: key, CC_INBOUND_TOKEN: inboundToken }
    const join = joined[language]
    for (const program of join === undefined ? programs : [join(programs)]) {
      const folder = await folderWith(file, program)
      const { code, stderr } = await finish(start({ folder, command, env }))
      if (code !== 0) throw new Error(`${stderr}\n${program}`)
    }
  }
  const programOf = (code: DiagnosisCode) => mistakenSender(code, language, `${address}/${language}/${code}`)
  function requestOf(code: DiagnosisCode) {
    const request = received.get(`/${language}/${code}`)
    if (request === undefined) throw new Error(`Nothing came of ${code} in ${language}.`)
    const timestamp = String(request.headers['x-service-timestamp'])
    return { timestamp, signature: String(request.headers['x-service-signature']), rawBody: request.rawBody }
  }

  test('the wrong lines make the diagnosed mistake', async () => {
    const inLines = inCode.filter(code => code !== 'secret_with_whitespace')
    await send(
      inLines.map(code => programOf(code).wrong),
      secret,
    )
    await send([programOf('secret_with_whitespace').wrong], `${secret}\n`)
    const diagnosed = inCode.map(code => {
      const { timestamp, signature, rawBody } = requestOf(code)
      const headers = headersOf(timestamp, signature)
      const clues = { secret, inboundToken, sender: defaultSender, headers, rawBody }
      return [code, diagnose({ ...clues, nowMs: Date.now() }).code]
    })
    expect(diagnosed).toEqual(inCode.map(code => [code, code]))
  })

  test('the corrected lines work where the sender does not already contain them', async () => {
    const code = 'secret_with_whitespace'
    await send([programOf(code).right], `${secret}\n`)
    const keys = verificationKeysOf({ signingSecret: secret })
    expect(verifyRequest({ keys, ...requestOf(code), nowMs: Date.now() }).ok).toBe(true)
  })
})
