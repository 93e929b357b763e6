import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { Workflow } from '#shared/model/workflow.ts'
import { rest, serve, temporaryFolder } from '../support/cli-service.ts'
import { eventually } from '../support/eventually.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { expectNowhere, filesBelow } from '../support/leaks.ts'

const canary = 'canary-4712-of-a-token'
const key = 'canary-4713-of-the-settings'
const secrets = new Map(Object.entries({ token: canary, key }))

test('a run goes on with the output of a private step and a variable after kill -9, and no file has them in clear', async () => {
  const held: ServerResponse[] = []
  const system = await startExternalSystem(({ url }, response) => {
    if (url === '/token') response.end(JSON.stringify({ access_token: canary }))
    else held.push(response)
  })
  const data = temporaryFolder()
  const first = await serve(data)
  const http = { type: 'http', method: 'POST', body: '{}' }
  const headers = { Authorization: '{{steps.auth.header}}', 'X-Key': '{{$env.KEY}}' }
  await rest(first, 'PUT', '/environment/KEY', { body: { value: key } })
  const steps = [
    { ...http, key: 'token', url: `${system.url}/token`, private: true },
    { key: 'auth', type: 'set', values: { header: { value: 'Bearer {{steps.token.access_token}}' } } },
    { ...http, key: 'use', url: `${system.url}/use`, headers },
  ]
  const input = { name: 'W', trigger: { type: 'external.event' }, steps }
  const created = await rest(first, 'POST', '/workflows', { body: input })
  const { workflowId } = Workflow.loose().parse(created.body)
  // Its answer ends with the process.
  rest(first, 'POST', `/workflows/${workflowId}/test`, { body: {} }).catch(() => {})
  await eventually(() => expect(held).toHaveLength(1))
  first.process.signal('SIGKILL')
  const { stdout, stderr } = await first.process.ended
  const places = new Map([...(await filesBelow(data)), ['output', stdout + stderr]])
  expect([...places.values()].join()).toContain('aes-256-gcm:')
  expectNowhere(secrets, places)

  const second = await serve(data)
  await eventually(() => expect(held).toHaveLength(2))
  held[1]?.end()
  const Runs = z.object({ runs: z.array(z.object({ runId: z.string(), status: z.string() })) })
  const list = async () => Runs.parse((await rest(second, 'GET', `/runs?workflowId=${workflowId}`)).body).runs
  await eventually(async () => expect(await list()).toMatchObject([{ status: 'succeeded' }]))
  const [run] = await list()
  expect(system.requests[2]?.headers['x-key']).toBe(key)
  expect(
    system.requests.map(({ url, headers }) => [url, headers['idempotency-key'], headers.authorization]),
  ).toEqual([
    ['/token', `${run?.runId}.token`, undefined],
    ['/use', `${run?.runId}.use`, `Bearer ${canary}`],
    ['/use', `${run?.runId}.use`, `Bearer ${canary}`],
  ])
  for (const path of [`/runs/${run?.runId}`, '/activity/list', `/workflows/${workflowId}/export`])
    expect(JSON.stringify((await rest(second, 'GET', path)).body)).not.toContain('canary-471')
  second.process.signal('SIGKILL')
  const ended = await second.process.ended
  const after = new Map(await filesBelow(data))
  expectNowhere(secrets, after.set('output', ended.stdout + ended.stderr))
})
