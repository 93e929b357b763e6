import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { runCliHere as runCli } from '../support/cli-here.ts'
import { jsonOf } from '../support/cli-process.ts'
import { type CliService, rest, serve, sharedService, temporaryFolder } from '../support/cli-service.ts'
import { isSigned, startExternalSystem } from '../support/external-system.ts'
import { missingOf, titled } from '../support/has-program.ts'

const secret = 'whsec_of-the-webhook-0123456789'
const withSecret = { env: { HOOK_SECRET: secret } }
const shared = sharedService()

const webhook = ({ data }: CliService, ...args: string[]) => runCli(['webhook', ...args, '--data', data])
const set = (service: CliService, url: string, ...more: string[]) =>
  webhook(service, 'set', '--url', url, '--secret-variable', 'HOOK_SECRET', ...more)

const Deliveries = z.array(z.object({ runId: z.string(), status: z.string(), attempt: z.int() }))
const deliveries = async (service: CliService) =>
  Deliveries.parse(jsonOf(await webhook(service, 'deliveries', '--json')))

describe('webhook', () => {
  it('sets, prints, tests, switches off and deletes a webhook, and lists its deliveries', async () => {
    const service = shared()
    const { url } = await startExternalSystem((_request, response) => response.writeHead(503).end())
    expect((await webhook(service, 'get')).stderr).toBe('There is no webhook.\n')
    expect((await webhook(service, 'deliveries')).stderr).toBe('There are no deliveries yet.\n')
    expect((await webhook(service, 'test')).stderr).toContain('The workspace has no webhook yet.')
    const incomplete = await webhook(service, 'set', '--url', url)
    expect([incomplete.code, incomplete.stderr]).toEqual([1, expect.stringContaining('--secret-variable')])
    const first = await set(service, `${url}/in`)
    expect(first.stdout).toBe(`on  ${url}/in  signed with HOOK_SECRET\n`)
    expect(first.stderr).toMatch(
      /^Warning: The environment variable HOOK_SECRET is not set, so .*HOOK_SECRET\.\n$/,
    )
    expect((await webhook(service, 'get')).stderr).toBe(first.stderr)
    const untold = await webhook(service, 'test')
    expect([untold.code, untold.stdout]).toEqual([1, expect.stringContaining('missing_environment_variable')])
    const listed = await webhook(service, 'deliveries')
    expect(listed.stdout).toMatch(/^\S+Z {2}run_\w+ {2}conversation\.started {2}failed {2}test {2}missing_/)
    expect(jsonOf(await set(service, url, '--off', '--json'))).toEqual({
      url,
      secretVariable: 'HOOK_SECRET',
      alerts: false,
      enabled: false,
    })
    expect(await webhook(service, 'get')).toMatchObject({
      ...{ stdout: `off  ${url}  signed with HOOK_SECRET\n`, stderr: '' },
    })
    expect((await webhook(service, 'set')).stdout).toBe(`on  ${url}  signed with HOOK_SECRET\n`)
    expect((await webhook(service, 'set', '--off')).stdout).toBe(`off  ${url}  signed with HOOK_SECRET\n`)
    expect((await set(service, 'nowhere')).stderr).toContain('webhook.url: Write an absolute URL')
    expect((await webhook(service, 'get', '--workspace', 'ws_gone')).stderr).toContain('no such workspace')
    expect((await webhook(service, 'delete')).stdout).toBe('Deleted.\n')
    expect(jsonOf(await webhook(service, 'delete', '--json'))).toBeNull()
  })

  it('delivers an event after kill -9, under the same key', async () => {
    const data = temporaryFolder()
    const held: ServerResponse[] = []
    const system = await startExternalSystem((_request, response) => {
      if (held.length > 0) response.end('{"ok":true}')
      held.push(response)
    })
    const killed = await serve(data, [], withSecret)
    await set(killed, system.url)
    expect((await rest(killed, 'POST', '/conversations', { body: {} })).status).toBe(201)
    await expect.poll(() => system.requests.length).toBe(1)
    killed.process.signal('SIGKILL')
    await killed.process.ended
    const service = await serve(data, [], withSecret)
    await expect.poll(() => deliveries(service)).toMatchObject([{ status: 'succeeded' }])
    const [first, second] = system.requests
    expect(system.requests).toHaveLength(2)
    expect(second?.body).toBe(first?.body)
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key'])
    expect(system.requests.map(request => isSigned(request, secret))).toEqual([true, true])
  })

  const missing = missingOf('python3')
  it.skipIf(missing.length > 0)(
    titled('posts to a receiver in Python, which verifies the signature', missing),
    async () => {
      const script = join(import.meta.dirname, 'fixtures/receive.py')
      const receiver = spawn('python3', [script, '2'], {
        env: { ...process.env, SECRET: secret },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      onTestFinished(() => void receiver.kill())
      const lines = createInterface(receiver.stdout)
      const [port] = z.tuple([z.string()]).parse(await once(lines, 'line'))
      const printed = once(lines, 'line')
      const service = await serve(temporaryFolder(), [], { env: { ...withSecret.env, WRONG: 'whsec_other' } })
      const url = `http://127.0.0.1:${port}/hook`
      await webhook(service, 'set', '--url', url, '--secret-variable', 'WRONG')
      expect(jsonOf(await webhook(service, 'test', '--json'))).toMatchObject({ error: { code: 'http_401' } })
      await set(service, url)
      await rest(service, 'POST', '/conversations', { body: {} })
      const [received] = z.tuple([z.string()]).parse(await printed)
      expect(JSON.parse(received)).toEqual([
        {
          event: 'conversation.started',
          agentId: 'default',
          channel: 'web',
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        },
      ])
    },
  )
})
