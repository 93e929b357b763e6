import { createHmac, generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { runCliHere } from '../support/cli-here.ts'
import { type CliOptions, jsonOf, runCli } from '../support/cli-process.ts'
import { type CliService, rest, sharedService, temporaryFolder } from '../support/cli-service.ts'

const shared = sharedService()
const secret = 'It is a Secret to Everybody'

const sender = ({ data }: CliService, args: readonly string[], options?: CliOptions) =>
  runCli(['sender', ...args, '--data', data], options)

/** Creates a connection named Shop, and returns a function that reads its credentials. */
async function createShop(service: CliService) {
  const { body } = await rest(service, 'POST', '/connections', { body: { name: 'Shop' } })
  const { connectionId } = z.object({ connectionId: z.string() }).parse(body)
  const path = `/connections/${connectionId}`
  return { path, credentials: async () => (await rest(service, 'GET', `${path}/credentials`)).body }
}

function fileWith(text: string): string {
  const file = join(temporaryFolder(), 'secret')
  writeFileSync(file, text)
  return `@${file}`
}

it('sets how a sender signs, and its secret from stdin, a file or the environment', async () => {
  const service = await shared.empty()
  const { credentials, path } = await createShop(service)
  const set = (args: readonly string[], options?: CliOptions) =>
    sender(service, ['set', 'Shop', ...args], options)

  const named = await set(['--as', 'github'])
  expect(named).toMatchObject({ code: 0, stdout: 'Shop: GitHub, the secret is not set\n' })
  const fromStdin = await set(['--secret', '-'], { stdin: `${secret}\n` })
  expect(fromStdin).toMatchObject({ code: 0, stdout: 'Shop: GitHub, the secret is set\n', stderr: '' })
  expect(await credentials()).toMatchObject({ senderSecret: secret })
  const event = '{"ref":"main"}'
  const { inboundUrl } = z.object({ inboundUrl: z.string() }).parse(await credentials())
  const posted = await fetch(inboundUrl, {
    ...{ method: 'POST', body: event },
    headers: {
      'x-github-event': 'push',
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(event).digest('hex')}`,
    },
  })
  expect(posted.status).toBe(200)

  await set(['--secret', fileWith('the-next-one\n'), '--grace-hours', '0'])
  expect(await credentials()).toMatchObject({ senderSecret: 'the-next-one' })
  await set([], { env: { CUSTOM_CONNECTION_SENDER_SECRET: 'of-the-environment' } })
  expect(await credentials()).toMatchObject({ senderSecret: 'of-the-environment' })

  const pair = ['--as', 'alertmanager', '--user', 'prometheus', '--password', fileWith('a:b')]
  expect((await set(pair)).stdout).toBe('Shop: Alertmanager, the password is set\n')
  expect(await credentials()).toMatchObject({ senderSecret: 'prometheus:a:b' })

  await set(['--as', 'meta', '--verify-token', '-', '--secret', fileWith('app')], { stdin: 'chosen' })
  expect(await credentials()).toMatchObject({ senderSecret: 'app', verifyToken: 'chosen' })

  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  expect((await set(['--as', 'sendgrid'])).stdout).toContain('no public key is set')
  const withKey = jsonOf(await set(['--public-key', fileWith(pem), '--json']))
  expect(withKey).toEqual((await rest(service, 'GET', path)).body)
  expect(withKey).toMatchObject({ sender: { scheme: 'sendgrid', publicKey: pem.trim() } })

  const paypal = await set(['--as', 'paypal', '--setting', 'webhook_id=WH-1'])
  expect(paypal).toMatchObject({ code: 0, stdout: 'Shop: PayPal, needs no secret\n' })
  expect((await rest(service, 'GET', path)).body).toMatchObject({
    sender: { settings: { webhook_id: 'WH-1' } },
  })
})

it('takes no secret from the command line, which other users can read', async () => {
  const service = await shared.empty()
  await createShop(service)
  for (const option of ['--secret', '--password', '--verify-token']) {
    const { code, stderr } = await sender(service, ['set', 'Shop', option, 'hunter2'])
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`Give ${option} as @file, as - for stdin, or in`),
    ])
    expect(stderr).not.toContain('hunter2')
  }
})

it.each([
  [[], 2, 'Give --as, --secret'],
  [['--secret', '-', '--verify-token', '-'], 2, 'Only one option can be -.'],
  [['--as', 'nobody'], 2, "argument 'nobody' is invalid"],
  [['--as', 'paypal'], 1, 'settings.webhook_id: Enter it.'],
  [['--setting', 'x'], 2, 'Write a setting as NAME=VALUE.'],
  [['--as', 'github', '--grace-hours', '5'], 2, 'Write 0, 1, 24 or 168.'],
  [['--secret', '@/nowhere/secret'], 1, 'cannot be read'],
  [['--user', 'a'], 1, 'password: Enter the user and the password.'],
])('refuses %j', async (args, code, words) => {
  const service = await shared.empty()
  await createShop(service)
  const refused = await runCliHere(['sender', 'set', 'Shop', ...args, '--data', service.data])
  expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(words)])
})

it('signs as a preset with settings only once they are given', async () => {
  const missing = await runCli([
    'verify',
    '--as',
    'paypal',
    '--secret',
    'x',
    '--header',
    'a: b',
    '--body',
    '{}',
  ])
  expect(missing.stderr).toBe(
    'invalid_input: Some fields are not valid. settings.webhook_id: Enter it. The webhook ID, beside the webhook in the developer dashboard of PayPal.\n',
  )
  const given = ['verify', '--as', 'paypal', '--setting', 'webhook_id=WH-1', '--secret', 'x']
  expect((await runCli([...given, '--header', 'a: b', '--body', '{}'])).stdout).toMatch(
    /^missing_signature: /,
  )
})

it('shows how far the question of a sender is, and resets it', async () => {
  const service = await shared.empty()
  const { credentials } = await createShop(service)
  const activation = (...args: string[]) => sender(service, ['activation', 'Shop', ...args])
  expect((await activation()).stdout).toBe('Custom Connection: not needed\n')

  await sender(service, ['set', 'Shop', '--as', 'meta'])
  const { inboundUrl, verifyToken } = z
    .object({ inboundUrl: z.string(), verifyToken: z.string() })
    .parse(await credentials())
  const waiting = await activation()
  expect(waiting.stdout).toBe(
    `Meta (WhatsApp, Facebook, Instagram): waiting\nInbound URL: ${inboundUrl}\nToken to enter there: ${verifyToken}\n`,
  )
  expect(waiting.stderr).toContain('credentials')
  const query = new URLSearchParams({
    ...{ 'hub.mode': 'subscribe', 'hub.challenge': '1158201444', 'hub.verify_token': verifyToken },
  })
  expect(await (await fetch(`${inboundUrl}?${query}`)).text()).toBe('1158201444')
  const answered = await activation()
  expect(answered.stdout).toMatch(/: answered\nAnswered: \S+Z\n$/)
  expect(answered.stdout).not.toContain(verifyToken)
  expect(jsonOf(await activation('--json'))).toMatchObject({ state: 'answered', verifiedAt: null })
  expect((await activation('--reset')).stdout).toMatch(/: waiting\n/)
  expect(jsonOf(await activation('--json'))).toMatchObject({ state: 'waiting', at: null })

  // The token that Notion has brought is entered there.
  await sender(service, ['set', 'Shop', '--as', 'notion'])
  const handshake = '{"verification_token":"secret_of-notion"}'
  expect((await fetch(inboundUrl, { method: 'POST', body: handshake })).status).toBe(200)
  const brought = await activation()
  expect(brought.stdout).toContain('Token to enter there: secret_of-notion\n')
})
