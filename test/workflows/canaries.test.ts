import { expect, test } from 'vitest'
import { z } from 'zod'
import { hourMs } from '#shared/durations.ts'
import { RunDetails } from '#shared/model/run.ts'
import { CheckedWorkflow } from '#shared/model/workflow.ts'
import { createAction } from '../support/actions.ts'
import { openFeed } from '../support/event-feed.ts'
import { eventually } from '../support/eventually.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { expectNowhere } from '../support/leaks.ts'
import { connectMcp, httpTransport } from '../support/mcp-client.ts'
import { createConnection } from '../support/rest-client.ts'
import { placesOfRuns } from '../support/run-places.ts'
import { startService } from '../support/service-fixture.ts'

const key = 'canary/4721 of "the" settings'
/** Each that the system gives, of a private step. */
const tokenOf = (count: number) => `canary-4722-of-token-${count}`
const secrets = new Map([
  ['key', key],
  ['token', 'canary-4722-of-token'],
])
const Runs = z.object({ runs: z.array(z.object({ runId: z.string(), status: z.string() })) })

test('no answer, run, call, log, export, backup or file holds a secret, also while a run waits and after retries hours later', async () => {
  const fixture = await startService()
  const { rest, clock, dashboardUrl } = fixture
  const statuses = [503, 400]
  let tokens = 0
  const system = await startExternalSystem(({ url, headers, body }, response) => {
    response.setHeader('content-type', 'application/json')
    if (url === '/token') return void response.end(JSON.stringify({ access_token: tokenOf(++tokens) }))
    const status = url.startsWith('/use') ? (statuses.shift() ?? 200) : 200
    response.writeHead(status, { 'retry-after': '3600', 'x-echo': `${headers['x-key']}` })
    response.end(JSON.stringify({ message: `Not with ${headers.authorization}`, url, headers, body }))
  })
  await rest('PUT', '/environment/KEY', { value: key })
  const { connectionId } = await createConnection(rest, { baseUrl: system.url, persistEvents: true })
  await createAction(rest, connectionId, {
    ...{ name: 'Act', toolName: 'act', method: 'POST', path: '/act', headers: { 'X-Key': '{{KEY}}' } },
    parameters: [{ name: 'note', type: 'string', description: 'A note.', required: false }],
  })
  const steps = [
    { key: 'token', type: 'http', method: 'POST', url: `${system.url}/token`, body: '{}', private: true },
    {
      ...{ key: 'made', type: 'set' },
      values: { pair: { value: '{{$env.KEY}} {{steps.token.access_token}}' } },
    },
    {
      ...{ key: 'use', type: 'http', method: 'POST', url: `${system.url}/use?key={{$env.KEY}}` },
      headers: { Authorization: 'Bearer {{steps.token.access_token}}', 'X-Key': '{{steps.made.pair}}' },
      body: { key: '{{$env.KEY}}', all: '{{steps.token}}' },
    },
    { key: 'act', type: 'action', connectionId, toolName: 'act', arguments: { note: '{{steps.made.pair}}' } },
    { key: 'tell', type: 'notify', message: '{{steps.use}} {{$calls.use.bodyText}} {{$calls.use.headers}}' },
  ]
  const trigger = { type: 'external.event', connectionId }
  const { body } = await rest('POST', '/workflows', { name: 'Canaries', trigger, steps })
  const { workflowId, issues } = CheckedWorkflow.parse(body)
  expect(issues).toEqual([])
  const feed = await openFeed(fixture)

  async function runIs(status: string): Promise<RunDetails> {
    const runId = await eventually(async () => {
      const { runs } = Runs.parse((await rest('GET', `/runs?workflowId=${workflowId}`)).body)
      expect(runs).toMatchObject([{ status }])
      return runs[0]?.runId
    })
    return RunDetails.parse((await rest('GET', `/runs/${runId}`)).body)
  }
  const expectNowhereNow = async () => expectNowhere(secrets, await placesOfRuns(fixture, workflowId))
  const sent = () => system.requests.filter(({ url }) => url.startsWith('/use')).at(-1)?.headers['x-key']

  await rest('POST', `/connections/${connectionId}/send`, { event: 'order.paid', data: { id: 'ORD-1' } })
  const { runId } = await runIs('waiting')
  await expectNowhereNow()

  clock.now += hourMs
  await rest('POST', `/runs/${runId}/retry`, {})
  const failed = await runIs('failed')
  expect(failed.error?.message).toContain('Not with Bearer ••••')
  expect(sent()).toBe(`${key} ${tokenOf(1)}`)
  await expectNowhereNow()

  clock.now += hourMs
  await rest('POST', `/runs/${runId}/retry`, {})
  const { steps: made } = await runIs('succeeded')
  expect(made.map(({ output }) => JSON.stringify(output)).join()).toContain('••••')
  // A private step is called again, since its output was deleted when the run had failed.
  expect(sent()).toBe(`${key} ${tokenOf(2)}`)

  const created = await rest('POST', '/assistant/tokens', { name: 'Client' })
  const { token } = z.object({ token: z.string() }).parse(created.body)
  const mcp = await connectMcp(httpTransport(`${dashboardUrl}/mcp`, token), '2025-11-25')
  const { tools } = await mcp.client.listTools()
  const answer = await mcp.client.callTool({ name: tools[0]?.name ?? '', arguments: { note: 'A note' } })
  expect(system.requests.at(-1)).toMatchObject({ url: '/act', headers: { 'x-key': key } })
  expect(JSON.stringify(answer)).toContain('••••')

  const places = await placesOfRuns(fixture, workflowId)
  places.set('MCP', JSON.stringify([tools, answer])).set('feed', feed.text())
  for (const path of [`/connections/${connectionId}/export`, '/environment', '/tools', '/settings'])
    places.set(path, (await rest('GET', path)).text)
  expectNowhere(secrets, places)
})
