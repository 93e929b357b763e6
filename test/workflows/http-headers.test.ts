import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { RunDetails } from '#shared/model/run.ts'
import { CheckedWorkflow } from '#shared/model/workflow.ts'
import { openExternalSystem } from '../support/external-system.ts'
import { createConnection, type Rest } from '../support/rest-client.ts'
import { sharedService } from '../support/service-fixture.ts'

const secret = 'canary-value-4711'
const env: NodeJS.ProcessEnv = {
  PROCESS_TOKEN: `process-${secret}`,
  CUSTOM_CONNECTION_ADMIN_TOKEN: `admin-${secret}`,
  index: `index-${secret}`,
}
const cleanService = sharedService({ service: { env } })

let system: Awaited<ReturnType<typeof openExternalSystem>>
beforeAll(async () => {
  system = await openExternalSystem(({ headers }, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ got: headers.authorization }))
  })
})
afterAll(() => system.close())
beforeEach(() => {
  system.requests.length = 0
})

const payload = {
  order_id: 'ORD-1',
  API_TOKEN: 'of-the-event',
  note: '{{API_TOKEN}}',
  user: 'maya',
}

async function create(
  rest: Rest,
  headers: object,
  more: object = {},
): Promise<z.infer<typeof CheckedWorkflow>> {
  const steps = [{ key: 'send', type: 'http', method: 'POST', url: `${system.url}/in`, headers, ...more }]
  const trigger = { type: 'external.event' }
  return CheckedWorkflow.parse((await rest('POST', '/workflows', { name: 'Send', trigger, steps })).body)
}

