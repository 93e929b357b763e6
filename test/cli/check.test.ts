import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { CheckId, ReceiverCheck } from '#shared/model/receiver-check.ts'
import { runCliHere as runCli } from '../support/cli-here.ts'
import { jsonOf } from '../support/cli-process.ts'
import { rest, sharedService, temporaryFolder } from '../support/cli-service.ts'
import { isSigned, type SystemRequest, startExternalSystem } from '../support/external-system.ts'
import { missingOf, titled } from '../support/has-program.ts'

const Connection = z.object({
  connectionId: z.string(),
  credentials: z.object({ signingSecret: z.string() }),
})
const shared = sharedService()

/** Returns whether a call may be accepted: its signature is right and recent, and its body is JSON. */
const isRight = (request: SystemRequest, secret: string) =>
  isSigned(request, secret) &&
  Math.abs(Date.now() - Number(request.headers['x-service-timestamp'])) <= 300_000

/** A service with a connection named Shop and the action look_up, whose receiver is right unless told otherwise. */
async function withShop({
  acceptsAll = false,
  baseUrl,
}: {
  acceptsAll?: boolean
  baseUrl?: string | null
} = {}) {
  let secret = ''
  const system = await startExternalSystem((request, response) => {
    const isAccepted = acceptsAll || isRight(request, secret)
    response.writeHead(!isAccepted ? 401 : request.body.startsWith('{') ? 200 : 400).end('{"ok":true}')
  })
  const service = await shared.empty()
  const fields = { name: 'Shop', baseUrl: baseUrl === undefined ? system.url : baseUrl }
  const { body } = await rest(service, 'POST', '/connections', { body: fields })
  const { connectionId, credentials } = Connection.parse(body)
  secret = credentials.signingSecret
  const action = {
    ...{
      name: 'Look <up>',
      toolName: 'look_up',
      description: 'When asked.',
      method: 'POST',
      path: '/orders?key=k4n4ry',
    },
    parameters: [{ name: 'order_id', type: 'string', description: 'The order', required: true }],
  }
  await rest(service, 'POST', `/connections/${connectionId}/actions`, { body: action })
  const check = (...args: string[]) =>
    runCli(['check', 'Shop', 'look_up', '--data', service.data, '--args', '{"order_id":"c4n4ry"}', ...args])
  return { system, service, check, secret }
}

