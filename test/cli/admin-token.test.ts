import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ServiceFacts } from '#main/storage/service-facts.ts'
import { runCliHere } from '../support/cli-here.ts'
import { jsonOf, runCli } from '../support/cli-process.ts'
import {
  type CliService,
  createConnection,
  keptToken,
  rest,
  serve,
  stop,
  temporaryFolder,
} from '../support/cli-service.ts'

const given = 'canary-admin-token-3f9c'

describe('the admin token', () => {
  it('is made at the first start, for this user alone, and used again at the next', async () => {
    const data = temporaryFolder()
    const first = await serve(data)
    const token = keptToken(data)
    const file = join(data, 'admin-token')
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await rest(first, 'GET', '/connections', { token })).status).toBe(200)
    expect((await rest(first, 'GET', '/connections', { token: `${token}x` })).status).toBe(401)
    await stop(first)

    chmodSync(file, 0o644)
    const second = await serve(data)
    expect(keptToken(data)).toBe(token)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await rest(second, 'GET', '/connections', { token })).status).toBe(200)
  })

  it('is created again when its file is empty', async () => {
    const data = temporaryFolder()
    writeFileSync(join(data, 'admin-token'), '\n')
    const service = await serve(data)
    expect(keptToken(data)).toHaveLength(43)
    expect((await rest(service, 'GET', '/connections')).status).toBe(200)
  })

  it.each(['option', 'file', 'environment', 'environment naming a file'])('may be given: %s', async way => {
    const data = temporaryFolder()
    const file = join(temporaryFolder(), 'token')
    writeFileSync(file, `${given}\n`)
    const value = way.includes('file') ? `@${file}` : given
    const service = way.startsWith('environment')
      ? await serve(data, [], { env: { CUSTOM_CONNECTION_ADMIN_TOKEN: value } })
      : await serve(data, ['--admin-token', value])
    expect((await rest(service, 'GET', '/connections', { token: given })).status).toBe(200)
    expect(existsSync(join(data, 'admin-token'))).toBe(false)
    // Before the address is printed, so it is there.
    const { stdout, stderr } = service.process.output()
    expect(stdout + stderr).not.toContain(given)
    const warnings = stderr.split('\n').filter(line => line.includes('"warn"'))
    if (way === 'option')
      expect(warnings).toEqual([
        expect.stringMatching(
          /other users of this computer can read it\..*@FILE.*CUSTOM_CONNECTION_ADMIN_TOKEN/,
        ),
      ])
    else expect(warnings).toEqual([])
  })

  it.each([
    ['serve', 'admin-token'],
    ['mcp', 'token'],
    ['send', 'secret'],
    ['sign', 'secret'],
    ['verify', 'secret'],
  ])('the help of %s says that --%s is better given as a file', async (command, option) => {
    const { stdout } = await runCliHere([command, '--help'])
    const text = stdout.replaceAll(/\s+/g, ' ')
    expect(text).toMatch(new RegExp(` --${option} <\\w+> [^<]*or better @file: other users can read`))
  })

  it('is refused when its file is not there', async () => {
    const args = ['serve', '--data', temporaryFolder(), '--admin-token', '@/nowhere/token', '--json']
    const result = await runCliHere(args)
    expect(result.code).toBe(1)
    expect(jsonOf(result)).toMatchObject({ message: expect.stringContaining('/nowhere/token') })
  })

  it.each(['option', 'file', 'environment'])('of 15 characters is wrong usage, given by %s', async way => {
    const short = '15-characters..'
    const file = join(temporaryFolder(), 'token')
    writeFileSync(file, short)
    const args = way === 'environment' ? [] : ['--admin-token', way === 'file' ? `@${file}` : short]
    const options = way === 'environment' ? { env: { CUSTOM_CONNECTION_ADMIN_TOKEN: short } } : {}
    const result = await runCliHere(['serve', '--data', temporaryFolder(), ...args], options)
    expect(result.code).toBe(2)
    expect(result.stderr).toContain('at least 16 characters')
    expect(result.stderr).not.toContain(short)
  })

  it('is refused when somebody wrote a short one into its own file', async () => {
    const data = temporaryFolder()
    const file = join(data, 'admin-token')
    writeFileSync(file, 'short\n')
    const result = await runCli(['serve', '--data', data, '--port', '0', '--dashboard-port', '0', '--json'])
    expect(result.code).toBe(1)
    expect(jsonOf(result)).toMatchObject({
      code: 'weak_admin_token',
      message: expect.stringContaining(file),
    })
    const service = await serve(data, ['--insecure-admin-token'])
    expect((await rest(service, 'GET', '/connections', { token: 'short' })).status).toBe(200)
  })

  it('may be short with --insecure-admin-token', async () => {
    const service = await serve(temporaryFolder(), ['--admin-token', 'short', '--insecure-admin-token'])
    expect((await rest(service, 'GET', '/connections', { token: 'short' })).status).toBe(200)
  })

  it('is storage_unavailable, with the file, when its own file cannot be used', async () => {
    const data = temporaryFolder()
    mkdirSync(join(data, 'admin-token'))
    const result = await runCli(['serve', '--data', data, '--port', '0', '--dashboard-port', '0', '--json'])
    expect(result.code).toBe(1)
    expect(jsonOf(result)).toMatchObject({
      code: 'storage_unavailable',
      message: expect.stringContaining(join(data, 'admin-token')),
    })
  })
})

