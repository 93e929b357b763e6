import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { runCliHere as runCli } from '../support/cli-here.ts'
import { jsonOf } from '../support/cli-process.ts'
import { type CliService, rest, sharedService, temporaryFolder } from '../support/cli-service.ts'
import { startExternalSystem } from '../support/external-system.ts'

const Connection = z.object({ connectionId: z.string() })
const Action = z.object({ actionId: z.string() })

const shared = sharedService()

async function createShop(service: CliService, baseUrl: string | null) {
  const { body } = await rest(service, 'POST', '/connections', { body: { name: 'Shop', baseUrl } })
  const { connectionId } = Connection.parse(body)
  const action = {
    name: 'Look up',
    description: 'When asked.',
    method: 'POST',
    path: '/orders',
    parameters: [{ name: 'order_id', type: 'string', description: 'The order', required: true }],
    responseMapping: { state: 'order.state' },
    isEnabled: false,
  }
  const created = await rest(service, 'POST', `/connections/${connectionId}/actions`, { body: action })
  return { connectionId, ...Action.parse(created.body) }
}

/** A service with a connection named Shop to an external system, and the action look_up. */
async function withShop(...answer: Parameters<typeof startExternalSystem>) {
  const system = await startExternalSystem(...answer)
  const service = await shared.empty()
  const ids = await createShop(service, system.url)
  const call = (...args: string[]) => runCli(['call', ...args, '--data', service.data])
  return { system, service, call, ...ids }
}

describe('call', () => {
  it('takes a connection by id or name, a tool by name or id, arguments as text, file or stdin', async () => {
    const { system, service, call, connectionId, actionId } = await withShop((_request, response) => {
      response.end('{"order":{"state":"sent"}}')
    })
    const file = join(temporaryFolder(), 'args.json')
    writeFileSync(file, '{"order_id":"two"}')
    const shown = await call('Shop', 'look_up', '--args', '{"order_id":"one"}')
    expect(shown).toMatchObject({ code: 0, stderr: '' })
    expect(shown.stdout).toMatch(
      /^200 in [\d.]+ ms \(dns [\d.]+, connect [\d.]+, tls [\d.]+, first byte [\d.]+, download [\d.]+\)\n\{\n {2}"state": "sent"\n\}\n$/,
    )
    expect((await call(connectionId, 'look_up', '--args', `@${file}`)).code).toBe(0)
    const args = ['call', connectionId, actionId, '--args', '-', '--data', service.data]
    expect((await runCli(args, { stdin: '{"order_id":"three"}' })).code).toBe(0)
    expect(system.requests.map(({ body }) => body)).toEqual(
      ['one', 'two', 'three'].map(id => JSON.stringify({ order_id: id })),
    )
  })

  it('sends arguments with all digits of their numbers', async () => {
    const { system, service, call, connectionId } = await withShop()
    const parameters = ['number', 'object'].map(type => ({
      name: type,
      type,
      description: 'x',
      required: true,
    }))
    const action = { name: 'Digits', description: 'When asked.', method: 'POST', path: '/digits', parameters }
    await rest(service, 'POST', `/connections/${connectionId}/actions`, { body: action })
    const given = '{"number":12345678901234567890,"object":{"price":1.10,"list":[1e400,-0]}}'
    expect(await call('Shop', 'digits', '--args', given)).toMatchObject({ code: 0 })
    expect(system.requests.map(({ body }) => body)).toEqual([given])
  })

  it('prints the whole outcome with --json, numbers with all their digits', async () => {
    const { call } = await withShop((_request, response) => {
      response.end('{"order":{"state":12345678901234567890}}')
    })
    const result = await call('Shop', 'look_up', '--args', '{"order_id":"x"}', '--json')
    expect(result.code).toBe(0)
    expect(jsonOf(result)).toMatchObject({ ok: true, response: { status: 200 }, error: null })
    expect(result.stdout).toContain('"mapped":{"state":12345678901234567890}')
  })

  it('exits 1 with the answer when it is not 2xx', async () => {
    const { call } = await withShop((_request, response) => {
      response.statusCode = 500
      response.end('broken')
    })
    const result = await call('Shop', 'look_up', '--args', '{"order_id":"x"}')
    expect(result).toMatchObject({ code: 1, stderr: '' })
    expect(result.stdout).toMatch(/^500 in /)
    expect(result.stdout).toContain('"result": "broken"')
  })

  it('exits 1 with the reason when there is no answer', async () => {
    const { call, system } = await withShop()
    const wrong = await call('Shop', 'look_up')
    expect(wrong).toMatchObject({ code: 1, stdout: '' })
    expect(wrong.stderr).toContain('invalid_arguments: ')
    expect(wrong.stderr).toContain('order_id is required.')
    const json = await call('Shop', 'look_up', '--json')
    expect(json).toMatchObject({ code: 1, stderr: '' })
    expect(jsonOf(json)).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } })
    expect(system.requests).toEqual([])
  })

  it('says when there is no such tool or connection, and when no service runs', async () => {
    const { call } = await withShop()
    for (const [args, code] of [
      [['Shop', 'nothing'], 'action_not_found'],
      [['Nobody', 'look_up'], 'connection_not_found'],
    ] as const) {
      const result = await call(...args, '--json')
      expect(result.code).toBe(1)
      expect(jsonOf(result)).toMatchObject({ code })
    }
    const none = await runCli(['call', 'Shop', 'x', '--data', join(temporaryFolder(), 'none'), '--json'])
    expect(jsonOf(none)).toMatchObject({ code: 'service_not_running' })
  })

  it.each([
    ['[1]', 'must be a JSON object'],
    ['"text"', 'must be a JSON object'],
    ['{"a":', 'not valid JSON'],
    ['', 'not valid JSON'],
  ])('refuses the arguments %j before it asks anybody', async (args, sentence) => {
    const result = await runCli(['call', 'Shop', 'look_up', '--args', args, '--data', '/none', '--json'])
    expect(result.code).toBe(1)
    expect(jsonOf(result)).toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringContaining(sentence),
    })
  })
})
