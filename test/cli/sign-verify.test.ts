import { spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCliHere as runCli } from '../support/cli-here.ts'
import { jsonOf } from '../support/cli-process.ts'
import { temporaryFolder } from '../support/cli-service.ts'
import { hasProgram } from '../support/has-program.ts'
import { waitMs } from '../support/patience.ts'

const secret = 'whsec_ceQmnbXcVd0rZ6W0pJ3mY0qX6o0b0k0v0t8mJ2cO1x0'
const timestamp = '1700000000000'
const now = '1700000001000'
const body = '{"event":"order.created","data":{"name":"Zoë ✓","n":1.10}}'

describe('sign', () => {
  it('prints two lines that curl -H takes', async () => {
    const result = await runCli(['sign', '--secret', secret, '--timestamp', timestamp], { stdin: body })
    expect(result).toMatchObject({ code: 0, stderr: '' })
    expect(result.stdout).toBe(
      `x-service-timestamp: ${timestamp}\nx-service-signature: ${signature(`${timestamp}.${body}`)}\n`,
    )
  })

  it('signs stdin, --body and --body @file alike, byte for byte', async () => {
    const file = join(temporaryFolder(), 'body')
    writeFileSync(file, body)
    const args = ['sign', '--timestamp', timestamp, '--json']
    const env = { CUSTOM_CONNECTION_SECRET: secret }
    const expected = {
      'x-service-timestamp': timestamp,
      'x-service-signature': signature(`${timestamp}.${body}`),
    }
    expect(jsonOf(await runCli(args, { env, stdin: body }))).toEqual(expected)
    expect(jsonOf(await runCli([...args, '--body', body], { env }))).toEqual(expected)
    expect(jsonOf(await runCli([...args, '--body', `@${file}`], { env }))).toEqual(expected)

    const bytes = Buffer.from([0, 0xff, 0x0d, 0x0a, 0x80])
    expect(jsonOf(await runCli(args, { env, stdin: bytes }))).toMatchObject({
      'x-service-signature': `sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(bytes).digest('hex')}`,
    })
    expect(jsonOf(await runCli([...args, '--body', ''], { env }))).toMatchObject({
      'x-service-signature': signature(`${timestamp}.`),
    })
  })

  it('takes the present moment by default, in milliseconds', async () => {
    const before = Date.now()
    const result = await runCli(['sign', '--secret', secret, '--body', body])
    const [, made] = /^x-service-timestamp: (\d+)\n/.exec(result.stdout) ?? []
    expect(Number(made)).toBeGreaterThanOrEqual(before)
    expect(Number(made)).toBeLessThanOrEqual(Date.now())
  })

  it('reads the secret from a file, less its line break', async () => {
    const file = join(temporaryFolder(), 'secret')
    writeFileSync(file, `${secret}\n`)
    const result = await runCli(['sign', '--secret', `@${file}`, '--timestamp', timestamp, '--body', body])
    expect(result.stdout).toContain(signature(`${timestamp}.${body}`))
  })

  it.runIf(hasProgram('openssl'))('agrees with openssl', async () => {
    const { stdout } = await runCli(['sign', '--secret', secret, '--timestamp', timestamp], { stdin: body })
    const openssl = spawnSync('openssl', ['dgst', '-sha256', '-hmac', secret, '-r'], {
      input: `${timestamp}.${body}`,
    })
    expect(stdout).toContain(`x-service-signature: sha256=${String(openssl.stdout).split(' ')[0]}\n`)
  })

  it.runIf(hasProgram('python3'))("agrees with Python's hmac", async () => {
    const { stdout } = await runCli(['sign', '--secret', secret, '--timestamp', timestamp], { stdin: body })
    const program =
      'import hmac,sys; print(hmac.new(sys.argv[1].encode(), sys.stdin.buffer.read(), "sha256").hexdigest())'
    const python = spawnSync('python3', ['-c', program, secret], { input: `${timestamp}.${body}` })
    expect(stdout).toContain(`x-service-signature: sha256=${String(python.stdout).trim()}\n`)
  })

  it.runIf(hasProgram('python3') && process.platform !== 'win32')(
    'says so when somebody has to type the body',
    async () => {
      const program = [
        'import os, pty, sys',
        'def read(fd):',
        '    data = os.read(fd, 1024)',
        '    return data',
        'sent = [b"\\x04"]',
        'sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:], read, lambda fd: sent.pop() if sent else b"")))',
      ].join('\n')
      const entry = join(import.meta.dirname, '../../src-main/cli/main.ts')
      const args = ['-c', program, process.execPath, entry, 'sign', '--secret', secret]
      const { stdout } = spawnSync('python3', args, { input: '\n', timeout: waitMs })
      expect(String(stdout)).toContain('Reading the body from the terminal. End it with Ctrl-D.')
    },
  )
})