describe('what is printed and logged', () => {
  it('holds no credential and no body, at the most talkative level', async () => {
    const data = temporaryFolder()
    const tokenFile = join(temporaryFolder(), 'token')
    writeFileSync(tokenFile, given)
    const service = await serve(data, ['--log-level', 'trace', '--admin-token', `@${tokenFile}`])
    const { credentials, connectionId } = await createConnection(service, 'Shop', given)
    const secretFile = join(temporaryFolder(), 'secret')
    writeFileSync(secretFile, credentials.signingSecret)
    const body = '{"card":"canary-body-77aa"}'
    const outputs: string[] = []
    const run = async (...args: string[]) => {
      const { stdout, stderr } = await runCliHere(args)
      outputs.push(stdout, stderr)
    }
    const toUrl = ['--url', credentials.inboundUrl, '--data', body]
    await run('send', 'one', ...toUrl, '--secret', `@${secretFile}`)
    await run('send', 'one', ...toUrl, '--secret', 'whsec_wrong', '--json')
    await run('send', 'one', '--connection', 'Shop', '--data-folder', data, '--data', body)
    await run('send', 'one', '--connection', 'Shop', '--data-folder', data, '--count', '3', '--json')
    await run('verify', '--secret', `@${secretFile}`, '--timestamp', '1', '--signature', 'x', '--body', body)
    await run('sign', '--secret', `@${secretFile}`, '--body', body)
    await rest(service, 'GET', `/connections/${connectionId}/credentials`, { token: given })
    await rest(service, 'POST', `/connections/${connectionId}/rotate-secret`, { token: given, body: {} })
    await rest(service, 'POST', `/connections`, { token: 'canary-wrong-token', body: { name: 'X' } })
    await rest(service, 'POST', '/connections', { token: given, body: { name: '' } })
    const facts = ServiceFacts.parse(JSON.parse(readFileSync(join(data, 'service.json'), 'utf8')))
    const processes = processList(service)
    expect(await stop(service)).toBe(0)

    const { stdout, stderr } = service.process.output()
    expect(stderr).toContain('Event accepted')
    expect(stderr).toContain('Event refused')
    const everything = [stdout, stderr, ...outputs, processes].join('\n')
    const canaries = [
      given,
      'canary-wrong-token',
      'canary-body-77aa',
      credentials.signingSecret,
      credentials.signingSecret.slice('whsec_'.length),
      credentials.inboundToken,
      facts.token,
    ]
    for (const canary of canaries) expect(everything).not.toContain(canary)
  })
})

/** How others on this machine see the process; nothing where there is no `ps`. */
function processList(service: CliService): string {
  const { stdout, status } = spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(service.pid)])
  const seen = status === 0 ? String(stdout) : ''
  if (seen !== '') expect(seen).toContain('--admin-token @')
  return seen
}
