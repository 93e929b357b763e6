import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Workflow } from '#shared/model/workflow.ts'
import { type CliService, rest as restOf, serve, temporaryFolder } from '../support/cli-service.ts'
import { eventually } from '../support/eventually.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { expectNowhere, filesBelow } from '../support/leaks.ts'
import { noPostgres } from '../support/postgres.ts'
import { newDatabase, query } from '../support/postgres-database.ts'

const secrets = new Map([
  ['key', 'canary-4731-of-the-settings'],
  ['token', 'canary-4732-of-a-token'],
])
const [key, secret] = [...secrets.values()]
const token = 'admin-token-of-the-nodes-0123456789'
const env = { CUSTOM_CONNECTION_KEY: 'a1'.repeat(32), CUSTOM_CONNECTION_ADMIN_TOKEN: token }
const Runs = z.object({ runs: z.array(z.object({ runId: z.string(), status: z.string() })) })

const serveOn = (url: string) =>
  serve(temporaryFolder(), ['--drain-seconds', '0'], { env: { ...env, CUSTOM_CONNECTION_DATABASE: url } })
const rest = (service: CliService, method: 'GET' | 'POST' | 'PUT', path: string, body?: object) =>
  restOf(service, method, path, { token, ...(body && { body }) })

/** Every row of a database as text, by its table. */
async function rowsOf(url: string): Promise<Map<string, string>> {
  const names = await query(
    url,
    "SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') AND c.relkind IN ('r', 'p')",
  )
  const tables = z.array(z.object({ name: z.string() })).parse(names)
  const rows = tables.map(
    async ({ name }): Promise<[string, string]> => [
      name,
      JSON.stringify(await query(url, `SELECT t::text AS row FROM "${name}" t`)),
    ],
  )
  return new Map(await Promise.all(rows))
}

describe.skipIf(noPostgres !== null)('a node', () => {
  test('goes on with the private steps and the variables of a run whose node was killed, and nothing has them in clear', async () => {
    const url = await newDatabase()
    const first = await serveOn(url)
    const system = await startExternalSystem(({ url, headers, body }, response) => {
      response.setHeader('content-type', 'application/json')
      if (url === '/token') return void response.end(JSON.stringify({ access_token: secret }))
      // What fails is tried again by the node that is left.
      response.statusCode = system.requests.length === 2 ? 503 : 200
      response.end(JSON.stringify({ got: headers.authorization, url, body }))
    })
    await rest(first, 'PUT', '/environment/KEY', { value: `${key}` })
    const http = { type: 'http', method: 'POST', body: { key: '{{$env.KEY}}' } }
    const steps = [
      { ...http, key: 'token', url: `${system.url}/token`, private: true },
      {
        ...{ key: 'made', type: 'set' },
        values: { header: { value: '{{$env.KEY}} {{steps.token.access_token}}' } },
      },
      {
        ...{ ...http, key: 'use', url: `${system.url}/use?key={{$env.KEY}}` },
        headers: { Authorization: '{{steps.made.header}}' },
      },
      { key: 'tell', type: 'notify', message: '{{steps.use}} {{$calls.use.bodyText}}' },
    ]
    const input = { name: 'W', trigger: { type: 'external.event' }, steps }
    const created = await rest(first, 'POST', '/workflows', input)
    const { workflowId } = Workflow.loose().parse(created.body)
    const { connectionId } = z
      .object({ connectionId: z.string() })
      .parse((await rest(first, 'POST', '/connections', { name: 'Shop', persistEvents: true })).body)
    await rest(first, 'POST', `/connections/${connectionId}/send`, { event: 'order.paid', data: {} })
    const list = async (service: CliService) =>
      Runs.parse((await rest(service, 'GET', `/runs?workflowId=${workflowId}`)).body).runs
    await eventually(async () => expect(await list(first)).toMatchObject([{ status: 'waiting' }]))
    first.process.signal('SIGKILL')
    const killed = await first.process.ended
    const waiting = await rowsOf(url)
    expect([...waiting.values()].join()).toContain('aes-256-gcm:')
    for (const [name, content] of await filesBelow(first.data)) waiting.set(name, content)
    expectNowhere(secrets, waiting.set('output', killed.stdout + killed.stderr))

    const second = await serveOn(url)
    const [run] = await list(second)
    await rest(second, 'POST', `/runs/${run?.runId}/retry`, {})
    await eventually(async () => expect(await list(second)).toMatchObject([{ status: 'succeeded' }]))
    expect(system.requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/token', undefined],
      [`/use?key=${key}`, `${key} ${secret}`],
      [`/use?key=${key}`, `${key} ${secret}`],
    ])
    const places = new Map<string, string>()
    for (const path of [`/runs/${run?.runId}`, '/activity/list', `/workflows/${workflowId}/export`])
      places.set(path, JSON.stringify((await rest(second, 'GET', path)).body))
    expect(places.get(`/runs/${run?.runId}`)).toContain('••••')
    second.process.signal('SIGKILL')
    const { stdout, stderr } = await second.process.ended
    for (const [name, content] of [...(await rowsOf(url)), ...(await filesBelow(second.data))])
      places.set(name, content)
    expectNowhere(secrets, places.set('output', stdout + stderr))
  })
})