describe('verify', () => {
  it('says what a question is answered with', async () => {
    const asked = [
      'verify',
      '--as',
      'dropbox',
      '--secret',
      secret,
      '--method',
      'GET',
      '--query',
      'challenge=abc',
    ]
    expect(await runCli(asked)).toMatchObject({ code: 0, stdout: 'ok: a question, answered with abc\n' })
    expect(jsonOf(await runCli([...asked, '--json']))).toEqual({ ok: true, challenge: 'abc' })
    const trello = ['verify', '--as', 'trello', '--secret', secret, '--method', 'HEAD', '--query', 'x']
    expect((await runCli(trello)).stdout).toBe('ok: a question, answered without a body\n')
    const refused = await runCli([
      'verify',
      '--as',
      'github',
      '--secret',
      secret,
      '--method',
      'GET',
      '--query',
      'x',
    ])
    expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining('method_not_allowed') })
  })

  const good = signature(`${timestamp}.${body}`)
  const verify = (signed: string, { at = now, sentAt = timestamp, stdin = body, json = true } = {}) =>
    runCli(
      [
        'verify',
        '--secret',
        secret,
        '--timestamp',
        sentAt,
        '--signature',
        signed,
        '--now',
        at,
        ...(json ? ['--json'] : []),
      ],
      { stdin },
    )

  it('says ok', async () => {
    expect(await verify(good, { json: false })).toEqual({ code: 0, stdout: 'ok\n', stderr: '' })
    expect(jsonOf(await verify(good))).toEqual({ ok: true })
  })

  it.each([
    ['invalid_json', '{"event":', 'The body is not valid JSON'],
    ['missing_event', '{"name":"order.created"}', 'event'],
    ['invalid_event', '{"event":7}', 'event'],
    ['invalid_data', '{"event":"a","data":[1]}', 'data'],
  ])('refuses a signed body with %s, as the endpoint does', async (code, stdin, says) => {
    const signed = signature(`${timestamp}.${stdin}`)
    const result = await verify(signed, { stdin })
    expect(result.code).toBe(1)
    expect(jsonOf(result)).toMatchObject({ ok: false, code, diagnosis: null })
    const { stdout } = await verify(signed, { stdin, json: false })
    expect(stdout).toMatch(new RegExp(`^${code}: .*${says}`))
  })

  it('takes what sign prints at the moment', async () => {
    const { stdout } = await runCli(['sign', '--secret', secret, '--body', body])
    const [made = '', signed = ''] = stdout.split('\n').map(line => line.split(': ')[1] ?? '')
    const args = ['verify', '--secret', secret, '--timestamp', made, '--signature', signed, '--body', body]
    expect((await runCli(args)).code).toBe(0)
  })

  it.each([
    ['signed_body_only', signature(body), {}],
    ['missing_dot', signature(`${timestamp}${body}`), {}],
    ['missing_scheme', good.slice('sha256='.length), {}],
    ['digest_uppercase', `sha256=${good.slice('sha256='.length).toUpperCase()}`, {}],
    ['key_without_prefix', signature(`${timestamp}.${body}`, secret.slice('whsec_'.length)), {}],
    ['body_reserialized', good, { stdin: `${body}\n` }],
    ['unknown', signature('something else'), {}],
  ])('names the mistake: %s', async (code, signed, options) => {
    const result = await verify(signed, options)
    expect(result.code).toBe(1)
    expect(jsonOf(result)).toEqual({
      ok: false,
      code: 'invalid_signature',
      message: expect.any(String),
      diagnosis: expect.objectContaining({ code, message: expect.any(String) }),
    })
    expect(result.stdout).not.toContain(good.slice('sha256='.length))
  })

  it('evaluates the timestamp before the signature', async () => {
    const stale = await verify(good, { at: String(Number(timestamp) + 300_001) })
    expect(jsonOf(stale)).toMatchObject({ code: 'stale_timestamp' })
    expect((await verify(good, { at: String(Number(timestamp) + 300_000) })).code).toBe(0)
    const seconds = await verify(signature(`1700000000.${body}`), { sentAt: '1700000000' })
    expect(jsonOf(seconds)).toMatchObject({
      code: 'stale_timestamp',
      diagnosis: { code: 'timestamp_in_seconds' },
    })
    expect(jsonOf(await verify(good, { sentAt: '' }))).toMatchObject({ code: 'missing_timestamp' })
    expect(jsonOf(await verify('', {}))).toMatchObject({ code: 'missing_signature' })
  })

  it('tells people the code and the diagnosis, a line each', async () => {
    const result = await verify(signature(body), { json: false })
    expect(result.code).toBe(1)
    expect(result.stdout).toMatch(/^invalid_signature: .+\nsigned_body_only: .+\n$/)
  })
})

function signature(text: string, key = secret): string {
  return `sha256=${createHmac('sha256', key).update(text).digest('hex')}`
}

describe('other schemes', () => {
  const github = ['--as', 'github', '--secret', "It's a Secret to Everybody"]

  it('signs and verifies as GitHub does, with its documented example', async () => {
    const value = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
    expect(await runCli(['sign', ...github, '--body', 'Hello, World!'])).toEqual({
      ...{ code: 0, stderr: '' },
      stdout: `x-hub-signature-256: ${value}\n`,
    })
  })

  it('verifies the headers of a request, and explains a refused one in the terms of its scheme', async () => {
    const { stdout } = await runCli(['sign', ...github, '--body', body])
    const args = ['verify', ...github, '--body', body, '--header', 'X-GitHub-Event: push']
    expect(await runCli([...args, '--header', stdout.trim()])).toMatchObject({ code: 0, stdout: 'ok\n' })
    const wrong = await runCli([
      ...args,
      '--header',
      `X-Hub-Signature-256: sha256=${'0'.repeat(64)}`,
      '--json',
    ])
    expect(wrong.code).toBe(1)
    expect(jsonOf(wrong)).toMatchObject({
      ok: false,
      code: 'invalid_signature',
      diagnosis: { code: 'unknown', scheme: 'github' },
    })
    const stripe = await runCli([...args, '--header', 'Stripe-Signature: t=1,v1=0', '--json'])
    expect(jsonOf(stripe)).toMatchObject({
      code: 'missing_signature',
      diagnosis: { code: 'other_scheme', recognized: 'stripe' },
    })
  })

  it('refuses a scheme that there is not, and a request without headers', async () => {
    const unknown = await runCli(['sign', '--as', 'pigeon-post', '--secret', secret, '--body', body])
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('github') })
    const bare = await runCli(['verify', ...github, '--body', body])
    expect(bare).toMatchObject({ code: 2, stderr: expect.stringContaining('--header') })
  })
})
