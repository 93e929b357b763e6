import { Command } from 'commander'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { DataFolder, dataFolderOption } from '#main/cli/options.ts'
import { subcommandNames } from '#main/cli/program.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { runCliHere } from '../support/cli-here.ts'
import { jsonOf, runCli } from '../support/cli-process.ts'
import { temporaryFolder } from '../support/cli-service.ts'

const url = 'http://127.0.0.1:1/'
const signed = ['--timestamp', '1', '--signature', 'x']

describe('usage', () => {
  it.each([[], ...subcommandNames.map(name => [name])])(
    '%s --help exits 0 and shows the usage',
    async (...args) => {
      const result = await runCliHere([...args, '--help'])
      expect(result).toMatchObject({ code: 0, stderr: '' })
      expect(result.stdout).toContain('Usage: custom-connection')
    },
  )

  it('lists the subcommands', async () => {
    const { stdout } = await runCliHere(['--help'])
    for (const name of subcommandNames) expect(stdout).toMatch(new RegExp(`^ +${name} `, 'm'))
    expect((await runCli(['--version'])).stdout).toBe(`${packageJson.version}\n`)
  })

  it('without a subcommand it exits 2 with the help', async () => {
    for (const args of [[], ['list']]) {
      const { code, stdout, stderr } = await runCliHere(args)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain('Usage: custom-connection')
    }
  })

  it.each([
    { args: ['nothing'], says: "unknown command 'nothing'" },
    { args: ['serve', '--nothing'], says: "unknown option '--nothing'" },
    { args: ['serve', 'extra'], says: 'too many arguments' },
    { args: ['serve', '--port', '65536'], says: '--port: A port is 0 to 65535.' },
    { args: ['serve', '--port', 'http'], says: '--port: Write a whole number.' },
    { args: ['serve', '--dashboard-port', '-1'], says: '--dashboard-port: Write a whole number.' },
    { args: ['serve', '--public-url', 'tunnel.example'], says: '--public-url: Write an absolute URL' },
    { args: ['serve', '--allowed-host', 'name:80'], says: '--allowed-host: Write a name without a port.' },
    { args: ['serve', '--tls-cert', 'cert.pem'], says: 'Give both --tls-cert and --tls-key' },
    { args: ['serve', '--log-level', 'loud'], says: '--log-level' },
    { args: ['serve', '--admin-token', 'two words'], says: 'visible ASCII' },
    { args: ['serve', '--admin-token', '15-characters..'], says: 'at least 16 characters' },
    { args: ['send'], says: "missing required argument 'event'" },
    { args: ['send', 'one'], says: 'Give --url and --secret, or --connection.' },
    { args: ['send', 'one', '--url', url], says: 'Give the signing secret with --secret' },
    {
      args: ['send', 'one', '--url', 'ftp://x/', '--secret', 'whsec_x'],
      says: '--url: Write the inbound URL',
    },
    { args: ['send', 'one', '--url', url, '--connection', 'Shop'], says: 'Give either --connection' },
    {
      args: ['send', 'one', '--connection', 'Shop', '--data', '{}', '--data', '{}'],
      says: 'Give --data once.',
    },
    {
      args: ['send', 'one', '--connection', 'Shop', '--count', '0'],
      says: '--count: Write a number above 0.',
    },
    { args: ['send', 'one', '--connection', 'Shop', '--rate', '0'], says: '--rate: Write a number above 0.' },
    { args: ['call', 'Shop'], says: "missing required argument 'tool'" },
    { args: ['backup'], says: "missing required argument 'file'" },
    { args: ['restore', 'a', 'b'], says: 'too many arguments' },
    ...['backup', 'restore'].map(name => ({
      args: [name, 'a', '--data', 'b', '--database', 'postgres://c/d'],
      says: 'Give either --data or --database.',
    })),
    { args: ['sign'], says: 'Give the signing secret with --secret' },
    {
      args: ['sign', '--secret', 'whsec_x', '--timestamp', 'now'],
      says: '--timestamp: This is not a time.',
    },
    {
      args: ['sign', '--secret', 'whsec_x', '--timestamp', '1795290958'],
      says: '--timestamp: The time is in seconds.',
    },
    { args: ['verify', '--secret', 'whsec_x'], says: 'Give --timestamp and --signature' },
    { args: ['verify', ...signed], says: 'Give the signing secret with --secret' },
    {
      args: ['verify', '--secret', 'whsec_x', ...signed, '--now', 'x'],
      says: '--now: This is not a time.',
    },
    {
      args: ['verify', '--secret', 'whsec_x', ...signed, '--now', '2026-11-26T11:00'],
      says: '--now: The time has no offset from UTC.',
    },
    { args: ['list', 'actions'], says: "missing required argument 'connection'" },
    { args: ['list', 'events'], says: "missing required argument 'connection'" },
    { args: ['list', 'events', 'Shop', '--limit', '201'], says: '--limit: Write a number from 1 to 200.' },
    { args: ['list', 'runs', '--status', 'done'], says: 'Allowed choices are queued, running' },
    { args: ['create', 'connection'], says: "missing required argument 'name'" },
    { args: ['list', 'nothing'], says: "unknown command 'nothing'" },
    { args: ['send', 'one', '--cuont', '1'], says: '(Did you mean --count?)' },
  ])('$args exits 2 with the reason on one line', async ({ args, says }) => {
    const text = await runCliHere(args)
    expect(text).toMatchObject({ code: 2, stdout: '' })
    expect(text.stderr).toContain(says)
    expect(text.stderr).toMatch(/^error: [^\n]+ \(see --help\)\n$/)
  })

  it.each([
    ['nothing', '--json'],
    ['serve', '--nothing', '--json'],
    ['serve', '--port', 'x', '--json'],
    ['sign', '--json'],
  ])('%s %s: --json has the reason on one line of stdout', async (...args) => {
    const result = await runCliHere(args)
    expect(result.code).toBe(2)
    expect(jsonOf(result)).toEqual({ ok: false, code: 'invalid_input', message: expect.any(String) })
  })

  it('exits 1 when a file cannot be read', async () => {
    const none = `@${temporaryFolder()}/none`
    const secret = await runCliHere(['sign', '--secret', none, '--json'])
    expect(secret.code).toBe(1)
    expect(jsonOf(secret)).toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('cannot be read'),
    })
    const body = await runCliHere(['sign', '--secret', 'whsec_x', '--body', none])
    expect(body).toMatchObject({ code: 1, stdout: '' })
    expect(body.stderr).toContain('cannot be read')
  })

  it('warns of a secret that is not whole', async () => {
    const result = await runCliHere(['sign', '--secret', 'abc', '--body', ''])
    expect(result.code).toBe(0)
    expect(result.stderr).toContain('does not start with whsec_')
  })
})

describe('a user without a home folder', () => {
  const none = () => {
    throw new Error('uv_os_homedir returned ENOENT')
  }

  it('needs none with --data, and is told so without it', () => {
    vi.stubEnv('CUSTOM_CONNECTION_DATA', undefined)
    vi.stubEnv('XDG_DATA_HOME', undefined)
    onTestFinished(() => void vi.unstubAllEnvs())
    const command = () => new Command().exitOverride().addOption(dataFolderOption('--data <dir>', none))
    const parse = (args: string[]) =>
      z.object({ data: DataFolder }).safeParse(command().parse(args, { from: 'user' }).opts())
    expect(parse(['--data', '/srv/data']).data).toEqual({ data: '/srv/data' })
    expect(parse([]).error?.issues[0]?.message).toContain('This user has no home folder')
  })
})
