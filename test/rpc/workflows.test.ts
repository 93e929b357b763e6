import { expect, test } from 'vitest'
import { ExactJson } from '#shared/json/exact-json.ts'
import { RunDetails } from '#shared/model/run.ts'
import { Workflow } from '#shared/model/workflow.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { sharedService } from '../support/service-fixture.ts'

const cleanService = sharedService()

const trigger = { type: 'external.event', connectionId: null, eventName: null }

test('a change with ifUpdatedAt is made only while nobody else has changed the workflow', async () => {
  const { rest } = await cleanService()
  const created = Workflow.parse((await rest('POST', '/workflows', { name: 'A', trigger })).body)
  const change = async (fields: object) => rest('PATCH', `/workflows/${created.workflowId}`, fields)

  // The clock of the service stands still, yet each version has a time of its own.
  const first = Workflow.parse((await change({ name: 'B', ifUpdatedAt: created.updatedAt })).body)
  expect(first).toMatchObject({ name: 'B' })
  expect(Date.parse(first.updatedAt)).toBeGreaterThan(Date.parse(created.updatedAt))
  expect(await change({ name: 'C', ifUpdatedAt: created.updatedAt })).toMatchObject({
    status: 409,
    body: { code: 'workflow_changed' },
  })
  const { body } = await rest('GET', `/workflows/${created.workflowId}`)
  expect(body).toMatchObject({ name: 'B', updatedAt: first.updatedAt })
  expect((await change({ name: 'C' })).status).toBe(200)
  expect((await change({ name: 'D', ifUpdatedAt: 'yesterday' })).status).toBe(400)
})

test('a test without a connection sends an unsigned request, without a call in any history', async () => {
  const { rest } = await cleanService()
  const system = await startExternalSystem(({ url }, response) =>
    response
      .writeHead(url === '//down' ? 503 : 200, { 'content-type': 'application/json' })
      .end('{"price":12.50}'),
  )
  const http = (key: string, path: string) => ({
    ...{ key, type: 'http', method: 'POST', url: system.url + path, body: { id: '{{order_id}}' } },
  })
  const sent = (path: string) => ({ method: 'POST', url: system.url + path, body: { id: 'ORD-1' } })
  const steps = [http('send', '/orders'), http('fail', '//down')]
  const { workflowId } = Workflow.parse(
    (await rest('POST', '/workflows', { name: 'Send', trigger, steps })).body,
  )
  const { body } = await rest('POST', `/workflows/${workflowId}/test`, { payload: { order_id: 'ORD-1' } })
  const run = RunDetails.parse(body)
  const { host } = new URL(system.url)
  expect(run).toMatchObject({
    status: 'failed',
    error: { code: 'http_503', message: `${host} answered 503.` },
    steps: [
      {
        key: 'send',
        status: 'succeeded',
        output: { price: 12.5 },
        attempts: [{ callId: null, error: null, input: sent('/orders') }],
      },
      { key: 'fail', status: 'failed', attempts: [{ input: sent('//down') }] },
    ],
  })
  const dry = await rest('POST', `/workflows/${workflowId}/test`, {
    ...{ payload: { order_id: 'ORD-2' }, dryRun: true },
  })
  expect(RunDetails.parse(dry.body).steps[0]?.attempts).toMatchObject([
    { input: { ...sent('/orders'), body: { id: 'ORD-2' } } },
  ])
  expect(system.requests.map(({ url, body: sent }) => [url, sent])).toEqual([
    ['/orders', '{"id":"ORD-1"}'],
    ['//down', '{"id":"ORD-1"}'],
  ])
  const [request] = system.requests
  expect(request?.headers['x-service-signature']).toBeUndefined()
  expect(request?.headers['idempotency-key']).toBe(`${run.runId}.send`)
})

test('a run gives its payload, inputs and outputs as text, with every digit', async () => {
  const { rest } = await cleanService()
  const steps = [{ key: 'tell', type: 'notify', message: 'Paid {{total}}' }]
  const { workflowId } = Workflow.parse(
    (await rest('POST', '/workflows', { name: 'Tell', trigger, steps })).body,
  )
  const payload = new ExactJson('{"total":12.50,"reference":9007199254740993}')
  const tested = await rest('POST', `/workflows/${workflowId}/test`, { payload, contents: 'text' })
  const { runId, payload: text, steps: taken } = RunDetails.parse(tested.body)
  expect(text).toContain('"total":12.50,"reference":9007199254740993')
  expect(taken).toMatchObject([
    {
      output: '{"message":"Paid 12.50"}',
      attempts: [{ input: '{"message":"Paid 12.50"}', output: '{"message":"Paid 12.50"}' }],
    },
  ])
  expect((await rest('GET', `/runs/${runId}?contents=text`)).body).toMatchObject({ payload: text })
  expect((await rest('GET', `/runs/${runId}`)).text).toContain('"reference":9007199254740993')
})