describe('a header of an HTTP step', () => {
  test('takes the place of the key that every attempt has, in any spelling', async () => {
    const { rest } = await cleanService()
    const { workflowId } = await create(rest, { 'idempotency-key': 'mine' })
    await rest('POST', `/workflows/${workflowId}/test`, { payload })
    expect(system.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine'])
  })

  test.each([
    ['Bearer {{API_TOKEN}}', `Bearer ${secret}`, 'Bearer ••••'],
    ['Bearer {{ API_TOKEN }}', `Bearer ${secret}`, 'Bearer ••••'],
    ['{{API_TOKEN}}:{{order_id}}', `${secret}:ORD-1`, '••••:ORD-1'],
    ['{{PROCESS_TOKEN}}', `process-${secret}`, '••••'],
    ['{{event.API_TOKEN}}', 'of-the-event', 'of-the-event'],
    ['{{user}}', 'maya', 'maya'],
    ['{{note}}', '{{API_TOKEN}}', '{{API_TOKEN}}'],
    ['{{note}} {{API_TOKEN}}', `{{API_TOKEN}} ${secret}`, '{{API_TOKEN}} ••••'],
  ])('fills in environment variables, which nobody can read afterwards: %s', async (value, sent, shown) => {
    const { rest, log } = await cleanService()
    await rest('PUT', '/environment/API_TOKEN', { value: secret })
    const { connectionId } = await createConnection(rest, { name: 'Orders', persistEvents: true })
    const { workflowId, issues } = await create(rest, { Authorization: value })
    expect(issues).toEqual([])
    await rest('POST', `/connections/${connectionId}/send`, { event: 'order.paid', data: payload })
    const runs = z.object({ runs: z.array(z.object({ runId: z.string(), status: z.string() })) })
    const list = async () => runs.parse((await rest('GET', `/runs?workflowId=${workflowId}`)).body).runs
    await expect.poll(list).toMatchObject([{ status: 'succeeded' }])
    expect(system.requests.map(({ headers }) => headers.authorization)).toEqual([sent])

    const [run] = await list()
    const details = await rest('GET', `/runs/${run?.runId}`)
    const { steps } = RunDetails.parse(details.body)
    expect(steps[0]?.attempts[0]?.input).toMatchObject({ headers: { Authorization: shown } })
    const call = await rest('GET', `/calls/${steps[0]?.attempts[0]?.callId}`)
    expect(call.body).toMatchObject({ request: { headers: { Authorization: shown } } })
    const others = await rest('GET', `/workflows/${workflowId}`)
    for (const text of [details.text, call.text, others.text, JSON.stringify(log.lines)])
      expect(text).not.toContain(secret)
  })

  test('is filled in a dry run too, and shown masked', async () => {
    const { rest } = await cleanService()
    const { workflowId } = await create(rest, { A: 'Bearer {{PROCESS_TOKEN}}' })
    const tested = await rest('POST', `/workflows/${workflowId}/test`, { payload, dryRun: true })
    expect(RunDetails.parse(tested.body).steps[0]?.attempts[0]?.input).toMatchObject({
      headers: { A: 'Bearer ••••' },
    })
    expect(system.requests).toEqual([])
  })

  test('takes no variable of the service itself, none that the settings forbid, and none in place of the run’s', async () => {
    const { rest } = await cleanService()
    await rest('PATCH', '/settings', { environmentPatterns: ['CUSTOM_*', 'index'] })
    const items = { key: 'all', type: 'each', items: '{{list}}' }
    const headers = {
      A: '{{event.a}}{{CUSTOM_CONNECTION_ADMIN_TOKEN}}',
      B: '{{PROCESS_TOKEN}}',
      C: '{{index}}',
    }
    const step = { key: 'send', type: 'http', method: 'POST', url: `${system.url}/in`, headers }
    const created = await rest('POST', '/workflows', {
      name: 'Send',
      trigger: { type: 'external.event' },
      steps: [{ ...items, steps: [step] }],
    })
    const { workflowId } = CheckedWorkflow.parse(created.body)
    const fields = { list: [1], a: 'a', CUSTOM_CONNECTION_ADMIN_TOKEN: 'b', PROCESS_TOKEN: 'c' }
    await rest('POST', `/workflows/${workflowId}/test`, { payload: fields })
    expect(system.requests).toMatchObject([{ headers: { a: 'ab', b: 'c', c: '0' } }])
  })

  test('is counted among the uses of a variable that is set', async () => {
    const { rest } = await cleanService()
    await create(rest, { A: '{{PROCESS_TOKEN}} {{order_id}}', B: '{{ PROCESS_TOKEN }}' })
    await create(rest, { A: '{{PROCESS_TOKEN}}' })
    expect((await rest('GET', '/environment')).body).toEqual([
      { name: 'PROCESS_TOKEN', sources: ['process'], kind: 'value', usedBy: [], workflows: 2 },
    ])
  })

  test('has an issue if nothing has the name of its credential', async () => {
    const { rest } = await cleanService()
    const { issues } = await create(rest, { Authorization: 'Bearer {{API_TOKEN_X}}', A: '{{order_id}}' })
    expect(issues).toMatchObject([
      {
        ...{
          stepKey: 'send',
          path: 'steps.0.headers.Authorization',
          code: 'unknown_variable',
          severity: 'warning',
        },
        message: 'No environment variable and no field of the event is named API_TOKEN_X.',
      },
    ])
  })

  test('masks the pair of Basic and its parts in an answer', async () => {
    const { rest } = await cleanService()
    const pair = Buffer.from('maya-lindqvist:pass-word-4711').toString('base64')
    await rest('PUT', '/environment/PAIR', { value: pair })
    const { workflowId } = await create(rest, { Authorization: 'Basic {{ PAIR }}' })
    const tested = await rest('POST', `/workflows/${workflowId}/test`, { payload })
    expect(system.requests[0]?.headers.authorization).toBe(`Basic ${pair}`)
    expect(tested.text).not.toContain(pair)
    expect(RunDetails.parse(tested.body).steps[0]?.output).toEqual({ got: '••••' })
  })

  test('with a line break in its variable is not sent', async () => {
    const { rest } = await cleanService()
    env.BROKEN_TOKEN = 'a\r\nX-Evil: 1'
    const { workflowId } = await create(rest, { Authorization: '{{BROKEN_TOKEN}}' })
    const tested = await rest('POST', `/workflows/${workflowId}/test`, { payload })
    expect(RunDetails.parse(tested.body).error?.code).toBe('invalid_header_value')
    expect(tested.text).not.toContain('X-Evil')
    expect(system.requests).toEqual([])
  })
})

test('a GET with a body has an issue', async () => {
  const { rest } = await cleanService()
  const { issues } = await create(rest, {}, { method: 'GET', body: { id: '{{order_id}}' } })
  expect(issues).toMatchObject([
    { stepKey: 'send', path: 'steps.0.body', code: 'body_not_sent', severity: 'warning' },
  ])
})