describe('check', () => {
  it('exits 0 for a right receiver, prints each check, and sends what is accepted only with --yes', async () => {
    const { check, system } = await withShop()
    const careful = await check()
    expect(careful.code).toBe(0)
    expect(careful.stdout).toContain('All 8 checks pass.')
    expect(careful.stderr).toContain('a receiver that refuses everything passes too. Send them with --yes.')
    const calls = system.requests.length
    const whole = await check('--yes', '--json')
    expect(whole.code).toBe(0)
    const { checks } = ReceiverCheck.parse(jsonOf(whole))
    expect(checks.map(({ id }) => id)).toEqual(CheckId.options)
    expect(checks.filter(({ verdict }) => verdict === 'skipped').map(({ id }) => id)).toEqual([
      'refused_replaced_secret',
    ])
    expect(system.requests.length - calls).toBe(14)
  })

  it('exits 1 and says what to change for one that accepts everything, and 0 for a check that passes', async () => {
    const { check } = await withShop({ acceptsAll: true })
    const result = await check(
      '--only',
      'refused_stale',
      '--only',
      'refused_unsigned',
      '--only',
      'accepted_now',
    )
    expect(result.code).toBe(1)
    expect(result.stdout).toMatch(/^failed {3}Stale, signed 6 minutes ago +4xx +200 {2}\d+ ms$/m)
    expect(result.stdout).toContain('2 of 2 checks fail.')
    expect(result.stdout).toContain('- Refuse a timestamp more than 300,000 ms old or early.')
    expect((await check('--only', 'accepted_now', '--yes')).code).toBe(0)
    const unverified = await check('--only', 'refused_wrong_secret')
    expect(unverified.stdout).toContain('- Verify the signature of each call, and answer 401 if it is wrong.')
  })

  it('exits 2 for wrong usage, and 4 if the service or the receiver cannot be reached', async () => {
    const { check, service } = await withShop({ baseUrl: 'http://127.0.0.1:1' })
    for (const wrong of [
      ['--only', 'refused_never'],
      ['--report', 'report.pdf'],
      ['--args', '{}'],
    ])
      expect((await check(...wrong)).code, wrong.join(' ')).toBe(2)
    expect((await runCli(['check', 'Shop', 'none', '--data', service.data])).code).toBe(2)
    expect((await runCli(['check', 'Shop'])).code).toBe(2)
    expect((await check('--only', 'refused_stale')).code).toBe(4)
    const without = await runCli(['check', 'Shop', 'look_up', '--data', temporaryFolder(), '--json'])
    expect(without.code).toBe(4)
    expect(jsonOf(without)).toMatchObject({ ok: false, code: 'service_not_running' })
    const { check: unset } = await withShop({ baseUrl: null })
    const skipped = await unset()
    expect([skipped.code, skipped.stderr]).toEqual([
      4,
      'The connection has no base URL, so its actions cannot be called.\n',
    ])
  })

  it('shows the outcome of calls whose report cannot be written', async () => {
    const { check } = await withShop()
    const lost = await check('--report', join(temporaryFolder(), 'none', 'report.xml'))
    expect([lost.code, lost.stdout]).toEqual([2, expect.stringContaining('All 8 checks pass.')])
    const json = await check('--json', '--report', join(temporaryFolder(), 'none', 'report.xml'))
    expect([json.code, ReceiverCheck.parse(jsonOf(json)).verdict]).toEqual([2, 'passed'])
    expect(json.stderr).toContain('cannot be written: ENOENT')
  })

  const missing = missingOf('python3')
  it.skipIf(missing.length > 0)(
    titled('writes reports that others read, without secrets or arguments', missing),
    async () => {
      const { check, secret, system } = await withShop({ acceptsAll: true })
      const folder = temporaryFolder()
      const only = ['refused_stale', 'refused_replaced_secret', 'accepted_now'].flatMap(id => ['--only', id])
      const texts: string[] = []
      for (const name of ['report.md', 'report.html', 'report.xml', 'report.JSON']) {
        const file = join(folder, name)
        expect((await check('--yes', ...only, '--report', file)).code).toBe(1)
        texts.push(readFileSync(file, 'utf8'))
      }
      const [markdown, html, junit, json] = texts
      expect(markdown).toContain('# Receiver check: Look \\<up\\>\n')
      expect(markdown).toContain('| Stale, signed 6 minutes ago        | 4xx      | 200 | failed  |\n')
      expect(markdown).toContain('1. Refuse a timestamp more than 300,000 ms old or early.\n')
      expect(html).toContain('<h1>Receiver check: Look &lt;up&gt;</h1>')
      expect(JSON.parse(json ?? '')).toMatchObject({ verdict: 'failed', url: `${system.url}/orders` })
      const read =
        'import sys, xml.etree.ElementTree as x; [print(c.get("classname"), *(e.tag for e in c)) for c in x.fromstring(sys.stdin.read()).iter("testcase")]'
      expect(execFileSync('python3', ['-c', read], { input: junit, encoding: 'utf8' }).split('\n')).toEqual([
        'receiver_check.accepted_now',
        'receiver_check.refused_stale failure',
        'receiver_check.refused_replaced_secret skipped',
        '',
      ])
      const hidden = [secret, secret.slice(6), 'c4n4ry', 'k4n4ry', 'Authorization']
      for (const text of texts) {
        for (const one of hidden) expect(text).not.toContain(one)
        expect(text).not.toMatch(/sha256=[0-9a-f]{8}/)
      }
    },
  )
})
